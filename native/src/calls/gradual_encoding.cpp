#include "calls/gradual_encoding.h"

#include <algorithm>
#include <utility>

namespace rag_memory {

namespace {

// What is not longer is encoded in the call: about a millisecond of memories.
constexpr int64_t LONGEST_AT_ONCE = 500;
// How many elements are encoded between two looks at the clock.
constexpr int64_t ITEMS_AT_ONCE = 32;
// Without a frame for so long the main thread may be waiting for the very thread that waits for its frame.
constexpr std::chrono::milliseconds STANDSTILL(250);

// Godot's binary format: a number has four bytes, the lowest first. An Array begins with its type and its length.
constexpr size_t NUMBER_BYTES = 4;
// Of an Array in an Array, both without a type.
constexpr size_t NESTED_HEADER_BYTES = 4 * NUMBER_BYTES;

void write_number(uint8_t *to, uint32_t value) {
	for (size_t i = 0; i < NUMBER_BYTES; i++) {
		to[i] = static_cast<uint8_t>(value >> 8 * i);
	}
}

} // namespace

std::unique_ptr<LongArray> LongArray::find(const Variant *arguments, uint32_t count, std::vector<uint8_t> &payload) {
	const auto is_long = [](const Variant &value) {
		return value.type() == GDEXTENSION_VARIANT_TYPE_ARRAY && value.array_size() > LONGEST_AT_ONCE;
	};
	const Variant *found = std::find_if(arguments, arguments + count, is_long);
	if (found == arguments + count) {
		return nullptr;
	}
	auto array = std::make_unique<LongArray>();
	array->items = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	bool ok = false;
	array->items.call(method_names->assign, {*found}, ok); // shared until one of the two is written to
	array->size = array->items.array_size();
	// Everything but the items, to see where they belong; an array without items keeps its type, if it has one.
	Variant others = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	for (const Variant *each = arguments; each != found; each++) {
		others.append(*each);
	}
	others.append(found->slice(0, 0));
	const size_t before = serialise(others).size();
	for (const Variant *each = found + 1; each != arguments + count; each++) {
		others.append(*each);
	}
	payload = serialise(others);
	if (before == 0 || payload.empty()) {
		payload.clear();
		return array;
	}
	array->tail.assign(payload.begin() + static_cast<std::ptrdiff_t>(before), payload.end());
	payload.resize(before);
	write_number(payload.data() + before - NUMBER_BYTES, static_cast<uint32_t>(array->size));
	return array;
}

GradualEncoding::GradualEncoding(Worker &target) :
		worker(target) {}

void GradualEncoding::add(std::unique_ptr<Message> message, std::unique_ptr<LongArray> array) {
	std::lock_guard<std::mutex> lock(mutex);
	calls.push_back({std::move(message), std::move(array)});
	busy.store(true, std::memory_order_release);
}

void GradualEncoding::encode_until(Clock::time_point until) {
	Variant encoded; // freed after the lock: the game's own objects may be in it
	do {
		encoded = Variant();
		std::lock_guard<std::mutex> lock(mutex);
		if (calls.empty()) {
			return;
		}
		encoded = encode_some(calls.begin());
	} while (awaiting.load() > 0 || Clock::now() < until);
}

void GradualEncoding::finish_before(const Message &message, bool is_main_thread) {
	if (!is_busy()) {
		return;
	}
	std::unique_lock<std::mutex> lock(mutex);
	const auto is_first = [this, &message] { return first_before(message) == calls.end(); };
	if (!is_main_thread && !is_first()) {
		awaiting++;
		shortened.wait_for(lock, STANDSTILL, is_first);
		awaiting--;
	}
	while (!is_first()) {
		Variant encoded = encode_some(first_before(message));
		lock.unlock();
		encoded = Variant();
		lock.lock();
	}
}

bool GradualEncoding::give_up(uint64_t message_id) {
	std::lock_guard<std::mutex> lock(mutex);
	for (Call &call : calls) {
		if (call.message != nullptr && call.message->id == message_id) {
			call.message.reset();
			shortened.notify_all();
			return true;
		}
	}
	return false;
}

// Order is kept among calls of one NPC, among calls of one object, and around barriers.
GradualEncoding::Calls::iterator GradualEncoding::first_before(const Message &message) {
	return std::find_if(calls.begin(), calls.end(), [&message](const Call &call) {
		return call.message != nullptr &&
				(message.is_barrier || call.message->key == message.key || call.message->instance_id == message.instance_id);
	});
}

// Returns the elements it has encoded, for the caller to free.
Variant GradualEncoding::encode_some(Calls::iterator call) {
	LongArray &array = *call->array;
	const int64_t end = std::min(array.next + ITEMS_AT_ONCE, array.size);
	Variant items = array.items.slice(array.next, end);
	for (; array.next < end; array.next++) {
		array.items.set_at(array.next, Variant());
	}
	if (call->message != nullptr) {
		append_encoded(*call, items);
	}
	if (array.next == array.size) {
		if (call->message != nullptr) {
			std::vector<uint8_t> &payload = call->message->payload;
			payload.insert(payload.end(), array.tail.begin(), array.tail.end());
			worker.post(std::move(call->message));
		}
		calls.erase(call);
		busy.store(!calls.empty(), std::memory_order_release);
		shortened.notify_all();
	}
	return items;
}

void GradualEncoding::append_encoded(Call &call, const Variant &items) {
	// As deep as they lie in the message: how deep values may be nested is counted from its beginning.
	const std::vector<uint8_t> bytes = serialise(array_of({items}), call.array->values_left);
	if (bytes.empty()) {
		worker.refuse(std::move(call.message), Worker::NOT_SERIALISED_ERROR);
		shortened.notify_all();
		return;
	}
	std::vector<uint8_t> &payload = call.message->payload;
	if (call.array->next == items.array_size()) { // the first ones: the rest will hardly be much longer
		const size_t parts = static_cast<size_t>(call.array->size / ITEMS_AT_ONCE) + 1;
		payload.reserve(payload.size() + call.array->tail.size() + bytes.size() * parts * 5 / 4);
	}
	payload.insert(payload.end(), bytes.begin() + NESTED_HEADER_BYTES, bytes.end());
}

} // namespace rag_memory
