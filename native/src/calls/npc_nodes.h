// The RAGMemory of an NPC by its id: the one in the scene, or one of our own that no scene has.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

class NpcNodes {
public:
	// Of `node_ids` the first that is in the scene tree and has this npc_id, else one that lives until free_all().
	Variant node_of(const std::string &npc_id, const std::vector<uint64_t> &node_ids);
	// Warns, once for each npc_id, of a node in the scene tree with the npc_id of another one there. On the main thread.
	// Returns false while the node is in no tree.
	bool check_twin(GDExtensionObjectPtr node, const std::string &npc_id);
	// Forgets which nodes were checked: another game is loaded, and the scene of the former one may be there still. On the
	// main thread.
	void forget_checked() { checked.clear(); }
	// Frees the nodes made here that nobody has added to a scene. On the main thread, before the engine goes away.
	void free_all();

private:
	std::mutex mutex;						 // guards what follows; held while a node is made, so that there is one for each NPC
	std::map<std::string, uint64_t> own;	 // ids of the nodes made here, by npc_id
	std::map<std::string, uint64_t> checked; // by npc_id the last node in a scene tree, 0 after a warning; for the main thread
};

// Where a node is in the scene that the editor edits, for people to read; empty when it is in none. Other threads than
// the main one cannot look: they take every node of a scene for one of these.
std::string path_in_edited_scene(GDExtensionObjectPtr node, bool is_main_thread);

} // namespace rag_memory
