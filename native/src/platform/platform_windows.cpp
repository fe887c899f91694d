// Written from Microsoft's documentation; tried under Wine, but never with an engine (docs/porting.md).
#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>

#include "platform/platform.h"

namespace rag_memory::platform {

const char *const RUNTIME_NAME = "windows_x86_64";
// Extension modules name this file as the one they need, so it keeps the name it was built with.
const char *const LIBPYTHON = "lib/python311.dll";

namespace {

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

std::string last_error() {
	const DWORD code = GetLastError();
	wchar_t *message = nullptr;
	const DWORD size = FormatMessageW(FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
			nullptr, code, 0, reinterpret_cast<LPWSTR>(&message), 0, nullptr);
	std::string text = size > 0 ? to_utf8(std::wstring(message, size)) : "error";
	LocalFree(message);
	text.erase(text.find_last_not_of(" .\r\n") + 1);
	return text + " (code " + std::to_string(code) + ")";
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

void *open_library(const std::string &file, std::string &error) {
	// Its own folder is searched for what it needs; the working directory and PATH are not.
	const HMODULE library =
			LoadLibraryExW(native_path(file).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
	if (library == nullptr) {
		error = file + ": " + last_error();
	}
	return library;
}

void *find_symbol(void *library, const char *name) {
	return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library), name));
}

// A module names the library of each symbol it needs.
int extension_module_flags() {
	return 0;
}

} // namespace rag_memory::platform

#endif
