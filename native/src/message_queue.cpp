#include "message_queue.h"

#include <algorithm>
#include <utility>

namespace rag_memory {

namespace {

bool contains(const std::vector<uint64_t> &keys, uint64_t key) {
	return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

std::unique_ptr<Message> MessageQueue::take_next(const std::vector<uint64_t> &keys_in_work, bool barrier_in_work, bool urgent_only) {
	const auto free_message = std::find_if(waiting.begin(), waiting.end(), [](const auto &message) { return message->is_free; });
	if (free_message != waiting.end()) {
		return take_at(static_cast<size_t>(free_message - waiting.begin()));
	}
	if (barrier_in_work || waiting.empty()) {
		return nullptr;
	}
	if (waiting.front()->is_barrier) {
		if (!keys_in_work.empty()) {
			return nullptr;
		}
		return take_at(0);
	}
	size_t segment_end = 0; // up to the first barrier, which nothing overtakes
	while (segment_end < waiting.size() && !waiting[segment_end]->is_barrier) {
		segment_end++;
	}
	for (size_t i = 0; i < segment_end; i++) {
		if (!waiting[i]->is_urgent || contains(keys_in_work, waiting[i]->key)) {
			continue;
		}
		size_t first = 0;
		while (waiting[first]->key != waiting[i]->key) {
			first++;
		}
		return take_at(first);
	}
	// A blocked caller behind the barrier is served soonest by emptying what stands before it.
	const bool urgent_behind_barrier = std::any_of(waiting.begin() + static_cast<std::ptrdiff_t>(segment_end), waiting.end(),
			[](const auto &message) { return message->is_urgent; });
	if (urgent_only && !urgent_behind_barrier) {
		return nullptr;
	}
	for (size_t i = 0; i < segment_end; i++) {
		if (!contains(keys_in_work, waiting[i]->key)) {
			return take_at(i);
		}
	}
	return nullptr;
}

bool MessageQueue::has_barrier() const {
	return std::any_of(waiting.begin(), waiting.end(), [](const auto &message) { return message->is_barrier; });
}

std::unique_ptr<Message> MessageQueue::take(uint64_t id) {
	for (size_t i = 0; i < waiting.size(); i++) {
		if (waiting[i]->id == id) {
			return take_at(i);
		}
	}
	return nullptr;
}

std::vector<std::unique_ptr<Message>> MessageQueue::take_all(bool keep_writes) {
	std::vector<std::unique_ptr<Message>> taken;
	std::deque<std::unique_ptr<Message>> kept;
	for (std::unique_ptr<Message> &message : waiting) {
		if (keep_writes && message->writes) {
			kept.push_back(std::move(message));
		} else {
			taken.push_back(std::move(message));
		}
	}
	waiting = std::move(kept);
	return taken;
}

std::unique_ptr<Message> MessageQueue::take_at(size_t index) {
	std::unique_ptr<Message> message = std::move(waiting[index]);
	waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
	return message;
}

} // namespace rag_memory
