// A call on its way to Python and back. One object makes the whole journey, so that the thread that made it also
// frees it: memory freed by another thread would cost that one a lock of the C library's allocator.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

constexpr uint64_t NO_KEY = 0;	  // no message has it
constexpr uint64_t WORLD_KEY = 1; // of MemoryWorld; no object has this id
constexpr uint64_t BUS_KEY = 2;	  // of what comes over the bus; it waits for no call, and no call for it

// What stands for the instance ids of MemoryServer, MemoryWorld and the bus, which the worker does not know
// (python/rag_memory/godot/open_saves.py).
constexpr uint64_t SERVER_INSTANCE = 0;
constexpr uint64_t WORLD_INSTANCE = 1;
constexpr uint64_t BUS_INSTANCE = 2;

struct Answer {
	Variant result; // null when there is an error, except a Godot Error code
	std::string error;
	bool was_reported = false;				 // the error is in the output already
	Variant events;							 // Array of [instance id, or what stands for it, signal, arguments]
	uint64_t number = 0;					 // what the worker has answered, in its order: that of the signals
	std::chrono::duration<double> waited{0}; // from asking to the first slice
	std::chrono::duration<double> worked{0}; // all slices together
};

// A serialised Variant that messages name by its hash; see SharedValues.
struct SharedValue {
	int64_t hash;
	std::vector<uint8_t> bytes;
};

struct Message {
	uint64_t id = 0;
	uint64_t instance_id = 0;
	int32_t method_id = 0;
	double now_seconds = 0;						 // game time of a call; what the host sends on its own account has none
	std::chrono::steady_clock::time_point asked; // by the caller
	std::vector<uint8_t> payload;				 // serialised Array of arguments
	std::vector<SharedValue> shared;			 // the values that the payload names
	uint64_t key = 0;
	uint64_t cancels = 0; // not a call: gives up the message of this id
	bool is_barrier = false;
	bool opens = false;		  // once begun it holds up nothing more
	bool reads_world = false; // runs in order with the messages of WORLD_KEY, too
	bool is_urgent = false;
	bool is_unordered = false;
	bool writes = false;
	bool wants_answer = true;		// false for what the host sends on its own account
	bool is_made_by_caller = false; // a blocked main thread makes the Variants of its answer itself

	// On the way back.
	std::vector<uint8_t> answer_bytes; // [result, error, events], as answer_format.h has it; empty once `answer` is made
	Answer answer;

	Message *next = nullptr; // in a Mailbox
};

} // namespace rag_memory
