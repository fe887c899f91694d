// Tested with the Windows engine under Wine; see docs/porting.md.
#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>

#include "platform/platform.h"

namespace rag_memory::platform {

const char *const RUNTIME_NAME = "windows_x86_64";
const char *const LIBPYTHON = "lib/rmpy311.dll";

namespace {

// Of the files below the runtime's folder.
constexpr size_t LONGEST_IN_THE_RUNTIME = 100;

std::wstring to_wide(const std::string &text) {
	const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
	std::wstring wide(static_cast<size_t>(size), L'\0');
	MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), wide.data(), size);
	return wide;
}

std::string to_utf8(const std::wstring &wide) {
	const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), static_cast<int>(wide.size()), nullptr, 0, nullptr, nullptr);
	std::string text(static_cast<size_t>(size), '\0');
	WideCharToMultiByte(CP_UTF8, 0, wide.data(), static_cast<int>(wide.size()), text.data(), size, nullptr, nullptr);
	return text;
}

std::wstring native_path(const std::string &path) {
	std::wstring wide = to_wide(path);
	std::replace(wide.begin(), wide.end(), L'/', L'\\');
	return wide;
}

HMODULE own_module(DWORD flags) {
	HMODULE module = nullptr;
	GetModuleHandleExW(flags | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, reinterpret_cast<LPCWSTR>(&own_module), &module);
	return module;
}

// Windows' own text is in the player's language.
std::string last_error() {
	const DWORD code = GetLastError();
	const char *reason = "Windows does not load it";
	switch (code) {
		case ERROR_FILE_NOT_FOUND:
		case ERROR_PATH_NOT_FOUND:
			reason = "it is missing";
			break;
		case ERROR_MOD_NOT_FOUND:
			reason = "a library it needs is missing";
			break;
		case ERROR_PROC_NOT_FOUND:
			reason = "a library it needs is another version, or Windows is too old";
			break;
		case ERROR_BAD_EXE_FORMAT:
		case ERROR_INVALID_EXE_SIGNATURE:
			reason = "it is incomplete or damaged";
			break;
		case ERROR_ACCESS_DENIED:
		case ERROR_SHARING_VIOLATION:
			reason = "another program, perhaps an antivirus one, keeps it from being read";
			break;
		case ERROR_VIRUS_INFECTED:
		case ERROR_VIRUS_DELETED:
			reason = "an antivirus program stops it";
			break;
		case ERROR_NOT_ENOUGH_MEMORY:
		case ERROR_COMMITMENT_LIMIT:
			reason = "there is not enough memory";
			break;
		default:
			break;
	}
	return std::string(reason) + " (Windows error " + std::to_string(code) + ")";
}

// Its own folder is searched for what it needs, then Windows' own; the game's folder, the working one and PATH are not.
HMODULE load(const std::string &file, std::string &error) {
	const HMODULE library =
			LoadLibraryExW(native_path(file).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
	if (library == nullptr) {
		error = file + ": " + last_error();
	}
	return library;
}

} // namespace

std::string own_library() {
	const HMODULE module = own_module(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT);
	std::wstring file(MAX_PATH, L'\0');
	DWORD size = GetModuleFileNameW(module, file.data(), static_cast<DWORD>(file.size()));
	while (size == file.size()) { // cut off: the path is longer
		file.resize(file.size() * 2);
		size = GetModuleFileNameW(module, file.data(), static_cast<DWORD>(file.size()));
	}
	file.resize(size);
	std::string path = to_utf8(file);
	std::replace(path.begin(), path.end(), '\\', '/');
	return path;
}

std::string exported_data(const std::string &library_folder) {
	return library_folder + "/rag_memory";
}

void keep_loaded() {
	own_module(GET_MODULE_HANDLE_EX_FLAG_PIN);
}

bool exists(const std::string &path) {
	return GetFileAttributesW(native_path(path).c_str()) != INVALID_FILE_ATTRIBUTES;
}

// Python puts its paths together in MAX_PATH characters, and does not start where that is not enough.
bool is_too_long_for_the_runtime(const std::string &folder) {
	return to_wide(folder).size() + LONGEST_IN_THE_RUNTIME >= MAX_PATH;
}

// Not every compiler's headers know the function, which is in kernel32 or, on older systems, in kernelbase only.
void name_this_thread(const char *name) {
	using Describe = HRESULT(WINAPI *)(HANDLE, PCWSTR);
	void *describe = find_symbol(GetModuleHandleW(L"kernelbase.dll"), "SetThreadDescription");
	if (describe != nullptr) {
		reinterpret_cast<Describe>(describe)(GetCurrentThread(), to_wide(name).c_str());
	}
}

void yield_to_the_game() {
	SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

void let_long_writes_fail() {} // they do

Doorbell::Doorbell() :
		handle(CreateEventW(nullptr, FALSE, FALSE, nullptr)) {}

Doorbell::~Doorbell() {
	CloseHandle(handle);
}

void Doorbell::ring() {
	SetEvent(handle);
}

void Doorbell::wait(std::chrono::steady_clock::time_point until) {
	DWORD limit = INFINITE;
	if (until != std::chrono::steady_clock::time_point::max()) {
		const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
		limit = static_cast<DWORD>(std::clamp<long long>(left, 0, INFINITE - 1));
	}
	WaitForSingleObject(handle, limit);
}

// Each library beside it is loaded too, by its path. Libraries ask for others by a name alone, and get one that is
// loaded before Windows searches any folder, the game's among them.
void *open_library(const std::string &file, std::string &error) {
	const std::string folder = file.substr(0, file.find_last_of('/') + 1);
	WIN32_FIND_DATAW found = {};
	const HANDLE search = FindFirstFileW(native_path(folder + "*.dll").c_str(), &found);
	if (search != INVALID_HANDLE_VALUE) {
		do {
			if (load(folder + to_utf8(found.cFileName), error) == nullptr) {
				FindClose(search);
				return nullptr;
			}
		} while (FindNextFileW(search, &found) != 0);
		FindClose(search);
	}
	return load(file, error);
}

void *find_symbol(void *library, const char *name) {
	return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library), name));
}

// A module names the library of each symbol it needs.
int extension_module_flags() {
	return 0;
}

// Wine lets nobody ask about a file that a standard stream was redirected to.
UsableStandardStreams::UsableStandardStreams() {
	for (int stream = 0; stream < 3; ++stream) {
		const auto file = reinterpret_cast<HANDLE>(_get_osfhandle(stream));
		BY_HANDLE_FILE_INFORMATION information;
		if (GetFileType(file) != FILE_TYPE_DISK || GetFileInformationByHandle(file, &information)) {
			continue;
		}
		const int nowhere = _open("NUL", _O_RDWR);
		kept[stream] = nowhere >= 0 ? _dup(stream) : -1;
		if (kept[stream] < 0) {
			continue;
		}
		// The engine may have a C library of its own, which writes to the same file.
		SetHandleInformation(file, HANDLE_FLAG_PROTECT_FROM_CLOSE, HANDLE_FLAG_PROTECT_FROM_CLOSE);
		_dup2(nowhere, stream);
		SetHandleInformation(file, HANDLE_FLAG_PROTECT_FROM_CLOSE, 0);
		_close(nowhere);
	}
}

UsableStandardStreams::~UsableStandardStreams() {
	for (int stream = 0; stream < 3; ++stream) {
		if (kept[stream] >= 0) {
			_dup2(kept[stream], stream);
			_close(kept[stream]);
		}
	}
}

} // namespace rag_memory::platform

#endif
