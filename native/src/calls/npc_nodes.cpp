#include "calls/npc_nodes.h"

#include "calls/instance.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

Variant ask(GDExtensionObjectPtr node, const char *method) {
	bool ok = false;
	return Variant::from_object(node).call(StringName(method), {}, ok);
}

bool is_inside_tree(GDExtensionObjectPtr node) {
	return ask(node, "is_inside_tree").to_bool();
}

// Whether the node goes at the end of the frame, alone or with the scene that it is in.
bool is_leaving(GDExtensionObjectPtr node) {
	for (Variant next = Variant::from_object(node); next.to_object() != nullptr; next = ask(next.to_object(), "get_parent")) {
		if (ask(next.to_object(), "is_queued_for_deletion").to_bool()) {
			return true;
		}
	}
	return false;
}

std::string path_of(GDExtensionObjectPtr node) {
	return ask(node, "get_path").to_string();
}

} // namespace

std::string path_in_edited_scene(GDExtensionObjectPtr node, bool is_main_thread) {
	if (!is_main_thread) {
		return is_inside_tree(node) ? ask(node, "get_name").to_string() : "";
	}
	if (!ask(node, "is_part_of_edited_scene").to_bool()) {
		return "";
	}
	bool ok = false;
	Variant root = Variant::from_object(ask(node, "get_tree").to_object()).call(StringName("get_edited_scene_root"), {}, ok);
	const std::string name = ask(root.to_object(), "get_name").to_string();
	const std::string below = root.call(StringName("get_path_to"), {Variant::from_object(node)}, ok).to_string();
	return below == "." ? name : name + "/" + below;
}

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

bool NpcNodes::check_twin(GDExtensionObjectPtr node, const std::string &npc_id) {
	if (!is_inside_tree(node)) {
		return false;
	}
	const uint64_t id = instance_of(node)->id;
	const auto [entry, is_first] = checked.emplace(npc_id, id);
	if (is_first || entry->second == 0) {
		return true;
	}
	const GDExtensionObjectPtr other = godot.object_get_instance_from_id(entry->second);
	const bool is_twin = other != nullptr && other != node && instance_of(other)->npc_id().to_string() == npc_id &&
			is_inside_tree(other) && !is_leaving(other);
	entry->second = is_twin ? 0 : id;
	if (is_twin) {
		push_warning("RAGMemory: " + path_of(other) + " and " + path_of(node) + " have the npc_id \"" + npc_id +
				"\", so they are one NPC: what happens to one, both remember. If they are two, give one of them another npc_id, for example \"" +
				npc_id + "_2\".");
	}
	return true;
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
