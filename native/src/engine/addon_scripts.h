// The parts of the addon that are GDScript and that the engine reaches through the native classes. They are
// found by path and may be missing: an exported game has none of them.
#pragma once

#include "engine/variant.h"

namespace rag_memory {

// Makes the object that reports to the debugger and to Performance; null when there is no such script.
Variant start_live_report();

// What the editor shows as warnings of a node, as a PackedStringArray.
Variant configuration_warnings(GDExtensionObjectPtr node);

// Lets go of the scripts while their language still exists.
void release_addon_scripts();

} // namespace rag_memory
