// The one thread that owns CPython, and the state machine around it.
//
// Any thread may post messages and wait for answers; answers and log lines are picked up by the main thread.
// Nobody but the worker thread ever holds the GIL.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "message_queue.h"
#include "python_runtime.h"
#include "variant.h"

namespace rag_memory {

struct Answer {
	uint64_t id = 0;
	Variant result; // null when there is an error, except a Godot Error code
	std::string error;
	Variant events; // Array of [instance id, signal, arguments]
};

enum class LogLevel { PRINT = 0,
	WARNING = 1,
	ERROR = 2 };

struct LogLine {
	LogLevel level;
	std::string text;
};

class Worker {
public:
	enum class State { IDLE,
		STARTING,
		READY,
		FAILED,
		STOPPED };

	// Starts the thread; does nothing unless IDLE.
	void start(const RuntimeFolders &folders, double timeout_seconds);

	// Queues a message. It is always answered (if it wants an answer): with an error when the worker has failed
	// or stopped.
	void post(Message message);

	// Answers a message that cannot be sent.
	void answer_with_error(Message message, const std::string &error);

	// Blocks until the message is answered.
	Answer wait(uint64_t id);

	// Gives a message up: it is answered with an error at once, its late result is dropped.
	void cancel(uint64_t id, const std::string &reason);

	// Answers messages that wait while the worker has made no progress for the timeout.
	void fail_overdue();

	std::vector<Answer> take_answers();
	std::vector<LogLine> take_log();
	// Cheap enough for every frame.
	bool has_output() const { return output_waits.load(std::memory_order_acquire); }

	// True when no thread of this worker runs: it may be deleted.
	bool has_thread_ended() const { return !is_abandoned; }
	State get_state() const { return state.load(std::memory_order_acquire); }
	std::string get_failure();
	// How long the runtime took to become ready (or to fail); 0 before that.
	double get_startup_seconds();

	void add_log(LogLevel level, const std::string &text);

	// Carries out what is queued and writes, answers the rest with an error, ends Python and the thread.
	void stop();

private:
	struct InWork {
		Message message;
		bool is_cancelled = false;
	};

	void run(RuntimeFolders folders);
	void work();
	bool take_next(Message &next, bool urgent_only);
	void begin(Message message);
	void advance();
	void finish(const Message &message, const std::vector<uint8_t> &bytes);
	Answer answer_of(uint64_t id, const std::vector<uint8_t> &bytes) const;
	void work_in_the_background();
	void register_message(const Message &message);
	void answer(Answer answer);
	void answer_locked(Answer answer);
	void answer_all_waiting(bool keep_writes, const std::string &error);
	bool is_overdue(std::chrono::steady_clock::time_point since) const;

	std::thread thread;
	std::atomic<State> state{State::IDLE};
	std::atomic<bool> output_waits{false};
	std::chrono::duration<double> timeout{30.0};
	PythonRuntime python_runtime;					 // used by the worker thread alone
	std::vector<InWork> in_work;					 // long messages between two slices; used by the worker thread alone
	size_t turn = 0;								 // used by the worker thread alone
	bool may_have_idle_work = false;				 // used by the worker thread alone
	std::chrono::steady_clock::time_point last_work; // when a message was last begun; used by the worker thread alone

	std::mutex mutex; // guards everything below
	std::condition_variable work_arrived;
	std::condition_variable answer_arrived;
	MessageQueue queue;
	std::unordered_map<uint64_t, std::chrono::steady_clock::time_point> unanswered; // id -> when posted
	std::unordered_set<uint64_t> blocked;											// ids a thread waits for
	std::unordered_map<uint64_t, Answer> blocking_answers;
	std::vector<Answer> answers;
	std::vector<LogLine> log;
	std::unordered_set<uint64_t> cancelled_in_work;
	std::chrono::steady_clock::time_point last_progress = std::chrono::steady_clock::now();
	std::chrono::steady_clock::time_point drain_deadline;
	std::chrono::duration<double> startup{0};
	std::string failure;
	bool stop_wanted = false;
	bool has_ended = false;
	bool is_abandoned = false; // the engine is going away; touch nothing of it
};

} // namespace rag_memory
