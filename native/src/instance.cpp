#include "instance.h"

#include <cstring>
#include <functional>
#include <unordered_map>
#include <utility>

#include "engine_calls.h"
#include "godot_api.h"
#include "host.h"

namespace rag_memory {

namespace {

constexpr int32_t NOTIFICATION_READY = 13;

// The order of MemoryServer's (python/rag_memory/godot/memory_server.py).
enum ServerProperty : uint32_t { SUMMARIZER };

// A binding is needed so that an object leads back to its instance; it needs no life of its own.
const GDExtensionInstanceBindingCallbacks BINDING_CALLBACKS = {
		[](void *, void *) -> void * { return nullptr; },
		[](void *, void *, void *) {},
		[](void *, void *, GDExtensionBool) -> GDExtensionBool { return 1; },
};

Variant default_of(const PropertyDeclaration &property) {
	if (property.default_value.data != nullptr) {
		return deserialise(property.default_value.data, property.default_value.size);
	}
	return property.type.type == GDEXTENSION_VARIANT_TYPE_CALLABLE ? Variant::empty(property.type) : Variant();
}

bool is_collection(GDExtensionVariantType type) {
	return type == GDEXTENSION_VARIANT_TYPE_ARRAY || type == GDEXTENSION_VARIANT_TYPE_DICTIONARY;
}

// The instances of all objects there are. Never destroyed: the engine frees objects until the process ends.
std::mutex living_mutex;
std::unordered_map<Instance *, std::shared_ptr<Instance>> &living = *new std::unordered_map<Instance *, std::shared_ptr<Instance>>();

int64_t combine(int64_t hash, int64_t next) {
	return static_cast<int64_t>(static_cast<uint64_t>(hash) * 1099511628211ULL ^ static_cast<uint64_t>(next));
}

} // namespace

Instance::Instance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner) :
		declaration(class_declaration), object(owner), id(godot.object_get_instance_id(owner)) {
	values.reserve(declaration.property_count);
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		values.push_back(default_of(declaration.properties[i]));
	}
}

Instance::Values Instance::get_values() const {
	std::lock_guard<std::mutex> lock(mutex);
	return values;
}

Variant Instance::get_property(uint32_t index) const {
	std::lock_guard<std::mutex> lock(mutex);
	return values[index];
}

void Instance::set_property(uint32_t index, Variant value) {
	std::lock_guard<std::mutex> lock(mutex);
	std::swap(values[index], value); // what was there is destroyed by the caller, after the lock
	revision++;
}

int64_t Instance::get_revision() const {
	std::lock_guard<std::mutex> lock(mutex);
	return revision;
}

int64_t Instance::signature(const Values &of) const {
	int64_t result = get_revision();
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		// Arrays and dictionaries can be changed in place, without a setter.
		if (is_collection(declaration.properties[i].type.type)) {
			result = combine(result, of[i].hash());
		}
	}
	return result;
}

Variant Instance::configuration(const Values &of) const {
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		result.set_key(declaration.properties[i].name, of[i]);
	}
	return result;
}

void ServerInstance::set_property(uint32_t index, Variant value) {
	if (index == SUMMARIZER) {
		host->set_summarizer(value);
	}
	Instance::set_property(index, std::move(value));
}

void ServerInstance::clear_summarizer() {
	set_property(SUMMARIZER, Variant::empty(GDEXTENSION_VARIANT_TYPE_CALLABLE));
}

void RequestInstance::complete(const Variant &with_result, const std::string &with_error) {
	result = with_result;
	error = with_error;
	completed.store(true, std::memory_order_release);
}

void ConfigInstance::object_freed() {
	host->release(*this);
}

void ConfigInstance::set_property(uint32_t index, Variant value) {
	const PropertyDeclaration &property = declaration.properties[index];
	const AllowedNumbers &allowed = property.allowed;
	const double number = value.to_number();
	const bool is_allowed = number >= allowed.least && number <= allowed.most; // NaN is not
	// The editor has the inspector and the Scene dock say so, and as long as it holds.
	if (allowed.words != nullptr && !is_allowed && !is_in_editor()) {
		push_warning(std::string(declaration.name) + "." + property.name + " is set to " + value.to_string() +
				", but allowed is " + allowed.words + ": every call of a node with this config fails until it is set right.");
	}
	Instance::set_property(index, std::move(value));
}

NodeInstance::NodeInstance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner) :
		Instance(class_declaration, owner) {
	host->add_node(*this);
}

void NodeInstance::object_freed() {
	host->remove_node(*this);
	host->release(*this);
}

void NodeInstance::notification(int32_t what) {
	if (what == NOTIFICATION_READY && !is_in_editor()) {
		host->start_runtime();
		host->report_runtime_failure(*this);
	}
}

GDExtensionObjectPtr NodeInstance::config_of(const Values &of) {
	const GDExtensionObjectPtr own = of[CONFIG].to_object();
	return own == nullptr ? host->get_default_config() : own;
}

int64_t NodeInstance::signature(const Values &of) const {
	const GDExtensionObjectPtr object_of_config = config_of(of);
	if (object_of_config == nullptr) {
		return get_revision();
	}
	const Instance *config = instance_of(object_of_config);
	return combine(combine(get_revision(), static_cast<int64_t>(config->id)), config->signature(config->get_values()));
}

Variant NodeInstance::configuration(const Values &of) const {
	Variant result = Instance::configuration(of);
	const GDExtensionObjectPtr object_of_config = config_of(of);
	if (object_of_config != nullptr) {
		const Instance *config = instance_of(object_of_config);
		result.set_key("config", config->configuration(config->get_values()));
	}
	return result;
}

uint64_t NodeInstance::order_key(const Values &of) const {
	const uint64_t name = std::hash<std::string>()(of[NPC_ID].to_string());
	return (name << 1 | (of[PERSISTENT].to_bool() ? 1 : 0)) | 1ULL << 63;
}

GDExtensionObjectPtr create_object(const ClassDeclaration &declaration, bool notify_postinitialize) {
	GDExtensionObjectPtr object = godot.classdb_construct_object2(StringName(declaration.base).get());
	Instance *instance = nullptr;
	switch (declaration.role) {
		case ClassRole::REQUEST:
			instance = new RequestInstance(declaration, object);
			break;
		case ClassRole::NODE:
			instance = new NodeInstance(declaration, object);
			break;
		case ClassRole::CONFIG:
			instance = new ConfigInstance(declaration, object);
			break;
		case ClassRole::SERVER:
			instance = new ServerInstance(declaration, object);
			break;
	}
	{
		std::lock_guard<std::mutex> lock(living_mutex);
		living.emplace(instance, instance);
	}
	godot.object_set_instance(object, StringName(declaration.name).get(), instance);
	godot.object_set_instance_binding(object, godot.library, instance, &BINDING_CALLBACKS);
	if (notify_postinitialize) {
		send_postinitialize(object);
	}
	return object;
}

void free_instance(Instance *instance) {
	std::shared_ptr<Instance> freed; // destroyed after the lock, or by the call that is under way
	{
		std::lock_guard<std::mutex> lock(living_mutex);
		const auto found = living.find(instance);
		freed = std::move(found->second);
		living.erase(found);
	}
	freed->object_freed();
}

std::shared_ptr<Instance> instance_in_call(Instance *instance) {
	std::lock_guard<std::mutex> lock(living_mutex);
	const auto found = living.find(instance);
	return found == living.end() ? nullptr : found->second;
}

Instance *instance_of(GDExtensionObjectPtr object) {
	return static_cast<Instance *>(godot.object_get_instance_binding(object, godot.library, &BINDING_CALLBACKS));
}

} // namespace rag_memory
