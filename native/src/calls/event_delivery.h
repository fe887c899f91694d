// The signals that come with the worker's answers, emitted on the main thread in the order in which the worker did what
// they tell of: whichever thread was answered first, and also when a handler makes a call that brings more. No signal is
// emitted from inside a handler of another: what its calls bring comes after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "messages/message.h"

namespace rag_memory {

bool has_signals(const Answer &answer);

class EventDelivery {
public:
	using Clock = std::chrono::steady_clock;

	// What follows is for the main thread.

	// Takes the signals of an answer into the order. Those with the same number keep the order of these calls.
	void add(const Answer &answer);
	// Emits everything up to an answer's number, and what handlers' calls ask for meanwhile, as far as the time allows;
	// false when some up to the number are left. At least one is emitted, but inside a handler none: the emission under
	// way goes on to it. What is left then comes with the answer of its number, which has still to be delivered.
	bool emit(uint64_t number, Clock::time_point until);
	void clear();

	// The save that is open, as far as signals have told or, inside a handler, its calls; empty when none is. On any
	// thread.
	std::string get_current_save();

private:
	struct Signals {
		uint64_t number = 0; // of their answer
		Variant events;		 // Array of [instance id, signal, arguments]
		int64_t next = 0;	 // to be emitted
		bool is_noted = false;
	};

	void emit_due(Clock::time_point until);
	void emit_one(const Variant &event);
	void note_due();
	void note_save(const Variant &event);

	std::multimap<uint64_t, Variant> waiting; // events by the number of their answer
	std::deque<Signals> due;				  // in order; those that are noted come first
	bool is_emitting = false;

	std::mutex mutex; // guards everything below; not held while a signal is emitted
	std::string current_save;
};

} // namespace rag_memory
