// A python.exe for tests on Windows. It starts the staged runtime as native/src/python/python_runtime.cpp does.
// "python.txt" beside it, in UTF-8, names the folder of the runtime, then one folder of modules per line; those of
// PYTHONPATH come before them. Child processes of the tests start it as sys.executable.

#include <Python.h>

#include <windows.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const DWORD PATH_SIZE = 1 << 15;
HMODULE python = nullptr;

template <typename Function>
Function *function(const char *name) {
	return reinterpret_cast<Function *>(reinterpret_cast<void *>(GetProcAddress(python, name)));
}

#define PYTHON(name) function<decltype(name)>(#name)

fs::path own_file() {
	std::wstring file(PATH_SIZE, L'\0');
	file.resize(GetModuleFileNameW(nullptr, file.data(), PATH_SIZE));
	return file;
}

std::vector<std::wstring> written_folders(const fs::path &file) {
	std::vector<std::wstring> folders;
	std::ifstream stream(file);
	for (std::string line; std::getline(stream, line);) {
		folders.push_back(fs::u8path(line).wstring());
	}
	return folders;
}

std::vector<std::wstring> folders_of_variable(const wchar_t *name) {
	std::wstring value(PATH_SIZE, L'\0');
	value.resize(GetEnvironmentVariableW(name, value.data(), PATH_SIZE));
	std::vector<std::wstring> folders;
	for (size_t begin = 0; begin < value.size();) {
		const size_t end = std::min(value.find(L';', begin), value.size());
		folders.push_back(value.substr(begin, end - begin));
		begin = end + 1;
	}
	return folders;
}

int failed(const char *what, const char *why) {
	std::fprintf(stderr, "%s: %s\n", what, why);
	return 3;
}

} // namespace

int wmain(int argc, wchar_t **argv) {
	const fs::path executable = own_file();
	std::vector<std::wstring> folders = written_folders(executable.parent_path() / "python.txt");
	if (folders.empty()) {
		return failed("python.txt", "it is empty or not there");
	}
	const fs::path runtime = folders.front();
	const fs::path libraries = runtime / "lib";
	python = LoadLibraryExW((libraries / "rmpy311.dll").c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
	if (python == nullptr) {
		return failed("rmpy311.dll", ("error " + std::to_string(GetLastError())).c_str());
	}
	AddDllDirectory(libraries.c_str());

	PyPreConfig preconfig;
	PYTHON(PyPreConfig_InitIsolatedConfig)(&preconfig);
	preconfig.utf8_mode = 1;
	PYTHON(Py_PreInitialize)(&preconfig);
	PyConfig config;
	PYTHON(PyConfig_InitIsolatedConfig)(&config);
	config.parse_argv = 1;
	config.site_import = 0;
	config.write_bytecode = 0;
	config.pathconfig_warnings = 0;
	config.configure_c_stdio = 1;
	const auto set = PYTHON(PyConfig_SetString);
	for (wchar_t **field : {&config.prefix, &config.exec_prefix, &config.base_prefix, &config.base_exec_prefix}) {
		set(&config, field, runtime.c_str());
	}
	for (wchar_t **field : {&config.executable, &config.base_executable, &config.program_name}) {
		set(&config, field, executable.c_str());
	}
	std::vector<std::wstring> search_paths = folders_of_variable(L"PYTHONPATH");
	search_paths.insert(search_paths.end(), folders.begin() + 1, folders.end());
	for (const fs::path &folder : {runtime / "stdlib", runtime / "stdlib" / "lib-dynload", runtime / "site-packages"}) {
		search_paths.push_back(folder.wstring());
	}
	config.module_search_paths_set = 1;
	for (const std::wstring &path : search_paths) {
		PYTHON(PyWideStringList_Append)(&config.module_search_paths, path.c_str());
	}
	PYTHON(PyConfig_SetArgv)(&config, argc, argv);
	const PyStatus status = PYTHON(Py_InitializeFromConfig)(&config);
	if (PYTHON(PyStatus_Exception)(status)) {
		return failed("Python does not start", status.err_msg != nullptr ? status.err_msg : "unknown reason");
	}
	return PYTHON(Py_RunMain)();
}
