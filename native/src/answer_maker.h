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

#include "mailbox.h"
#include "message.h"
#include "platform.h"

namespace rag_memory {

class AnswerMaker {
public:
	~AnswerMaker() { stop(); }
	void start();
	// Makes what was handed in before, and ends the thread.
	void stop();

	// A message that has answer_bytes; it comes back through take_made().
	void make(std::unique_ptr<Message> message);
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
	void free_released();

	std::thread thread;
	std::atomic<bool> stop_wanted{false};
	platform::Doorbell bell;
	Mailbox<Message> to_make;
	Mailbox<Message> made;
	std::array<Slot, SLOTS> slots;
	size_t next_slot = 0; // used by the main thread
};

} // namespace rag_memory
