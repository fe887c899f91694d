#include "engine/file_reading.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr int64_t MOST_BYTES = 32 << 20;
constexpr int64_t MIBIBYTE = 1 << 20;
constexpr int64_t READ = 1; // FileAccess.READ
constexpr int64_t ERR_FILE_NOT_FOUND = 7;
constexpr int64_t ERR_FILE_NO_PERMISSION = 10;
const std::string USER_PREFIX = "user://";

GDExtensionMethodBindPtr method_of_file_access(const char *name, int64_t hash) {
	return godot.classdb_get_method_bind(StringName("FileAccess").get(), StringName(name).get(), hash);
}

// A FileAccess; null when the file cannot be opened.
Variant opened(const Variant &path) {
	static const GDExtensionMethodBindPtr open = method_of_file_access("open", ENGINE_HASHES.open);
	alignas(8) uint8_t string[TYPE_STORAGE_BYTES];
	path.to_type(GDEXTENSION_VARIANT_TYPE_STRING, string);
	const GDExtensionConstTypePtr arguments[] = {string, &READ};
	alignas(8) uint8_t reference[TYPE_STORAGE_BYTES] = {};
	godot.object_method_bind_ptrcall(open, nullptr, arguments, reference);
	godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_STRING)(string);
	const GDExtensionObjectPtr object = godot.ref_get_object(reference);
	const Variant file = object == nullptr ? Variant() : Variant::from_object(object);
	godot.ref_set_object(reference, nullptr);
	return file;
}

std::string why_not_opened() {
	static const GDExtensionMethodBindPtr get_open_error = method_of_file_access("get_open_error", ENGINE_HASHES.get_open_error);
	int64_t error = 0;
	godot.object_method_bind_ptrcall(get_open_error, nullptr, nullptr, &error);
	switch (error) {
		case ERR_FILE_NOT_FOUND:
			return "there is no such file";
		case ERR_FILE_NO_PERMISSION:
			return "it may not be read";
		default:
			return "it cannot be opened as a file (Error " + std::to_string(error) + ")";
	}
}

// The engine would read what lies outside: "res://../secret.txt".
bool goes_up(const std::string &path) {
	size_t begin = path.find("://") + 3;
	while (begin <= path.size()) {
		const size_t end = std::min(path.find_first_of("/\\", begin), path.size());
		if (path.compare(begin, end - begin, "..") == 0) {
			return true;
		}
		begin = end + 1;
	}
	return false;
}

// Whether a link in the user's data leads out of it: that folder also has what the player was given by others. What
// lies in res:// is the developer's own, and addons are often linked there.
bool leads_out(const std::string &path) {
	if (path.rfind(USER_PREFIX, 0) != 0) {
		return false;
	}
	std::error_code error;
	const std::filesystem::path folder = std::filesystem::canonical(std::filesystem::u8path(user_data_folder()), error);
	if (error) {
		return false; // there is no such folder, so there is nothing to read either
	}
	const std::filesystem::path file = std::filesystem::weakly_canonical(folder / std::filesystem::u8path(path.substr(USER_PREFIX.size())).relative_path(), error);
	if (error) {
		return true;
	}
	return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end();
}

std::string why_not_allowed(const std::string &path) {
	if (goes_up(path)) {
		return "its path has \"..\", which could lead out of the game's folder. Write the path without it";
	}
	return leads_out(path) ? "it is a link that leads out of the user's data. Copy the file to where the link is" : "";
}

// The bytes, or why there are none.
Variant content_of(Variant file, std::string &error) {
	bool ok = false;
	const int64_t length = file.call(StringName("get_length"), {}, ok).to_int();
	if (length > MOST_BYTES) {
		error = "it has " + std::to_string(length / MIBIBYTE) + " MiB, and " + std::to_string(MOST_BYTES / MIBIBYTE) + " is the most";
		return Variant();
	}
	const Variant bytes = file.call(StringName("get_buffer"), {Variant::from_int(length)}, ok);
	if (bytes.array_size() != length) {
		error = "it could not be read to its end";
	}
	return bytes;
}

} // namespace

bool is_engine_path(const std::string &text) {
	return (text.rfind("res://", 0) == 0 || text.rfind("user://", 0) == 0) && text.find('\n') == std::string::npos;
}

Variant read_file(const std::string &path) {
	const Variant name = Variant::from_string(path);
	std::string error = why_not_allowed(path);
	const Variant file = error.empty() ? opened(name) : Variant();
	const Variant bytes = file.to_object() == nullptr ? Variant() : content_of(file, error);
	if (error.empty() && file.to_object() == nullptr) {
		error = why_not_opened();
	}
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	result.set_key("path", name);
	if (error.empty()) {
		result.set_key("bytes", bytes);
	} else {
		result.set_key("error", Variant::from_string(error));
	}
	return result;
}

} // namespace rag_memory
