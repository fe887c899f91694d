#include "messages/message_queue.h"

#include <algorithm>
#include <utility>

namespace rag_memory {

namespace {

// What has to wait for certain messages: the later ones of their NPCs, and of their objects, which may have got
// another NPC in between.
class Followers {
public:
	explicit Followers(const MessagesInWork &of) :
			keys(of.keys), read_world(of.read_world) {}

	void add(const Message &message) {
		add(keys, message.key);
		add(instances, message.instance_id);
		read_world = read_world || message.reads_world;
	}
	bool include(const Message &message) const {
		return contain(keys, message.key) || contain(instances, message.instance_id) ||
				(message.reads_world && contain(keys, WORLD_KEY)) || (message.key == WORLD_KEY && read_world);
	}

private:
	static void add(std::vector<uint64_t> &ids, uint64_t id) {
		if (!contain(ids, id)) {
			ids.push_back(id);
		}
	}

	static bool contain(const std::vector<uint64_t> &ids, uint64_t id) {
		return std::find(ids.begin(), ids.end(), id) != ids.end();
	}

	std::vector<uint64_t> keys;
	std::vector<uint64_t> instances;
	bool read_world;
};

} // namespace

std::unique_ptr<Message> MessageQueue::take_next(const MessagesInWork &in_work, bool urgent_only) {
	const auto unordered_message = std::find_if(waiting.begin(), waiting.end(), [](const auto &message) { return message->is_unordered; });
	if (unordered_message != waiting.end()) {
		return take_at(static_cast<size_t>(unordered_message - waiting.begin()));
	}
	if (in_work.has_barrier || waiting.empty()) {
		return nullptr;
	}
	if (waiting.front()->is_barrier) {
		if (!in_work.keys.empty()) {
			return nullptr;
		}
		return take_at(0);
	}
	size_t segment_end = 0; // up to the first barrier, which nothing overtakes
	while (segment_end < waiting.size() && !waiting[segment_end]->is_barrier) {
		segment_end++;
	}
	std::vector<bool> is_ready(segment_end);
	Followers blocked(in_work);
	for (size_t i = 0; i < segment_end; i++) {
		is_ready[i] = !blocked.include(*waiting[i]);
		if (!is_ready[i]) {
			blocked.add(*waiting[i]);
		}
	}
	for (size_t i = 0; i < segment_end; i++) {
		if (!waiting[i]->is_urgent || !is_ready[i]) {
			continue;
		}
		size_t first = i;
		Followers chain({});
		chain.add(*waiting[i]);
		for (size_t earlier = i; earlier-- > 0;) {
			if (chain.include(*waiting[earlier])) {
				chain.add(*waiting[earlier]);
				first = earlier;
			}
		}
		return take_at(first);
	}
	// A blocked caller behind the barrier is served soonest by emptying what stands before it.
	const bool urgent_behind_barrier = std::any_of(waiting.begin() + static_cast<std::ptrdiff_t>(segment_end), waiting.end(),
			[](const auto &message) { return message->is_urgent; });
	if (urgent_only && !urgent_behind_barrier) {
		return nullptr;
	}
	const auto ready = std::find(is_ready.begin(), is_ready.end(), true);
	return ready == is_ready.end() ? nullptr : take_at(static_cast<size_t>(ready - is_ready.begin()));
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
