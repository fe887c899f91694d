// The signals that come with the worker's answers, emitted on the main thread whichever thread has got them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "variant.h"

namespace rag_memory {

class EventDelivery {
public:
	using Clock = std::chrono::steady_clock;

	// Emits an Array of [instance id (0: MemoryServer), signal, arguments]. On the main thread only.
	void emit(const Variant &events);
	// The same from `next` on, as far as the time allows; false when some are left. At least one is emitted.
	bool emit(const Variant &events, int64_t &next, Clock::time_point until);
	// Keeps them until the main thread calls emit_kept().
	void keep(const Variant &events);
	bool has_kept() const { return kept_wait.load(std::memory_order_acquire); }
	void emit_kept(Clock::time_point until);

	// The save that is open, as far as signals have told; empty when none is.
	std::string get_current_save();
	void clear();

private:
	void emit_one(const Variant &event);
	void note_save(const std::string &signal, const std::vector<Variant> &arguments);

	std::atomic<bool> kept_wait{false};
	std::mutex mutex; // guards everything below; not held while a signal is emitted
	std::deque<Variant> kept;
	int64_t next_of_first = 0; // of the first list kept: what was emitted already. Used by the main thread
	std::string current_save;
};

} // namespace rag_memory
