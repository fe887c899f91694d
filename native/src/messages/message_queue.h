// The order in which messages reach Python. Knows nothing of the engine or of Python.
//
// Messages of one key (one NPC, or the world) run in the order they were pushed, and so do those of one object, whose
// key changes when it gets another NPC. Those of an NPC that read the world wait for the earlier ones of the world, and
// the world's for them, but not for each other. An urgent message (a caller is blocked) overtakes the others, and takes along the earlier
// ones that it has to follow. A barrier (opening or closing a save) runs after everything pushed before it and before
// everything pushed after it. An unordered message needs no memories and waits for no other message, a barrier neither: it runs
// as soon as possible, in order among its like.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "messages/message.h"

namespace rag_memory {

// What is long and goes on between two slices.
struct MessagesInWork {
	std::vector<uint64_t> keys;
	bool read_world = false; // at least one of them
	bool has_barrier = false;
};

class MessageQueue {
public:
	void push(std::unique_ptr<Message> message) { waiting.push_back(std::move(message)); }
	bool is_empty() const { return waiting.empty(); }
	bool starts_with_barrier() const { return !waiting.empty() && waiting.front()->is_barrier; }
	bool has_barrier() const;

	// Takes the next message that may run while these are still in work; null when none may. With urgent_only, just
	// what a blocked caller waits for.
	std::unique_ptr<Message> take_next(const MessagesInWork &in_work, bool urgent_only);

	// Takes a waiting message out; null when it is not waiting.
	std::unique_ptr<Message> take(uint64_t id);

	// Takes out all waiting messages that write nothing, or all.
	std::vector<std::unique_ptr<Message>> take_all(bool keep_writes);

private:
	std::unique_ptr<Message> take_at(size_t index);

	std::deque<std::unique_ptr<Message>> waiting;
};

} // namespace rag_memory
