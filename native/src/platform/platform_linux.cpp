#ifdef __linux__

#include <dlfcn.h>
#include <elf.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>

#include "platform/platform.h"

namespace rag_memory::platform {

#if defined(__x86_64__)
const char *const RUNTIME_NAME = "linux_x86_64";
#elif defined(__aarch64__)
const char *const RUNTIME_NAME = "linux_arm64";
#else
#error "There is no runtime for this processor: see docs/porting.md"
#endif
const char *const LIBPYTHON = "lib/librag_memory_python.so";

namespace {

// The sanitizers' runtime cannot work with libraries that look up their own symbols first.
#ifdef RAG_MEMORY_SANITIZE
constexpr int OWN_SYMBOLS_FIRST = 0;
#else
constexpr int OWN_SYMBOLS_FIRST = RTLD_DEEPBIND;
#endif

// Loading a library that lacks its end (an interrupted copy) kills the process with SIGBUS; dlopen does not look.
bool is_truncated(const std::string &library_file) {
	std::ifstream file(library_file, std::ios::binary | std::ios::ate);
	const auto size = static_cast<uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
	Elf64_Ehdr header = {};
	file.seekg(0);
	if (!file.read(reinterpret_cast<char *>(&header), sizeof(header))) {
		return true;
	}
	uint64_t end = header.e_phoff + static_cast<uint64_t>(header.e_phnum) * sizeof(Elf64_Phdr);
	file.seekg(static_cast<std::streamoff>(header.e_phoff));
	for (int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment = {};
		if (!file.read(reinterpret_cast<char *>(&segment), sizeof(segment))) {
			return true;
		}
		end = std::max(end, segment.p_offset + segment.p_filesz);
	}
	return end > size;
}

// A Doorbell's state, which the kernel compares before it lets the thread sleep.
using BellState = std::atomic<uint32_t>;
static_assert(sizeof(BellState) == sizeof(uint32_t) && BellState::is_always_lock_free, "a futex is a plain 32-bit number");
constexpr uint32_t QUIET = 0;
constexpr uint32_t RUNG = 1;
constexpr uint32_t SLEEPING = 2;

constexpr int NICENESS = 10;

} // namespace

std::string own_library() {
	Dl_info info = {};
	dladdr(reinterpret_cast<const void *>(&own_library), &info);
	return info.dli_fname;
}

std::string exported_data(const std::string &library_folder) {
	return library_folder + "/rag_memory";
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
	pthread_setname_np(pthread_self(), name);
}

// On Linux each thread has a niceness and processors of its own. A thread of the game that wakes beside a nicer one
// still waits until that one has had its turn of some milliseconds, so one processor is left to the game alone.
void yield_to_the_game() {
	const auto thread = static_cast<id_t>(syscall(SYS_gettid));
	if (getpriority(PRIO_PROCESS, thread) < NICENESS) {
		setpriority(PRIO_PROCESS, thread, NICENESS);
	}
	cpu_set_t processors;
	if (sched_getaffinity(0, sizeof(processors), &processors) != 0 || CPU_COUNT(&processors) < 2) {
		return;
	}
	int first = 0;
	while (!CPU_ISSET(first, &processors)) {
		first++;
	}
	CPU_CLR(first, &processors);
	sched_setaffinity(0, sizeof(processors), &processors);
}

void let_long_writes_fail() {
	struct sigaction set = {};
	if (sigaction(SIGXFSZ, nullptr, &set) == 0 && (set.sa_flags & SA_SIGINFO) == 0 && set.sa_handler == SIG_DFL) {
		set.sa_handler = SIG_IGN;
		sigaction(SIGXFSZ, &set, nullptr);
	}
}

Doorbell::Doorbell() :
		handle(new BellState(QUIET)) {}

Doorbell::~Doorbell() {
	delete static_cast<BellState *>(handle);
}

void Doorbell::ring() {
	auto *state = static_cast<BellState *>(handle);
	if (state->exchange(RUNG) == SLEEPING) {
		syscall(SYS_futex, state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
	}
}

void Doorbell::wait(std::chrono::steady_clock::time_point until) {
	auto *state = static_cast<BellState *>(handle);
	uint32_t expected = QUIET;
	if (state->compare_exchange_strong(expected, SLEEPING)) {
		timespec limit = {};
		const bool is_limited = until != std::chrono::steady_clock::time_point::max();
		if (is_limited) {
			const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now());
			const auto nanoseconds = std::max<int64_t>(left.count(), 0);
			limit.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
			limit.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
		}
		syscall(SYS_futex, state, FUTEX_WAIT_PRIVATE, SLEEPING, is_limited ? &limit : nullptr, nullptr, 0);
	}
	state->store(QUIET);
}

void *open_library(const std::string &file, std::string &error) {
	if (is_truncated(file)) {
		error = file + " is incomplete";
		return nullptr;
	}
	void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS_FIRST);
	if (library == nullptr) {
		const char *reason = dlerror();
		error = reason != nullptr ? reason : "unknown reason";
	}
	return library;
}

void *find_symbol(void *library, const char *name) {
	return dlsym(library, name);
}

int extension_module_flags() {
	return OWN_SYMBOLS_FIRST == 0 ? 0 : RTLD_NOW | OWN_SYMBOLS_FIRST;
}

UsableStandardStreams::UsableStandardStreams() = default;

UsableStandardStreams::~UsableStandardStreams() = default;

} // namespace rag_memory::platform

#endif
