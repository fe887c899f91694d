#include "calls/instance.h"

#include <unordered_map>
#include <utility>

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr uint32_t HINT_RESOURCE_TYPE = 17;

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

int64_t Instance::combine(int64_t signature, int64_t next) {
	return static_cast<int64_t>(static_cast<uint64_t>(signature) * 1099511628211ULL ^ static_cast<uint64_t>(next));
}

int64_t Instance::signature(const Values &of) const {
	int64_t result = get_revision();
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		// What can be changed in place, without a setter.
		if (is_collection(declaration.properties[i].type.type)) {
			result = combine(result, of[i].hash());
		} else if (is_config(declaration.properties[i].type)) {
			result = combine(result, signature_of_config(of[i]));
		}
	}
	return result;
}

Variant Instance::configuration(const Values &of, SharedValues &shared) const {
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		result.set_key(declaration.properties[i].name, is_config(declaration.properties[i].type) ? values_of_config(of[i], shared) : of[i]);
	}
	return result;
}

void RequestInstance::complete(const Variant &with_result, const std::string &with_error) {
	result = with_result;
	error = with_error;
	completed.store(true, std::memory_order_release);
}

void attach(std::shared_ptr<Instance> instance) {
	Instance *const known = instance.get();
	{
		std::lock_guard<std::mutex> lock(living_mutex);
		living.emplace(known, std::move(instance));
	}
	godot.object_set_instance(known->object, StringName(known->declaration.name).get(), known);
	godot.object_set_instance_binding(known->object, godot.library, known, &BINDING_CALLBACKS);
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

std::shared_ptr<Instance> shared_instance_of(GDExtensionObjectPtr object) {
	return object == nullptr ? nullptr : instance_in_call(instance_of(object));
}

bool is_config(const TypeDeclaration &type) {
	return type.type == GDEXTENSION_VARIANT_TYPE_OBJECT && type.hint == HINT_RESOURCE_TYPE;
}

bool may_hold_resources(const TypeDeclaration &type) {
	return is_collection(type.type) && type.hint == HINT_RESOURCE_TYPE;
}

Variant values_of_config(const Variant &config, SharedValues &shared) {
	const GDExtensionObjectPtr object = config.to_object();
	const Instance *instance = object == nullptr ? nullptr : instance_of(object);
	return instance == nullptr ? Variant() : shared.name_of(instance->configuration(instance->get_values(), shared));
}

int64_t signature_of_config(const Variant &config) {
	const GDExtensionObjectPtr object = config.to_object();
	const Instance *instance = object == nullptr ? nullptr : instance_of(object);
	return instance == nullptr ? 0 : Instance::combine(static_cast<int64_t>(instance->id), instance->signature(instance->get_values()));
}

Instance *instance_of(GDExtensionObjectPtr object) {
	return static_cast<Instance *>(godot.object_get_instance_binding(object, godot.library, &BINDING_CALLBACKS));
}

} // namespace rag_memory
