// The signals that come with the worker's answers, emitted on the main thread in the order in which the worker did what
// they tell of: whichever thread was answered first, and also when a handler makes a call that brings more.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "message.h"

namespace rag_memory {

bool has_signals(const Answer &answer);

class EventDelivery {
public:
	using Clock = std::chrono::steady_clock;

	// What follows is for the main thread.

	// Takes the signals of an answer into the order. Those with the same number keep the order of these calls.
	void add(const Answer &answer);
	// Emits everything up to an answer's number, as far as the time allows; false when some are left. At least one is
	// emitted.
	bool emit(uint64_t number, Clock::time_point until);
	void clear() { waiting.clear(); }

	// The save that is open, as far as signals have told; empty when none is. On any thread.
	std::string get_current_save();

private:
	struct Signals {
		Variant events;	  // Array of [instance id (0: MemoryServer), signal, arguments]
		int64_t next = 0; // to be emitted
	};

	void emit_one(const Variant &event);
	void note_save(const std::string &signal, const std::vector<Variant> &arguments);

	std::multimap<uint64_t, Signals> waiting; // by the number of their answer

	std::mutex mutex; // guards everything below; not held while a signal is emitted
	std::string current_save;
};

} // namespace rag_memory
