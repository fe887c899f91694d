// The one thread that owns CPython, and the state machine around it.
//
// Any thread may post messages. They come back answered: to the thread that is blocked, or by take_answered().
// Nobody but this thread and those that Python itself starts, for a batch or for the bus, ever hold the GIL, and nobody but a blocked
// caller ever waits for the worker: messages and answers change hands without a lock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "engine/variant.h"
#include "messages/mailbox.h"
#include "messages/message_queue.h"
#include "python/python_runtime.h"
#include "worker/answer_maker.h"
#include "worker/blocked_calls.h"

namespace rag_memory {

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
	void post(std::unique_ptr<Message> message);

	// Answers a message that cannot be sent.
	void refuse(std::unique_ptr<Message> message, const std::string &error);
	void answer_with_error(std::unique_ptr<Message> message, const std::string &error);

	// Blocks until the message is answered: true. When the caller may be asked, also until the message asks
	// something: false, and the caller replies and waits again.
	bool wait(uint64_t id, bool may_be_asked, Answer &answer, Question &question);

	// Gives a message up: it is not carried out, or not to its end. What comes of it is the caller's to ignore.
	void cancel(uint64_t id);

	// What a caller is told whose message is_overdue(): posted, and no progress was made for the timeout.
	static const char *const OVERDUE_ERROR;
	// What is told of arguments that refuse().
	static const char *const NOT_SERIALISED_ERROR;
	// What is told of what was not carried out when the worker stopped.
	static const char *const STOPPED_ERROR;
	bool is_overdue(std::chrono::steady_clock::time_point posted) const;

	// Whether the game wants to be asked. Questions are refused while a barrier or the end of the game waits.
	void set_may_ask(uint32_t which, bool value) { value ? may_ask.fetch_or(1u << which) : may_ask.fetch_and(~(1u << which)); }
	std::vector<Question> take_questions();
	void reply(uint64_t question_id, const Variant &result, const std::string &error);
	// Called by Python, on the worker thread.
	bool add_question(uint64_t question_id, uint64_t message_id, uint32_t which, const uint8_t *arguments, size_t size);

	// The same, of the game's embedding model: see ask_embedding_model().
	std::vector<uint8_t> command_model(const uint8_t *command, size_t size);

	// What has come back: answered, given up, or without an answer. On the main thread.
	std::vector<std::unique_ptr<Message>> take_answered() { return maker.take_made(); }
	// Waits until take_answered() returns everything up to this number: see AnswerMaker.
	void wait_until_made(uint64_t number) { maker.wait_until_made(number); }
	// For what was delivered: see AnswerMaker::hold.
	void hold(Variant result, Variant events) { maker.hold(std::move(result), std::move(events)); }
	std::vector<LogLine> take_log();
	// Cheap enough for every frame.
	bool has_output() const { return maker.has_made() || log_waits.load() || blocked.has_questions() || has_rung.load(); }

	// Called by Python, on any thread: something has come over the bus.
	void ring() { has_rung.store(true); }
	// Whether that is so, once.
	bool take_ring() { return has_rung.exchange(false); }

	// True when no thread of this worker runs: it may be deleted.
	bool has_thread_ended() const { return !is_abandoned; }
	State get_state() const { return state.load(std::memory_order_acquire); }
	// Why the runtime has failed. Of one that is READY: why its embedding model could not be loaded at the start.
	std::string get_failure();
	// How long the runtime took to become ready (or to fail); 0 before that.
	double get_startup_seconds();

	void add_log(LogLevel level, const std::string &text);

	// Carries out what is queued and writes, answers the rest with an error, ends Python and the thread.
	void stop();

private:
	using Clock = std::chrono::steady_clock;
	struct InWork {
		std::unique_ptr<Message> message;
		bool is_waiting; // for a reply; it holds up nobody but barriers
	};
	static bool waits(const InWork &item) { return item.is_waiting; }

	void run(RuntimeFolders folders);
	void work();
	void collect();
	void forget(uint64_t id);
	Clock::time_point next_look() const;
	Clock::time_point next_background_work() const;
	bool can_advance() const;
	bool has_waiting() const;
	void wake_waiting();
	std::unique_ptr<Message> take_next(bool urgent_only);
	void begin(std::unique_ptr<Message> message);
	void advance();
	void expect_answer(const Message &message);
	void finish(std::unique_ptr<Message> message);
	void hand_over(std::unique_ptr<Message> message);
	void work_in_the_background();
	void note_progress();
	void close(const std::string &error);
	void answer_unread();

	std::thread thread;
	std::atomic<State> state{State::IDLE};
	std::atomic<bool> log_waits{false};
	std::atomic<bool> has_rung{false};
	std::atomic<uint32_t> may_ask{0}; // a bit for each function of the game
	std::atomic<bool> stop_wanted{false};
	std::atomic<bool> is_in_the_game{false}; // the thread runs a script: the game's embedding model
	std::atomic<bool> is_closed{false};		 // nothing that comes now is read by the thread
	std::atomic<Clock::rep> last_progress{0};
	std::chrono::duration<double> timeout{30.0};
	platform::Doorbell bell;
	Mailbox<Message> inbox;
	BlockedCalls blocked;
	AnswerMaker maker{blocked};

	// Used by the worker thread alone.
	PythonRuntime python_runtime;
	MessageQueue queue;
	std::vector<InWork> in_work; // long messages between two slices
	std::unordered_set<uint64_t> cancelled_in_work;
	uint64_t beginning = 0; // the message that is carried out for the first time, else 0
	size_t turn = 0;
	bool may_have_idle_work = false;
	bool idle_work_waits = false; // for a reply
	Clock::time_point woken;
	Clock::time_point last_work; // when a message was last in work
	Clock::time_point last_background_work;

	std::mutex mutex; // guards everything below: what is told once in a while
	std::condition_variable ended;
	std::vector<LogLine> log;
	Clock::time_point drain_deadline;
	std::chrono::duration<double> startup{0};
	std::string failure;
	bool has_ended = false;
	std::atomic<bool> is_abandoned{false}; // the engine is going away; the thread could not be ended
};

} // namespace rag_memory
