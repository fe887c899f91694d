// How one thread hands things to another without a lock: putting never waits, whatever the other thread does.
// An Item has a member `Item *next`, which belongs to the mailbox while the item lies in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace rag_memory {

template <class Item>
class Mailbox {
public:
	Mailbox() = default;
	~Mailbox() { take_all(); }
	Mailbox(const Mailbox &) = delete;
	Mailbox &operator=(const Mailbox &) = delete;

	void put(std::unique_ptr<Item> item) {
		Item *added = item.release();
		added->next = newest.load();
		while (!newest.compare_exchange_weak(added->next, added)) {
		}
	}

	bool is_empty() const { return newest.load() == nullptr; }

	// Everything that was put, in that order.
	std::vector<std::unique_ptr<Item>> take_all() {
		std::vector<std::unique_ptr<Item>> items;
		for (Item *item = newest.exchange(nullptr); item != nullptr; item = item->next) {
			items.emplace_back(item);
		}
		std::reverse(items.begin(), items.end());
		return items;
	}

private:
	std::atomic<Item *> newest{nullptr};
};

} // namespace rag_memory
