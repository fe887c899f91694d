// CPython inside the engine: loaded, initialised, used and finalised by one thread, which holds the GIL throughout.
// libpython is opened at run time, so that an engine without it still loads the extension.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "message_queue.h"
#include "runtime_folders.h"

struct _object; // a PyObject; the head of Python stays out of this one

namespace rag_memory {

using LogFunction = void (*)(int level, const std::string &text);

class PythonRuntime {
public:
	// Starts the interpreter and imports the bridge. Returns an empty string, or what failed and what to do.
	// A debug build of the game also prints what helps its developers.
	std::string start(const RuntimeFolders &folders, bool is_debug_build, LogFunction log);

	// Carries out a message. False when it is long: resume it until that returns true.
	bool handle(const Message &message, std::vector<uint8_t> &answer);
	bool resume(uint64_t message_id, std::vector<uint8_t> &answer);
	void cancel(uint64_t message_id);

	// A few milliseconds of work nobody waits for; false when there is none. The answer is empty, or carries signals.
	bool idle(std::vector<uint8_t> &answer);

	// Closes the bridge and ends the interpreter, which cannot be started again in this process.
	void stop();

private:
	bool take_answer(::_object *result, std::vector<uint8_t> &answer);

	::_object *bridge = nullptr;
	bool is_initialised = false;
};

} // namespace rag_memory
