#include "calls/npc_nodes.h"

#include "calls/instance.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

bool is_inside_tree(GDExtensionObjectPtr node) {
	bool ok = false;
	return Variant::from_object(node).call(StringName("is_inside_tree"), {}, ok).to_bool();
}

} // namespace

Variant NpcNodes::node_of(const std::string &npc_id, const std::vector<uint64_t> &node_ids) {
	for (const uint64_t id : node_ids) {
		const GDExtensionObjectPtr object = godot.object_get_instance_from_id(id);
		if (object != nullptr && instance_of(object)->npc_id().to_string() == npc_id && is_inside_tree(object)) {
			return Variant::from_object(object);
		}
	}
	std::lock_guard<std::mutex> lock(mutex);
	const auto made = own.find(npc_id);
	if (made != own.end()) {
		const GDExtensionObjectPtr object = godot.object_get_instance_from_id(made->second);
		if (object != nullptr && instance_of(object)->npc_id().to_string() == npc_id) {
			return Variant::from_object(object);
		}
	}
	const GDExtensionObjectPtr object = godot.classdb_construct_object2(StringName("RAGMemory").get());
	send_postinitialize(object);
	Instance *instance = instance_of(object);
	instance->set_property(NPC_ID, Variant::from_string(npc_id));
	own[npc_id] = instance->id;
	return Variant::from_object(object);
}

void NpcNodes::free_all() {
	std::map<std::string, uint64_t> made;
	{
		std::lock_guard<std::mutex> lock(mutex);
		made.swap(own);
	}
	for (const auto &[npc_id, id] : made) {
		const GDExtensionObjectPtr object = godot.object_get_instance_from_id(id);
		if (object != nullptr && !is_inside_tree(object)) {
			bool ok = false;
			Variant::from_object(object).call(StringName("free"), {}, ok);
		}
	}
}

} // namespace rag_memory
