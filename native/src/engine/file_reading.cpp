#include "engine/file_reading.h"

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr int64_t MOST_BYTES = 32 << 20;
constexpr int64_t MIBIBYTE = 1 << 20;
constexpr int64_t READ = 1; // FileAccess.READ
constexpr int64_t ERR_FILE_NOT_FOUND = 7;
constexpr int64_t ERR_FILE_NO_PERMISSION = 10;

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
	const Variant file = opened(name);
	std::string error;
	const Variant bytes = file.to_object() == nullptr ? Variant() : content_of(file, error);
	if (file.to_object() == nullptr) {
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
