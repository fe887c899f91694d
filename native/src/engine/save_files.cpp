#include "engine/save_files.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/declaration.h"
#include "engine/settings.h"
#include "engine/utf8.h"

namespace rag_memory {

namespace {

namespace fs = std::filesystem;

// Within the limits of rag_memory/storage/file_name.py, and of Windows for a path without a prefix.
constexpr size_t LONGEST_ID = 200;
constexpr size_t LONGEST_PATH = 240;

bool is_plain(uint32_t letter) {
	static const std::string forbidden = "/\\:*?\"<>|";
	return letter >= 32 && (letter > 127 || forbidden.find(static_cast<char>(letter)) == std::string::npos);
}

// Windows takes these names for devices, with any ending.
bool may_be_device(const std::string &id) {
#ifdef _WIN32
	std::string start = id.substr(0, 3);
	std::transform(start.begin(), start.end(), start.begin(), [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
	return start == "CON" || start == "PRN" || start == "AUX" || start == "NUL" || start == "COM" || start == "LPT";
#else
	static_cast<void>(id);
	return false;
#endif
}

// Whether Python certainly takes this for the id of a save.
bool is_surely_id(const std::string &id) {
	std::vector<uint32_t> letters;
	return !id.empty() && id.size() <= LONGEST_ID && read_utf8(id, letters) && std::all_of(letters.begin(), letters.end(), is_plain) &&
			id.front() != '.' && id.back() != '.' && !is_blank(letters.front()) && !is_blank(letters.back()) && !may_be_device(id);
}

// Only a file, and no link to one: see save_folder.py.
Variant is_save(const fs::path &path) {
	std::error_code error;
	const fs::file_status status = fs::symlink_status(path, error);
	if (status.type() == fs::file_type::none || path.native().size() > LONGEST_PATH) {
		return Variant();
	}
	return Variant::from_bool(status.type() == fs::file_type::regular);
}

} // namespace

Variant has_save_file(const std::string &save_id) {
	if (!is_surely_id(save_id)) {
		return Variant();
	}
	return is_save(fs::u8path(saves_folder_setting() + "/" + save_id + SAVE_SUFFIX));
}

Variant list_save_files() {
	const std::string suffix = SAVE_SUFFIX;
	std::vector<std::string> ids;
	try {
		const fs::path folder = fs::u8path(saves_folder_setting());
		if (fs::status(folder).type() != fs::file_type::not_found) {
			for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
				const std::string name = entry.path().filename().u8string();
				if (name.size() < suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) {
					continue;
				}
				const std::string id = name.substr(0, name.size() - suffix.size());
				const Variant is_one = is_save(entry.path());
				if (is_one.type() == GDEXTENSION_VARIANT_TYPE_NIL || !is_surely_id(id)) {
					return Variant();
				}
				if (is_one.to_bool()) {
					ids.push_back(id);
				}
			}
		}
	} catch (const std::exception &) { // a folder that cannot be read, a name that is no text
		return Variant();
	}
	std::sort(ids.begin(), ids.end());
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
	for (const std::string &id : ids) {
		result.append(Variant::from_string(id));
	}
	return result;
}

} // namespace rag_memory
