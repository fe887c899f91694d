// The embedding model that the game has set: an object of GDScript, which the worker asks on its own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

// Whether an object can be one.
bool is_embedding_model(const Variant &object);

// Sets it, on any thread; null for none. It is asked with the settings that it has now, from the command "describe" on.
void set_embedding_model(const Variant &object);

// Passes on a serialised [command, value]; what it answers, serialised. Empty when there is none. On the worker thread.
// Once `only_cancel`, nothing else is passed on: the game ends.
std::vector<uint8_t> ask_embedding_model(const uint8_t *command, size_t size, bool only_cancel);

// Lets go of it, when the worker has ended.
void release_embedding_model();

} // namespace rag_memory
