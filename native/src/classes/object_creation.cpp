#include "classes/object_creation.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "calls/host.h"
#include "calls/instance.h"
#include "calls/mind_instance.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"
#include "engine/npc_key.h"

namespace rag_memory {

namespace {

constexpr int32_t NOTIFICATION_READY = 13;

struct ServerInstance final : Instance {
	using Instance::Instance;

	void set_property(uint32_t index, Variant value) override;
};

struct ConfigInstance final : Instance {
	using Instance::Instance;
	void object_freed() override;

	// Any value is taken, as from any Resource; one that no call will accept is said where it is set.
	void set_property(uint32_t index, Variant value) override;

private:
	bool is_inherited_by(uint32_t index, Variant other) const;
};

struct WorldInstance final : Instance {
	using Instance::Instance;

	// With the project's default config, which holds for an NPC that has no node.
	int64_t signature(const Values &values) const override;
	Variant configuration(const Values &values, SharedValues &shared) const override;
	uint64_t order_key(const Values &) const override { return WORLD_KEY; }
};

struct NodeInstance final : Instance {
	NodeInstance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);

	void object_freed() override;
	void notification(int32_t what) override;
	void prepare_call() override;
	void set_property(uint32_t index, Variant value) override;
	int64_t signature(const Values &values) const override;
	Variant configuration(const Values &values, SharedValues &shared) const override;
	uint64_t order_key(const Values &values) const override; // nodes of one NPC share it
	Variant npc_id() const override { return get_property(NPC_ID); }

private:
	static Values with_config(Values values);

	bool is_checked = false; // for a twin; for the main thread
};

bool is_in_range(const Variant &value, const AllowedValues &allowed) {
	const double number = value.to_number();
	return number >= allowed.least && number <= allowed.most; // NaN is not
}

bool has_allowed_items(Variant dictionary, const AllowedValues &allowed) {
	bool ok = false;
	const Variant keys = dictionary.call(StringName("keys"), {}, ok);
	const Variant items = dictionary.call(StringName("values"), {}, ok);
	for (int64_t i = 0; i < keys.array_size(); i++) {
		const GDExtensionVariantType key = keys.at(i).type();
		const Variant item = items.at(i);
		const bool is_number = allowed.item == GDEXTENSION_VARIANT_TYPE_INT;
		if ((key != GDEXTENSION_VARIANT_TYPE_STRING && key != GDEXTENSION_VARIANT_TYPE_STRING_NAME) ||
				item.type() != allowed.item || (is_number && !is_in_range(item, allowed))) {
			return false;
		}
	}
	return true;
}

bool is_allowed(const Variant &value, const AllowedValues &allowed) {
	if (value.type() == GDEXTENSION_VARIANT_TYPE_DICTIONARY) {
		return has_allowed_items(value, allowed);
	}
	if (value.type() != GDEXTENSION_VARIANT_TYPE_ARRAY) {
		return is_in_range(value, allowed);
	}
	for (int64_t i = 0; i < value.array_size(); i++) {
		if (!is_in_range(value.at(i), allowed)) {
			return false;
		}
	}
	return value.array_size() == allowed.count;
}

void ServerInstance::set_property(uint32_t index, Variant value) {
	if (value.type() == GDEXTENSION_VARIANT_TYPE_OBJECT && value.to_object() == nullptr) {
		value = Variant(); // what load() returns without a file, and an object that was freed
	}
	if (index == EMBEDDING_MODEL) {
		if (host->set_embedding_model(value)) {
			Instance::set_property(index, std::move(value));
		}
		return;
	}
	if (index == CALENDAR) { // the engine has checked its class
		Instance::set_property(index, std::move(value));
		return;
	}
	const std::string name = declaration.properties[index].name;
	const GDExtensionVariantType type = value.type();
	if (type != GDEXTENSION_VARIANT_TYPE_CALLABLE && type != GDEXTENSION_VARIANT_TYPE_NIL && !does_work(value)) {
		push_error("MemoryServer." + name + " cannot be " + value.shown() + ". It has to be a Callable, an NPCLanguageModel, or null.");
		return;
	}
	host->set_function(index, value, name);
	Instance::set_property(index, std::move(value));
}

void ConfigInstance::object_freed() {
	host->release(*this);
}

// Whether a config would inherit itself, perhaps by way of others.
bool ConfigInstance::is_inherited_by(uint32_t index, Variant other) const {
	while (other.to_object() != nullptr) {
		const Instance *const instance = instance_of(other.to_object());
		if (instance == this) {
			return true;
		}
		if (instance == nullptr || &instance->declaration != &declaration) {
			return false;
		}
		other = instance->get_property(index);
	}
	return false;
}

void ConfigInstance::set_property(uint32_t index, Variant value) {
	const PropertyDeclaration &property = declaration.properties[index];
	if (is_config(property.type) && is_inherited_by(index, value)) {
		push_error(std::string(declaration.name) + "." + property.name + " is left as it was: this config would inherit itself. Inherit a config that does not inherit this one.");
		return;
	}
	const AllowedValues &allowed = property.allowed;
	// The editor has the inspector and the Scene dock say so, and as long as it holds.
	if (allowed.words != nullptr && !is_in_editor() && !is_allowed(value, allowed)) {
		push_warning(std::string(declaration.name) + "." + property.name + " is set to " + value.shown() +
				", but allowed is " + allowed.words + ": every call that uses this config fails until it is set right.");
	}
	Instance::set_property(index, std::move(value));
}

int64_t WorldInstance::signature(const Values &of) const {
	return combine(Instance::signature(of), signature_of_config(host->get_default_config()));
}

Variant WorldInstance::configuration(const Values &of, SharedValues &shared) const {
	Variant result = Instance::configuration(of, shared);
	result.set_key("npc_config", values_of_config(host->get_default_config(), shared));
	return result;
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

// At the first call rather than when it enters the tree: a scene's script may set the npc_id in _ready().
void NodeInstance::prepare_call() {
	if (!is_checked && host->is_main_thread() && !is_in_editor()) {
		is_checked = host->check_twin(*this);
	}
}

// Others may speak of the NPC, and it may hear them, before the first call of the node.
void NodeInstance::set_property(uint32_t index, Variant value) {
	Instance::set_property(index, std::move(value));
	if ((index == NPC_ID || index == SENSES) && !is_in_editor()) {
		host->note_changed(*this);
	}
}

Instance::Values NodeInstance::with_config(Values of) {
	if (of[CONFIG].to_object() == nullptr) {
		of[CONFIG] = host->get_default_config();
	}
	return of;
}

int64_t NodeInstance::signature(const Values &of) const {
	return Instance::signature(with_config(of));
}

Variant NodeInstance::configuration(const Values &of, SharedValues &shared) const {
	return Instance::configuration(with_config(of), shared);
}

uint64_t NodeInstance::order_key(const Values &of) const {
	const uint64_t name = std::hash<std::string>()(npc_key(of[NPC_ID].to_string()));
	return (name << 1 | (of[PERSISTENT].to_bool() ? 1 : 0)) | 1ULL << 63;
}

std::shared_ptr<Instance> create_instance(const ClassDeclaration &declaration, GDExtensionObjectPtr object) {
	switch (declaration.role) {
		case ClassRole::REQUEST:
			return std::make_shared<RequestInstance>(declaration, object);
		case ClassRole::NODE:
			return std::make_shared<NodeInstance>(declaration, object);
		case ClassRole::MIND:
			return std::make_shared<MindInstance>(declaration, object);
		case ClassRole::CONFIG:
			return std::make_shared<ConfigInstance>(declaration, object);
		case ClassRole::SERVER:
			return std::make_shared<ServerInstance>(declaration, object);
		case ClassRole::WORLD:
			return std::make_shared<WorldInstance>(declaration, object);
	}
	return nullptr;
}

} // namespace

GDExtensionObjectPtr create_object(const ClassDeclaration &declaration, bool notify_postinitialize) {
	GDExtensionObjectPtr object = godot.classdb_construct_object2(StringName(declaration.base).get());
	attach(create_instance(declaration, object));
	if (notify_postinitialize) {
		send_postinitialize(object);
	}
	return object;
}

} // namespace rag_memory
