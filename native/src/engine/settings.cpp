#include "engine/settings.h"

#include "engine/engine_calls.h"
#include "engine/file_reading.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr const char *TIMEOUT_SETTING = "rag_memory/request_timeout_seconds";
constexpr double DEFAULT_TIMEOUT_SECONDS = 30.0;
constexpr const char *SAVES_FOLDER_SETTING = "rag_memory/saves_folder";
constexpr const char *DEFAULT_SAVES_FOLDER = "user://rag_memory";
constexpr const char *DEFAULT_CONFIG_SETTING = "rag_memory/default_config";
constexpr const char *VECTOR_INDEX_SETTING = "rag_memory/vector_index";
constexpr const char *DEFAULT_VECTOR_INDEX = "embedded";
constexpr const char *LANGUAGE_SETTING = "rag_memory/embedding/language";
constexpr const char *ENGLISH = "english";
constexpr const char *MULTILINGUAL = "multilingual";
constexpr const char *RULES_SETTING = "rag_memory/python/rules";
constexpr const char *PRELOAD_SETTING = "rag_memory/preload_at_game_start";

const std::string USER_FOLDER = "user://";

} // namespace

double request_timeout_setting() {
	const double seconds = project_setting(TIMEOUT_SETTING, Variant::from_float(DEFAULT_TIMEOUT_SECONDS)).to_number();
	return seconds > 0 ? seconds : DEFAULT_TIMEOUT_SECONDS;
}

namespace {

std::string read_saves_folder() {
	std::string folder = project_setting(SAVES_FOLDER_SETTING, Variant::from_string(DEFAULT_SAVES_FOLDER)).to_string();
	const bool is_in_user_folder = folder.compare(0, USER_FOLDER.size(), USER_FOLDER) == 0 && folder.find("..") == std::string::npos;
	// Of slashes and dots alone there is no folder of its own: "user:///" is the user's data itself.
	if (!is_in_user_folder || folder.find_first_not_of("/.", USER_FOLDER.size()) == std::string::npos) {
		push_error("RAG Memory: the project setting " + std::string(SAVES_FOLDER_SETTING) + " is \"" + folder +
				"\", but saves must be in a folder of the user's data. " + DEFAULT_SAVES_FOLDER +
				" is used instead. Set it to a path that begins with user://.");
		folder = DEFAULT_SAVES_FOLDER;
	}
	while (folder.back() == '/') {
		folder.pop_back();
	}
	return user_data_folder() + "/" + folder.substr(USER_FOLDER.size());
}

} // namespace

const std::string &saves_folder_setting() {
	static const std::string folder = read_saves_folder();
	return folder;
}

Variant default_config_setting() {
	const std::string path = project_setting(DEFAULT_CONFIG_SETTING, Variant::from_string("")).to_string();
	if (path.empty()) {
		return Variant();
	}
	const Variant loaded = load_resource(path);
	const TypeDeclaration config_type = {GDEXTENSION_VARIANT_TYPE_OBJECT, "MemoryConfig", 0, "", 0, GDEXTENSION_VARIANT_TYPE_NIL};
	Variant config;
	if (loaded.to_object() == nullptr || !loaded.convert_to(config_type, config)) {
		push_error("RAG Memory: the project setting " + std::string(DEFAULT_CONFIG_SETTING) + " is \"" + path +
				"\", which is no MemoryConfig. The defaults are used instead. Save a MemoryConfig there, or clear the setting.");
		return Variant();
	}
	return config;
}

std::string vector_index_setting() {
	return project_setting(VECTOR_INDEX_SETTING, Variant::from_string(DEFAULT_VECTOR_INDEX)).to_string();
}

std::string model_folder_setting() {
	const std::string language = project_setting(LANGUAGE_SETTING, Variant::from_string(ENGLISH)).to_string();
	if (language != ENGLISH && language != MULTILINGUAL) {
		push_error("RAG Memory: the project setting " + std::string(LANGUAGE_SETTING) + " is \"" + language +
				"\", which is neither \"" + ENGLISH + "\" nor \"" + MULTILINGUAL + "\". The model for English is used. Set it to one of these.");
	}
	return language == MULTILINGUAL ? MULTILINGUAL : "default";
}

std::vector<uint8_t> rules_setting() {
	const Variant paths = project_setting(RULES_SETTING, Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY));
	Variant files = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	if (paths.type() != GDEXTENSION_VARIANT_TYPE_ARRAY && paths.type() != GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY) {
		push_error("RAG Memory: the project setting " + std::string(RULES_SETTING) + " is \"" + paths.to_string() +
				"\", which is no Array of paths. No rules of the game are used. Write it as [\"res://rules/village.py\"].");
		return serialise(files);
	}
	for (int64_t index = 0; index < paths.array_size(); index++) {
		files.append(read_file(paths.at(index).to_string()));
	}
	return serialise(files);
}

bool preload_setting() {
	return project_setting(PRELOAD_SETTING, Variant::from_bool(false)).to_bool();
}

} // namespace rag_memory
