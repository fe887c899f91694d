// A GDExtension that does what another addon with Python in it does: it loads a libpython of its own for all to
// see and runs code on a thread of its own. The test says what and when, by environment variables and files.

#include "gdextension_interface.h"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace {

std::thread python_thread;
std::atomic<bool> is_engine_ending{false};

std::string variable(const char *name) {
	const char *value = std::getenv(name);
	return value == nullptr ? "" : value;
}

bool exists(const std::string &path) {
	return std::ifstream(path).good();
}

template <typename Function>
Function function(void *library, const char *name) {
	return reinterpret_cast<Function>(dlsym(library, name));
}

void say(const char *what) {
	std::printf("@second \"%s\"\n", what);
	std::fflush(stdout);
}

void pause() {
	std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void run() {
	const std::string folder = variable("SECOND_PYTHON_FOLDER");
	while (!exists(folder + "/begin")) {
		pause();
	}
	void *library = dlopen(variable("SECOND_PYTHON_LIBRARY").c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (library == nullptr) {
		say(dlerror());
		return;
	}
	const std::string home = variable("SECOND_PYTHON_HOME");
	static std::wstring wide_home(home.begin(), home.end());
	function<void (*)(const wchar_t *)>(library, "Py_SetPythonHome")(wide_home.c_str());
	function<void (*)(int)>(library, "Py_InitializeEx")(0);
	std::stringstream code;
	code << std::ifstream(variable("SECOND_PYTHON_CODE")).rdbuf();
	const int failed = function<int (*)(const char *)>(library, "PyRun_SimpleString")(code.str().c_str());
	say(failed == 0 ? "ran" : "failed");
	while (variable("SECOND_PYTHON_ENDS") == "last" && !is_engine_ending) {
		pause();
	}
	say(function<int (*)()>(library, "Py_FinalizeEx")() == 0 ? "ended" : "did not end");
	std::ofstream(folder + "/ended") << "yes";
}

void initialize(void *, GDExtensionInitializationLevel level) {
	if (level == GDEXTENSION_INITIALIZATION_SCENE) {
		python_thread = std::thread(run);
	}
}

void deinitialize(void *, GDExtensionInitializationLevel level) {
	if (level == GDEXTENSION_INITIALIZATION_SCENE) {
		is_engine_ending = true;
		python_thread.join();
	}
}

} // namespace

extern "C" __attribute__((visibility("default"))) GDExtensionBool second_python(
		GDExtensionInterfaceGetProcAddress, GDExtensionClassLibraryPtr, GDExtensionInitialization *initialization) {
	initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
	initialization->initialize = initialize;
	initialization->deinitialize = deinitialize;
	return 1;
}
