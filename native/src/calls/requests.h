// What was asked without waiting for it: until it is answered or given up, and delivered on the main thread.
//
// A request is completed exactly once, and never in the frame it was made in. A frame has a moment for delivering; what
// is left over comes with the next ones, in the order in which it was answered.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "calls/activity.h"
#include "calls/event_delivery.h"
#include "calls/finished_calls.h"
#include "calls/gradual_encoding.h"
#include "calls/instance.h"
#include "worker/worker.h"

namespace rag_memory {

class Requests {
public:
	using Clock = std::chrono::steady_clock;

	Requests(Worker &worker, GradualEncoding &encoding, EventDelivery &events, FinishedCalls &finished, Activity &activity);

	// Before the message of this id is sent, on any thread. `request`: the MemoryRequest; null when nobody has one.
	void add(uint64_t id, const Variant &request, const Instance &instance, const MethodDeclaration &method, Clock::time_point asked);
	// Has the request answered at once, and its late result dropped.
	void cancel(uint64_t id);
	size_t count();
	// The signal `completed` of a request that has emitted it already, for code that begins to wait only now: that of
	// another request, which completes in the same way with this frame or, for other threads, the next. On any thread.
	Variant late_signal(const RequestInstance &completed);

	// What follows is for the main thread.

	// Whether there are answers that an earlier frame had no time for, or late waiters.
	bool has_undelivered() const { return !answered.empty() || has_late.load(std::memory_order_acquire); }
	// Emits the signals of a blocking call, after those of everything that was answered before it; inside a handler of
	// a signal they come after the handler.
	void emit_signals(const Answer &answer);
	// At least one answer, and so many that a backlog ends within a few frames.
	void deliver_until(Clock::time_point until);
	// Now and then gives up what the worker makes no progress with.
	void end_frame(Clock::time_point now);
	// Once the worker has stopped: delivers every answer, and errors to the others. One line says what was not written.
	void complete_all();
	void clear();

private:
	struct Request {
		Variant request;
		uint64_t instance_id = 0;
		std::string class_name;
		Variant npc_id; // of what writes
		const MethodDeclaration *method = nullptr;
		uint64_t frame = 0;
		bool is_cancelled = false;
		Clock::time_point asked;
	};

	void give_up(uint64_t id, const std::string &error, bool is_cancelled);
	void give_up_overdue();
	void take_answered();
	bool is_early(const Message &message);
	bool deliver(Message &message, Clock::time_point until);
	void complete_late(uint64_t before_frame);
	void report_unwritten() const;

	Worker &worker;
	GradualEncoding &encoding;
	EventDelivery &events;
	FinishedCalls &finished;
	Activity &activity;
	const std::thread::id main_thread = std::this_thread::get_id();
	std::atomic<uint64_t> frame_number{1};
	std::atomic<bool> has_late{false};
	Clock::time_point overdue_checked;
	std::deque<std::unique_ptr<Message>> answered; // and not delivered yet
	std::map<std::string, size_t> unwritten;	   // by NPC or class: calls that write, and that the worker has not carried out

	std::mutex mutex; // guards everything below; never held while engine code of others can run
	std::unordered_map<uint64_t, Request> open;

	struct Late {
		Variant request;
		Variant result;
		std::string error;
		uint64_t frame = 0; // in which the waiter connects; 0 when it has when the main thread goes on
	};
	std::vector<Late> late;
};

} // namespace rag_memory
