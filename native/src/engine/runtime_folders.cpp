#include "engine/runtime_folders.h"

#include <filesystem>
#include <system_error>

#include "engine/engine_calls.h"
#include "engine/settings.h"
#include "platform/platform.h"

namespace rag_memory {

namespace {

constexpr const char *PREPARED_SETTING = "rag_memory/prepared_saves_folder";
constexpr const char *DEFAULT_PREPARED_FOLDER = "res://prepared_saves";
constexpr const char *ADDON = "addons/rag_memory";
constexpr const char *CHECKED_RUNTIME = "/rag_memory_runtime_checked.txt";
constexpr const char *RESOURCE_PREFIX = "res://";
constexpr const char *PROJECT_REMEDY = "Install the addon again: delete the folder addons/rag_memory/ and unpack the addon's zip file, hidden files included.";
constexpr const char *REPOSITORY_REMEDY = "Install the addon again: run python3 build.py setup.";
constexpr const char *EXPORTED_REMEDY = "Install the game again: the whole folder as it was exported, not its program alone.";

std::string parent_of(const std::string &path) {
	return path.substr(0, path.find_last_of('/'));
}

std::string prepared_saves_of(const std::string &project) {
	const std::string folder = project_setting(PREPARED_SETTING, Variant::from_string(DEFAULT_PREPARED_FOLDER)).to_string();
	const std::string prefix = RESOURCE_PREFIX;
	return folder.compare(0, prefix.size(), prefix) == 0 ? project + "/" + folder.substr(prefix.size()) : folder;
}

// The project whose addon this library belongs to; empty in an exported game. The engine knows it: files that lie
// around an exported game, in its parent folder or in the working directory, must not make it one.
std::string project_of(const std::string &library_folder) {
	const auto project = std::filesystem::u8path(project_folder());
	std::error_code error;
	if (!project.is_absolute() || !std::filesystem::equivalent(project / ADDON / "bin", std::filesystem::u8path(library_folder), error)) {
		return "";
	}
	std::string folder = project.generic_u8string();
	while (folder.back() == '/' && folder.size() > 1) {
		folder.pop_back();
	}
	return folder;
}

// The addon's folder in a project, and what stands for it in an exported game, of which there is no project.
std::string data_of(const std::string &library_folder, const std::string &project) {
	return project.empty() ? platform::exported_data(library_folder) : parent_of(library_folder);
}

} // namespace

RuntimeFolders find_folders() {
	const std::string library_folder = parent_of(platform::own_library());
	const std::string project = project_of(library_folder);
	const std::string data = data_of(library_folder, project);
	RuntimeFolders folders;
	if (!project.empty()) {
		const std::string source = project + "/python";
		if (platform::exists(source + "/rag_memory/godot/bridge.py")) {
			folders.development_source = source;
		}
		folders.prepared_saves = prepared_saves_of(project);
		folders.remedy = folders.development_source.empty() ? PROJECT_REMEDY : REPOSITORY_REMEDY;
	} else {
		folders.prepared_saves = data + "/prepared_saves";
		folders.remedy = EXPORTED_REMEDY;
	}
	folders.runtime = data + "/runtime/" + platform::RUNTIME_NAME;
	folders.models = data + "/models/" + model_folder_setting();
	folders.saves = saves_folder_setting();
	folders.user_data = user_data_folder();
	folders.vector_index = vector_index_setting();
	folders.rules = rules_setting();
	folders.checked_runtime = folders.user_data + CHECKED_RUNTIME;
	return folders;
}

std::string server_part_folder() {
	const std::string library_folder = parent_of(platform::own_library());
	return data_of(library_folder, project_of(library_folder)) + "/server/" + platform::RUNTIME_NAME;
}

} // namespace rag_memory
