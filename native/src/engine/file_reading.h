// Reading a file of the game with the engine, which alone can look into a pack.
#pragma once

#include <string>

#include "engine/variant.h"

namespace rag_memory {

// Whether a String that may be a text or a path is a path.
bool is_engine_path(const std::string &text);
// What the worker gets instead of a path: a Dictionary with `path` and either `bytes` or `error`, why it cannot be read.
// Reads nothing outside of the game's folders: paths may come from a mod or a server.
// On any thread.
Variant read_file(const std::string &path);

} // namespace rag_memory
