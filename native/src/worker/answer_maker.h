// Makes the Variants of answers, on a thread of its own, and frees them there when the game lets go of them soon.
//
// Not on the worker: what a thread allocates comes from a part of the heap with a lock of its own (glibc's arenas), and
// Python, numpy and the embedding model allocate all the time. The main thread would run into them with every answer it
// frees. Not on the main thread either: an answer takes about half a millisecond.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "messages/mailbox.h"
#include "messages/message.h"
#include "platform/platform.h"
#include "worker/blocked_calls.h"

namespace rag_memory {

class AnswerMaker {
public:
	explicit AnswerMaker(BlockedCalls &blocked_calls) :
			blocked(blocked_calls) {}
	~AnswerMaker() { stop(); }
	void start();
	// Makes what was handed in before, and ends the thread.
	void stop();

	// A message that has answer_bytes; it gets the next number and comes back through take_made(). Of one that a thread
	// waits for only the signals do: the thread gets the rest.
	void make(std::unique_ptr<Message> message);
	// The number of the last message handed in; used by the thread that hands them in.
	uint64_t get_last_number() const { return last_number; }
	// Waits until everything up to this number is made. On the main thread only.
	void wait_until_made(uint64_t number);
	// A message whose answer needs no making (there are no bytes, or nobody wants it).
	void pass(std::unique_ptr<Message> message) { made.put(std::move(message)); }

	bool has_made() const { return !made.is_empty(); }
	std::vector<std::unique_ptr<Message>> take_made() { return made.take_all(); }

	// Holds what was delivered until a few more answers have come, then frees it on this thread unless the game has
	// kept it. On the main thread only.
	void hold(Variant result, Variant events);

	// The answer in these bytes. On any thread.
	static void make_answer(Message &message);

private:
	enum class SlotState : uint8_t { EMPTY,
		HELD,
		RELEASED };
	struct Slot {
		std::atomic<SlotState> state{SlotState::EMPTY};
		Variant result;
		Variant events;
	};
	static constexpr size_t SLOTS = 32;
	static constexpr size_t HELD_ANSWERS = 16;

	void run();
	void hand_back(std::unique_ptr<Message> message);
	void free_released();

	BlockedCalls &blocked;
	std::thread thread;
	std::atomic<bool> stop_wanted{false};
	platform::Doorbell bell;
	Mailbox<Message> to_make;
	Mailbox<Message> made;
	uint64_t last_number = 0;
	std::atomic<uint64_t> made_number{0};
	platform::Doorbell made_bell;
	std::array<Slot, SLOTS> slots;
	size_t next_slot = 0; // used by the main thread
};

} // namespace rag_memory
