// CPython inside the engine: loaded, initialised, used and finalised by one thread, which holds the GIL except while it
// waits for messages (OthersRun).
// libpython is opened at run time, so that an engine without it still loads the extension.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/runtime_folders.h"
#include "messages/message_queue.h"

struct _object; // a PyObject; the head of Python stays out of this one
struct _ts;		// a PyThreadState

namespace rag_memory {

using LogFunction = void (*)(int level, const std::string &text);
// Takes a question to the game, asked while a message is in work (0: in the background); false when it is not taken.
using AskFunction = bool (*)(uint64_t question_id, uint64_t message_id, uint32_t which, const uint8_t *arguments, size_t size);
// Passes a command to the game's embedding model; an empty answer when there is none, or when it is not asked any more.
using ModelFunction = std::vector<uint8_t> (*)(const uint8_t *command, size_t size);

// Something has come over the bus that wants to be carried out; on any thread.
using RingFunction = void (*)();

// How far a message has come.
enum class Progress { DONE,
	MORE,
	WAITING }; // for the game's reply to a question

// While it lives, other threads of Python run. Of the thread that holds the GIL.
class OthersRun {
public:
	OthersRun();
	~OthersRun();
	OthersRun(const OthersRun &) = delete;
	OthersRun &operator=(const OthersRun &) = delete;

private:
	::_ts *state;
};

class PythonRuntime {
public:
	// Starts the interpreter and imports the bridge. Returns an empty string, or what failed and what to do.
	// A debug build of the game also prints what helps its developers.
	std::string start(const RuntimeFolders &folders, bool is_debug_build, bool is_in_editor, LogFunction log, AskFunction ask, ModelFunction model, RingFunction ring);

	// Why the embedding model could not be loaded; empty when it could.
	std::string get_model_error();

	// Carries out a message. A long one is not DONE: resume it until it is.
	Progress handle(const Message &message, std::vector<uint8_t> &answer);
	Progress resume(uint64_t message_id, std::vector<uint8_t> &answer);
	void cancel(uint64_t message_id, std::vector<uint8_t> &answer);

	// A few milliseconds of work nobody waits for; DONE when there is none. The answer is empty, or carries signals.
	Progress idle(std::vector<uint8_t> &answer);

	// Ends the waiting for replies: what waits goes on without them.
	void give_up_waiting();

	// Closes the bridge and ends the interpreter, which cannot be started again in this process.
	void stop();

private:
	void notify(const char *method);
	void share(const SharedValue &value);
	Progress take_answer(::_object *result, std::vector<uint8_t> &answer);

	::_object *bridge = nullptr;
	bool is_initialised = false;
};

} // namespace rag_memory
