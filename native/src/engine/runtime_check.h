// Whether the runtime arrived whole. The system ends a game that runs into the missing end of a library (SIGBUS), and
// damaged Python modules fail late and in strange words.
#pragma once

#include <string>

#include "engine/runtime_folders.h"

namespace rag_memory {

// Compares the runtime with its manifest (rag_memory_build/runtime_manifest.py): the sizes of its libraries each time,
// sizes and checksums of all files when this installation was not seen whole before; `checked_runtime` remembers that.
// Returns an empty string, or what is wrong.
std::string check_runtime(const RuntimeFolders &folders);

} // namespace rag_memory
