// What differs between operating systems. Each has one file, platform_<system>.cpp, that implements all of this.
// Paths are absolute, UTF-8, with '/' between the parts.
#pragma once

#include <chrono>
#include <string>

#if defined(_WIN32)
#define RAG_MEMORY_EXPORT extern "C" __declspec(dllexport)
#else
#define RAG_MEMORY_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace rag_memory::platform {

// The name of the folder that holds the runtime for this system and processor.
extern const char *const RUNTIME_NAME;
// Where libpython lies in that folder.
extern const char *const LIBPYTHON;

// The file this library was loaded from.
std::string own_library();

// Where an exported game keeps what belongs to the library that lies in `library_folder`.
std::string exported_data(const std::string &library_folder);

// Keeps this library's code in the process, also when the engine unloads it: a thread of ours may still run.
void keep_loaded();

bool exists(const std::string &path);

// Whether the system cannot open the runtime's files when this is their folder.
bool is_too_long_for_the_runtime(const std::string &folder);

// The name debuggers and profilers show for the calling thread.
void name_this_thread(const char *name);

// Lets the game's threads run before the calling one, and before those it starts, when there are not enough cores.
void yield_to_the_game();

// A write that would make a file longer than the system allows fails, as one to a full disk does. Unless the game has
// said what is to happen, the system ends the process instead.
void let_long_writes_fail();

// One thread sleeps until another rings. Ringing takes no lock and never waits.
class Doorbell {
public:
	Doorbell();
	~Doorbell();
	Doorbell(const Doorbell &) = delete;
	Doorbell &operator=(const Doorbell &) = delete;

	void ring();
	// Returns when it has rung since the last call returned, when the time has come, or now and then for no reason.
	void wait(std::chrono::steady_clock::time_point until);

private:
	void *handle;
};

// Opens libpython, whose symbols the rest of the process gets only where its extension modules could not find them
// otherwise. Returns null, and why, when that fails.
void *open_library(const std::string &file, std::string &error);
void *find_symbol(void *library, const char *name);

// What sys.setdlopenflags needs, so that extension modules find their own symbols before those another library of
// the process made global; 0 where that is the system's rule anyway.
int extension_module_flags();

// While it lives, the standard streams that Python could not open lead nowhere: it does not start with such a one.
class UsableStandardStreams {
public:
	UsableStandardStreams();
	~UsableStandardStreams();
	UsableStandardStreams(const UsableStandardStreams &) = delete;
	UsableStandardStreams &operator=(const UsableStandardStreams &) = delete;

private:
	[[maybe_unused]] int kept[3] = {-1, -1, -1}; // descriptors of the streams that lead nowhere meanwhile
};

} // namespace rag_memory::platform
