// Which spellings of an id are one NPC.
#pragma once

#include <string>

namespace rag_memory {

// The same text for all spellings of an id that normal_id() of python/rag_memory/ids.py takes for one NPC. Ids that
// differ in accents or blanks alone share it, too, so it is good for an order, and not for telling NPCs apart.
std::string npc_key(const std::string &npc_id);

} // namespace rag_memory
