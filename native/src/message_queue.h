// The order in which messages reach Python. Knows nothing of the engine or of Python.
//
// Messages of one key (one NPC) run in the order they were pushed. An urgent message (a caller is blocked)
// overtakes the messages of other keys, and takes the earlier ones of its own key along. A barrier (opening or
// closing a save) runs after everything pushed before it and before everything pushed after it. A free message
// depends on no save: it runs as soon as possible, in order among its like.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

namespace rag_memory {

constexpr uint64_t NO_KEY = 0; // no message has it

struct Message {
	uint64_t id = 0;
	uint64_t instance_id = 0;
	int32_t method_id = 0;
	double now_seconds = 0;						  // game time
	std::chrono::steady_clock::time_point posted; // when the caller asked
	std::vector<uint8_t> payload;				  // serialised Array of arguments
	uint64_t key = 0;
	bool is_barrier = false;
	bool opens = false; // once begun it is a barrier no more
	bool is_urgent = false;
	bool is_free = false;
	bool writes = false;
	bool wants_answer = true; // false for what the host sends on its own account
};

class MessageQueue {
public:
	void push(Message message) { waiting.push_back(std::move(message)); }
	bool is_empty() const { return waiting.empty(); }
	size_t size() const { return waiting.size(); }
	bool starts_with_barrier() const { return !waiting.empty() && waiting.front().is_barrier; }
	bool has_barrier() const;

	// Takes the next message that may run while those with the given keys are still in work; false when none
	// may. With urgent_only, just what a blocked caller waits for.
	bool take_next(const std::vector<uint64_t> &keys_in_work, bool barrier_in_work, bool urgent_only, Message &next);

	// Takes a waiting message out; false when it is not waiting.
	bool take(uint64_t id, Message &message);

	// Takes out all waiting messages that write nothing, or all.
	std::vector<Message> take_all(bool keep_writes);

private:
	void take_at(size_t index, Message &message);

	std::deque<Message> waiting;
};

} // namespace rag_memory
