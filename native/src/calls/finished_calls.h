// How calls ended: what they return, what the game is told of errors, and the signal call_finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "calls/activity.h"
#include "engine/declaration.h"
#include "messages/message.h"
#include "worker/worker.h"

namespace rag_memory {

// The method's empty value, or an error code, when it failed.
Variant result_of(const MethodDeclaration &method, const Answer &answer);

class FinishedCalls {
public:
	// Made on the main thread.
	FinishedCalls(const Worker &worker, Activity &activity);

	// Says that a call failed: in the output, and by the node's `failed`. On any thread; the node of another thread's
	// call hears of it when the main thread calls add_kept().
	void tell_error(uint64_t instance_id, const std::string &class_name, const char *method, const std::string &error);
	// The last error told; empty when there was none.
	std::string get_last_error();
	// Counts a call and tells of it; those of other threads when the main thread calls add_kept().
	void add(FinishedCall call);
	bool has_kept() const { return kept_wait.load(std::memory_order_acquire); }
	void add_kept();
	void clear();

private:
	bool is_main_thread() const { return std::this_thread::get_id() == main_thread; }
	// Then what calls fail with was said once, when it happened.
	bool has_runtime_ended() const;

	const Worker &worker;
	Activity &activity;
	const std::thread::id main_thread = std::this_thread::get_id();
	std::atomic<bool> kept_wait{false};

	std::mutex mutex; // guards everything below; never held while engine code of others can run
	std::vector<FinishedCall> kept;
	std::string last_error;
};

} // namespace rag_memory
