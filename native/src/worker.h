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
	Variant events;							 // Array of [instance id, signal, arguments]
	std::chrono::duration<double> waited{0}; // from asking to the first slice
	std::chrono::duration<double> worked{0}; // all slices together
};

// What Python asks the game while it works on a message (0: in the background).
struct Question {
	uint64_t id = 0;
	uint64_t message_id = 0;
	Variant arguments;
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

	// Blocks until the message is answered: true. When the caller may be asked, also until the message asks
	// something: false, and the caller replies and waits again.
	bool wait(uint64_t id, bool may_be_asked, Answer &answer, Question &question);

	// Gives a message up: it is answered with an error at once, its late result is dropped.
	void cancel(uint64_t id, const std::string &reason);

	// Answers messages that wait while the worker has made no progress for the timeout.
	void fail_overdue();

	// Whether the game wants to be asked. Questions are refused while a barrier or the end of the game waits.
	void set_may_ask(bool value) { may_ask.store(value, std::memory_order_release); }
	std::vector<Question> take_questions();
	void reply(uint64_t question_id, const Variant &result, const std::string &error);
	// Called by Python, on the worker thread.
	bool add_question(uint64_t question_id, uint64_t message_id, const uint8_t *arguments, size_t size);

	std::vector<Answer> take_answers();
	std::vector<LogLine> take_log();
	// How many messages were posted and not answered yet.
	size_t get_unanswered_count();
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
		bool is_waiting; // for a reply; it holds up nobody but barriers
		std::chrono::duration<double> waited;
		std::chrono::duration<double> worked;
	};
	static bool waits(const InWork &item) { return item.is_waiting; }

	void run(RuntimeFolders folders);
	void work();
	std::chrono::steady_clock::time_point next_look() const;
	std::chrono::steady_clock::time_point next_background_work() const;
	bool can_advance() const;
	bool has_waiting() const;
	void wake_waiting();
	bool take_next(Message &next, bool urgent_only);
	void begin(Message message);
	void advance();
	void finish(const InWork &item, const std::vector<uint8_t> &bytes);
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
	std::atomic<bool> may_ask{false};
	std::chrono::duration<double> timeout{30.0};

	// Used by the worker thread alone.
	PythonRuntime python_runtime;
	std::vector<InWork> in_work; // long messages between two slices
	size_t turn = 0;
	bool may_have_idle_work = false;
	bool idle_work_waits = false; // for a reply
	std::chrono::steady_clock::time_point woken;
	std::chrono::steady_clock::time_point last_work; // when a message was last in work
	std::chrono::steady_clock::time_point last_background_work;

	std::mutex mutex; // guards everything below
	std::condition_variable work_arrived;
	std::condition_variable answer_arrived;
	MessageQueue queue;
	std::unordered_map<uint64_t, std::chrono::steady_clock::time_point> unanswered; // id -> when posted
	std::unordered_set<uint64_t> blocked;											// ids a thread waits for
	std::unordered_map<uint64_t, Answer> blocking_answers;
	std::vector<Answer> answers;
	std::vector<Question> questions;
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
