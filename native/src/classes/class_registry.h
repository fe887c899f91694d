// Registers the declared classes with the engine and dispatches calls of their methods.
#pragma once

namespace rag_memory {

void register_classes();
void unregister_classes();
// Adds the F1-help pages; only the editor can take them, and only at its own level.
void register_help();

} // namespace rag_memory
