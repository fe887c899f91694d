#include "engine/runtime_check.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/checksum.h"

namespace rag_memory {

namespace {

constexpr const char *MANIFEST = "manifest.txt";
constexpr const char *INCOMPLETE = " is incomplete";
constexpr size_t READ_AT_ONCE = 1 << 18;
constexpr size_t TOLD_FILES = 3;

std::filesystem::path path_of(const std::string &utf8) {
	return std::filesystem::u8path(utf8);
}

uint32_t checksum_of(const std::filesystem::path &file) {
	Checksum checksum;
	std::ifstream stream(file, std::ios::binary);
	std::vector<char> buffer(READ_AT_ONCE);
	while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || stream.gcount() > 0) {
		checksum.add(buffer.data(), static_cast<size_t>(stream.gcount()));
	}
	return checksum.value();
}

std::string content_of(const std::filesystem::path &file) {
	std::ifstream stream(file, std::ios::binary);
	return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

// Takes a number and what ends it off the front. Not with a stream: the engine's copy of the C++ library and this one's
// share the identities of their facets, and then streams read no numbers.
bool take_number(std::string_view &text, int base, char end, uintmax_t &number) {
	const char *const last = text.data() + text.size();
	const std::from_chars_result read = std::from_chars(text.data(), last, number, base);
	if (read.ec != std::errc() || read.ptr == last || *read.ptr != end) {
		return false;
	}
	text.remove_prefix(static_cast<size_t>(read.ptr - text.data()) + 1);
	return true;
}

bool is_library(const std::string &name) {
	for (const char *ending : {".so", ".dll", ".pyd", ".dylib"}) {
		if (name.find(ending) != std::string::npos) {
			return true;
		}
	}
	return false;
}

// A signature stands at the end of a Windows library, which it makes longer.
bool can_be_signed(const std::string &name) {
	const std::string ending = name.substr(std::min(name.rfind('.'), name.size()));
	return ending == ".dll" || ending == ".pyd";
}

// What tells this installation from others: where it lies, what it should hold, and when it was put there.
std::string installation(const RuntimeFolders &folders, const std::string &manifest) {
	Checksum checksum;
	checksum.add(manifest.data(), manifest.size());
	std::error_code error;
	const auto written = std::filesystem::last_write_time(path_of(folders.runtime) / MANIFEST, error).time_since_epoch().count();
	return folders.runtime + "\n" + std::to_string(checksum.value()) + " " + std::to_string(manifest.size()) + " " + std::to_string(static_cast<long long>(written)) + "\n";
}

} // namespace

std::string check_runtime(const RuntimeFolders &folders) {
	const std::filesystem::path runtime = path_of(folders.runtime);
	const std::string manifest = content_of(runtime / MANIFEST);
	if (manifest.empty()) {
		return "there is no " + folders.runtime + "/" + MANIFEST;
	}
	const std::string seen = installation(folders, manifest);
	// In the project itself the runtime was staged just now, and by nobody else.
	const bool is_whole = !folders.development_source.empty() || content_of(path_of(folders.checked_runtime)) == seen;
	std::string faults;
	size_t faulty = 0;
	std::string_view rest = manifest;
	uintmax_t listed = 0;
	if (!take_number(rest, 10, '\n', listed) || listed == 0) {
		return folders.runtime + "/" + MANIFEST + INCOMPLETE;
	}
	for (; listed > 0; listed--) {
		uintmax_t checksum = 0;
		uintmax_t size = 0;
		const bool is_read = take_number(rest, 16, ' ', checksum) && take_number(rest, 10, ' ', size);
		const size_t end = rest.find('\n');
		if (!is_read || end == std::string_view::npos) {
			return folders.runtime + "/" + MANIFEST + INCOMPLETE;
		}
		const std::string name(rest.substr(0, end));
		rest.remove_prefix(end + 1);
		if (is_whole && !is_library(name)) {
			continue;
		}
		std::error_code error;
		const std::filesystem::path file = runtime / path_of(name);
		const uintmax_t size_found = std::filesystem::file_size(file, error);
		std::string fault;
		// Whoever exports a game for macOS signs its libraries, which changes them: runtime_manifest.py gives no size.
		const bool may_change = size == 0 && is_library(name);
		if (error || (may_change && size_found == 0)) {
			fault = "is missing";
		} else if (may_change || (can_be_signed(name) && size_found > size)) {
			continue;
		} else if (size_found != size) {
			fault = "has " + std::to_string(size_found) + " bytes instead of " + std::to_string(size);
		} else if (!is_whole && checksum_of(file) != checksum) {
			fault = "is not what it was";
		}
		if (!fault.empty() && ++faulty <= TOLD_FILES) {
			faults += (faulty > 1 ? ", " : "") + name + " " + fault;
		}
	}
	if (faulty > TOLD_FILES) {
		faults += " and " + std::to_string(faulty - TOLD_FILES) + " more";
	}
	if (faulty == 0 && !is_whole) {
		std::ofstream(path_of(folders.checked_runtime), std::ios::binary) << seen; // where it cannot, it checks each time
	}
	return faults.empty() ? "" : "in " + folders.runtime + ", " + faults;
}

} // namespace rag_memory
