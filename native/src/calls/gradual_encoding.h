// Calls with an array too long to be encoded in one frame: its elements are encoded over the next frames, in order,
// and the message is sent when the last one is.
//
// The main thread encodes, because the game may write to what it has handed over, and reading that elsewhere would be a
// race; another thread does it only while the main one stands still. The elements are freed piece by piece as well.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/value_limits.h"
#include "engine/variant.h"
#include "messages/message.h"
#include "worker/worker.h"

namespace rag_memory {

// The array of a call, and what follows it in the message's payload.
struct LongArray {
	Variant items; // of our own; those that are encoded are null
	int64_t size = 0;
	int64_t next = 0; // the first one that is not encoded
	int64_t values_left = MOST_VALUES;
	std::vector<uint8_t> tail;

	// Null when no argument is that long. Else `payload` becomes what comes before the first item; empty when the other
	// arguments cannot be serialised.
	static std::unique_ptr<LongArray> find(const Variant *arguments, uint32_t count, std::vector<uint8_t> &payload);
};

class GradualEncoding {
public:
	using Clock = std::chrono::steady_clock;

	explicit GradualEncoding(Worker &target);

	// On the main thread. What has to come after it calls finish_before().
	void add(std::unique_ptr<Message> message, std::unique_ptr<LongArray> array);
	// Cheap enough for every call and every frame.
	bool is_busy() const { return busy.load(std::memory_order_acquire); }
	// Encodes on, on the main thread, once per frame; at least a few elements.
	void encode_until(Clock::time_point until);
	// Encodes and sends at once what has to be sent before this message. On another thread the main one is asked to do it
	// in its next frame; when that does not come soon the main thread stands still, and it is done here.
	void finish_before(const Message &message, bool is_main_thread);
	// Sends nothing for this message; false when it is not here any more.
	bool give_up(uint64_t message_id);

private:
	struct Call {
		std::unique_ptr<Message> message; // null when given up or refused: the elements are only freed
		std::unique_ptr<LongArray> array;
	};
	using Calls = std::list<Call>;

	Calls::iterator first_before(const Message &message);
	Variant encode_some(Calls::iterator call);
	void append_encoded(Call &call, const Variant &items);

	Worker &worker;
	std::atomic<bool> busy{false};
	std::atomic<int> awaiting{0}; // other threads that do

	std::mutex mutex; // guards everything below; never held while code of the game can run
	std::condition_variable shortened;
	Calls calls;
};

} // namespace rag_memory
