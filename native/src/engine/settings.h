// The project settings the host reads. The plugin's table (addons/rag_memory/editor/settings.gd) has the same
// names and defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

// In seconds; how long a call may wait while the worker makes no progress.
double request_timeout_setting();
// An absolute path; below the user's data folder whatever the setting says.
const std::string &saves_folder_setting(); // as it was when it was needed first
// A MemoryConfig for nodes that have none, or null.
Variant default_config_setting();
bool preload_setting();
// The files of the game's own rules, each as read_file() reads it, serialised.
std::vector<uint8_t> rules_setting();
// The name of the folder with the sentence model for the language that the project setting names.
std::string model_folder_setting();
// How memories are found; what is no mode is refused by the core.
std::string vector_index_setting();

} // namespace rag_memory
