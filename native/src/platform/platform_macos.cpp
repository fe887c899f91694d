// Written from Apple's documentation; it compiles, but nobody has run it yet (docs/porting.md).
#ifdef __APPLE__

#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <pthread.h>
#include <pthread/qos.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "platform/platform.h"

namespace rag_memory::platform {

const char *const RUNTIME_NAME = "macos_universal";
const char *const LIBPYTHON = "lib/librag_memory_python.dylib";

std::string own_library() {
	Dl_info info = {};
	dladdr(reinterpret_cast<const void *>(&own_library), &info);
	return info.dli_fname;
}

// An application's libraries lie in Contents/Frameworks, where everything is taken for code; data has its own folder.
std::string exported_data(const std::string &library_folder) {
	return library_folder.substr(0, library_folder.find_last_of('/')) + "/Resources/rag_memory";
}

void keep_loaded() {
	dlopen(own_library().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

bool exists(const std::string &path) {
	struct stat status;
	return stat(path.c_str(), &status) == 0;
}

bool is_too_long_for_the_runtime(const std::string &) {
	return false;
}

void name_this_thread(const char *name) {
	pthread_setname_np(name);
}

void yield_to_the_game() {
	pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
}

void let_long_writes_fail() {
	struct sigaction set = {};
	if (sigaction(SIGXFSZ, nullptr, &set) == 0 && (set.sa_flags & SA_SIGINFO) == 0 && set.sa_handler == SIG_DFL) {
		set.sa_handler = SIG_IGN;
		sigaction(SIGXFSZ, &set, nullptr);
	}
}

Doorbell::Doorbell() :
		handle(dispatch_semaphore_create(0)) {}

Doorbell::~Doorbell() {
	dispatch_release(static_cast<dispatch_semaphore_t>(handle));
}

void Doorbell::ring() {
	dispatch_semaphore_signal(static_cast<dispatch_semaphore_t>(handle));
}

void Doorbell::wait(std::chrono::steady_clock::time_point until) {
	dispatch_time_t limit = DISPATCH_TIME_FOREVER;
	if (until != std::chrono::steady_clock::time_point::max()) {
		const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now());
		limit = dispatch_time(DISPATCH_TIME_NOW, std::max<int64_t>(left.count(), 0));
	}
	// It counts: what rang several times would wake as often.
	if (dispatch_semaphore_wait(static_cast<dispatch_semaphore_t>(handle), limit) == 0) {
		while (dispatch_semaphore_wait(static_cast<dispatch_semaphore_t>(handle), DISPATCH_TIME_NOW) == 0) {
		}
	}
}

// Python's extension modules name no library for Python's symbols: dyld looks through all that are global.
void *open_library(const std::string &file, std::string &error) {
	void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (library == nullptr) {
		const char *reason = dlerror();
		error = reason != nullptr ? reason : "unknown reason";
	}
	return library;
}

void *find_symbol(void *library, const char *name) {
	return dlsym(library, name);
}

// A module remembers which library each of its other symbols comes from. Without a flag its own would be global.
int extension_module_flags() {
	return RTLD_NOW | RTLD_LOCAL;
}

UsableStandardStreams::UsableStandardStreams() = default;

UsableStandardStreams::~UsableStandardStreams() = default;

} // namespace rag_memory::platform

#endif
