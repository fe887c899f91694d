#include "calls/mind_instance.h"

#include <string>
#include <utility>
#include <vector>

#include "calls/host.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr int32_t NOTIFICATION_ENTER_TREE = 10;
constexpr int32_t NOTIFICATION_READY = 13;
constexpr int32_t NOTIFICATION_PARENTED = 18;

Variant ask(Variant of, const char *method, const std::vector<Variant> &arguments = {}) {
	bool ok = false;
	return of.type() == GDEXTENSION_VARIANT_TYPE_OBJECT && of.to_object() != nullptr ? of.call(StringName(method), arguments, ok) : Variant();
}

bool is_memory(Variant node) {
	return ask(std::move(node), "is_class", {Variant::from_string("RAGMemory")}).to_bool();
}

// The first RAGMemory among the children of a node; null when there is none.
Variant memory_below(const Variant &node) {
	const Variant children = ask(node, "get_children");
	const int64_t count = children.type() == GDEXTENSION_VARIANT_TYPE_ARRAY ? children.array_size() : 0;
	for (int64_t i = 0; i < count; i++) {
		if (is_memory(children.at(i))) {
			return children.at(i);
		}
	}
	return Variant();
}

bool contains(Variant names, const Variant &name) {
	bool ok = false;
	return names.call(StringName("has"), {name}, ok).to_bool();
}

} // namespace

void MindInstance::notification(int32_t what) {
	if (what == NOTIFICATION_PARENTED) {
		forget_memory(); // it may be another NPC's now
	} else if (what == NOTIFICATION_ENTER_TREE && !is_in_editor()) {
		find_memory();
	} else if (what == NOTIFICATION_READY && !is_in_editor()) {
		host->introduce(*this);
	}
}

void MindInstance::object_freed() {
	host->release(*this);
}

void MindInstance::set_property(uint32_t index, Variant value) {
	Instance::set_property(index, std::move(value));
	if (index == MEMORY) {
		forget_memory();
	}
}

// The scene can be looked at on the main thread only; other threads use what it found last.
void MindInstance::prepare_call() {
	if (!host->is_main_thread()) {
		return;
	}
	if (get_memory() == nullptr) {
		find_memory();
	}
	look_around();
}

std::shared_ptr<Instance> MindInstance::get_memory() const {
	std::lock_guard<std::mutex> lock(mutex);
	return memory.lock();
}

void MindInstance::forget_memory() {
	std::lock_guard<std::mutex> lock(mutex);
	memory.reset();
}

void MindInstance::find_memory() {
	Variant found = get_property(MEMORY);
	const Variant self = Variant::from_object(object);
	if (found.to_object() == nullptr) {
		const Variant parent = ask(self, "get_parent");
		found = is_memory(parent) ? parent : memory_below(parent);
		if (found.to_object() == nullptr) {
			found = memory_below(self);
		}
	}
	const std::shared_ptr<Instance> instance = shared_instance_of(found.to_object());
	std::lock_guard<std::mutex> lock(mutex);
	memory = instance;
}

void MindInstance::look_around() {
	Variant names = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
	{
		std::lock_guard<std::mutex> lock(mutex);
		names = told_nearby.duplicate();
	}
	const Variant area = get_property(PROXIMITY_AREA);
	if (ask(area, "is_inside_tree").to_bool() && ask(area, "is_monitoring").to_bool()) {
		add_npcs(ask(area, "get_overlapping_bodies"), names);
		add_npcs(ask(area, "get_overlapping_areas"), names);
	}
	std::lock_guard<std::mutex> lock(mutex);
	nearby = names;
}

void MindInstance::add_npcs(const Variant &found, Variant &names) {
	const Variant own_id = npc_id();
	const int64_t count = found.type() == GDEXTENSION_VARIANT_TYPE_ARRAY ? found.array_size() : 0;
	for (int64_t i = 0; i < count; i++) {
		const Variant each = found.at(i);
		std::string name;
		const Variant meta = Variant::from_string("npc_id");
		if (ask(each, "has_meta", {meta}).to_bool()) {
			name = ask(each, "get_meta", {meta}).to_string();
		} else {
			const std::shared_ptr<Instance> theirs = shared_instance_of(memory_below(each).to_object());
			name = theirs == nullptr ? "" : theirs->npc_id().to_string();
		}
		const Variant text = Variant::from_string(name);
		bool ok = false;
		if (!name.empty() && name != own_id.to_string() && !contains(names, text)) {
			names.call(StringName("append"), {text}, ok);
		}
	}
}

Variant MindInstance::get_nearby() {
	if (host->is_main_thread()) {
		prepare_call();
	}
	std::lock_guard<std::mutex> lock(mutex);
	return nearby.duplicate();
}

void MindInstance::set_nearby(const Variant &npc_ids) {
	const Variant told = npc_ids.duplicate();
	std::lock_guard<std::mutex> lock(mutex);
	told_nearby = told;
	nearby = told;
}

int64_t MindInstance::signature(const Values &of) const {
	int64_t result = get_revision();
	const std::shared_ptr<Instance> known = get_memory();
	if (known != nullptr) {
		result = combine(combine(result, static_cast<int64_t>(known->id)), known->signature(known->get_values()));
	}
	result = combine(result, signature_of_config(of[MIND_CONFIG]));
	std::lock_guard<std::mutex> lock(mutex);
	return combine(result, nearby.hash());
}

Variant MindInstance::configuration(const Values &of, SharedValues &shared) const {
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	const std::shared_ptr<Instance> known = get_memory();
	result.set_key("memory", known == nullptr ? Variant() : known->configuration(known->get_values(), shared));
	result.set_key("memory_instance", Variant::from_int(known == nullptr ? 0 : static_cast<int64_t>(known->id)));
	result.set_key("config", values_of_config(of[MIND_CONFIG], shared));
	std::lock_guard<std::mutex> lock(mutex);
	result.set_key("nearby", nearby);
	return result;
}

uint64_t MindInstance::order_key(const Values &of) const {
	const std::shared_ptr<Instance> known = get_memory();
	return known == nullptr ? Instance::order_key(of) : known->order_key(known->get_values());
}

Variant MindInstance::npc_id() const {
	const std::shared_ptr<Instance> known = get_memory();
	return known == nullptr ? Instance::npc_id() : known->npc_id();
}

} // namespace rag_memory
