// What a title menu asks before anything was stored: which saves are in files. Python's rules are in
// python/rag_memory/godot/save_folder.py; what these functions cannot tell for sure is left to them.
#pragma once

#include <string>

#include "engine/variant.h"

namespace rag_memory {

// Whether there is a save with this id, as a bool; null when only Python can tell.
Variant has_save_file(const std::string &save_id);
// The ids of all saves, as a PackedStringArray; null when only Python can tell.
Variant list_save_files();

} // namespace rag_memory
