#include "worker/answer_maker.h"

#include <utility>

#include "worker/answer_reader.h"

namespace rag_memory {

void AnswerMaker::start() {
	thread = std::thread(&AnswerMaker::run, this);
}

void AnswerMaker::stop() {
	if (!thread.joinable()) {
		return;
	}
	stop_wanted.store(true);
	bell.ring();
	thread.join();
	for (Slot &slot : slots) {
		slot.result = Variant();
		slot.events = Variant();
	}
}

void AnswerMaker::make(std::unique_ptr<Message> message) {
	message->answer.number = ++last_number;
	to_make.put(std::move(message));
	bell.ring();
}

void AnswerMaker::wait_until_made(uint64_t number) {
	while (made_number.load() < number) {
		made_bell.wait(std::chrono::steady_clock::time_point::max());
	}
}

void AnswerMaker::run() {
	platform::name_this_thread("rag_answers");
	platform::yield_to_the_game();
	while (true) {
		// Asked before taking, so that nothing handed in before the end is left.
		const bool is_last = stop_wanted.load();
		for (std::unique_ptr<Message> &message : to_make.take_all()) {
			const uint64_t number = message->answer.number;
			make_answer(*message);
			hand_back(std::move(message));
			made_number.store(number);
			made_bell.ring();
		}
		free_released();
		if (is_last) {
			return;
		}
		bell.wait(std::chrono::steady_clock::time_point::max());
	}
}

void AnswerMaker::hand_back(std::unique_ptr<Message> message) {
	if (!message->is_urgent) {
		made.put(std::move(message));
		return;
	}
	// The signals go ahead: no other thread than the main one may emit them, and it must not miss any before later ones.
	auto signals = std::make_unique<Message>();
	signals->wants_answer = false;
	signals->answer.number = message->answer.number;
	signals->answer.events = std::exchange(message->answer.events, Variant());
	made.put(std::move(signals));
	blocked.answer(message);
}

void AnswerMaker::make_answer(Message &message) {
	const std::vector<uint8_t> bytes = std::exchange(message.answer_bytes, {});
	if (bytes.empty()) {
		return;
	}
	const Variant parts = AnswerReader(bytes.data(), bytes.size()).read();
	message.answer.result = parts.at(0);
	message.answer.error = parts.at(1).to_string();
	message.answer.events = parts.at(2);
}

void AnswerMaker::hold(Variant result, Variant events) {
	Slot &slot = slots[next_slot];
	// An answer later than HELD_ANSWERS, so it does not have to be woken for this.
	Slot &oldest = slots[(next_slot + SLOTS - HELD_ANSWERS) % SLOTS];
	next_slot = (next_slot + 1) % SLOTS;
	if (oldest.state.load() == SlotState::HELD) {
		oldest.state.store(SlotState::RELEASED);
	}
	if (slot.state.load() == SlotState::EMPTY && thread.joinable()) { // else the thread is behind: freed here
		slot.result = std::move(result);
		slot.events = std::move(events);
		slot.state.store(SlotState::HELD);
	}
}

void AnswerMaker::free_released() {
	for (Slot &slot : slots) {
		if (slot.state.load() == SlotState::RELEASED) {
			slot.result = Variant();
			slot.events = Variant();
			slot.state.store(SlotState::EMPTY);
		}
	}
}

} // namespace rag_memory
