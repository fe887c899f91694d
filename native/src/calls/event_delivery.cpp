#include "calls/event_delivery.h"

#include <iterator>

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

bool has_signals(const Answer &answer) {
	return answer.events.type() == GDEXTENSION_VARIANT_TYPE_ARRAY && answer.events.array_size() > 0;
}

void EventDelivery::add(const Answer &answer) {
	if (has_signals(answer)) {
		waiting.insert({answer.number, answer.events});
	}
}

bool EventDelivery::emit(uint64_t number, Clock::time_point until) {
	while (!waiting.empty() && waiting.begin()->first <= number) {
		due.push_back({waiting.begin()->first, waiting.begin()->second});
		waiting.erase(waiting.begin());
	}
	emit_due(until);
	return due.empty() || due.front().number > number;
}

void EventDelivery::emit_due(Clock::time_point until) {
	if (is_emitting) {
		note_due(); // the handler's call may have opened a save
		return;
	}
	is_emitting = true;
	for (bool is_first = true; !due.empty() && (is_first || Clock::now() < until); is_first = false) {
		// Taken before it is emitted: the handler may make a call that brings more.
		Signals &earliest = due.front();
		const Variant event = earliest.events.at(earliest.next++);
		if (!earliest.is_noted) {
			note_save(event);
		}
		if (earliest.next == earliest.events.array_size()) {
			due.pop_front();
		}
		emit_one(event);
	}
	is_emitting = false;
}

void EventDelivery::clear() {
	waiting.clear();
	due.clear();
}

void EventDelivery::emit_one(const Variant &event) {
	const uint64_t id = static_cast<uint64_t>(event.at(0).to_int());
	const Variant arguments = event.at(2);
	std::vector<Variant> values;
	for (int64_t j = 0; j < arguments.array_size(); j++) {
		values.push_back(arguments.at(j));
	}
	GDExtensionObjectPtr object = id == SERVER_INSTANCE ? server_object() : id == WORLD_INSTANCE ? world_object()
																								 : godot.object_get_instance_from_id(id);
	if (object != nullptr) {
		emit_signal(object, event.at(1).to_string(), values);
	}
}

// What was noted stays so when it is emitted: a later signal may have been noted since.
void EventDelivery::note_due() {
	auto first = due.end();
	while (first != due.begin() && !std::prev(first)->is_noted) {
		--first;
	}
	for (; first != due.end(); ++first) {
		for (int64_t i = first->next; i < first->events.array_size(); i++) {
			note_save(first->events.at(i));
		}
		first->is_noted = true;
	}
}

void EventDelivery::note_save(const Variant &event) {
	if (static_cast<uint64_t>(event.at(0).to_int()) != SERVER_INSTANCE) {
		return;
	}
	const std::string signal = event.at(1).to_string();
	std::lock_guard<std::mutex> lock(mutex);
	if (signal == "save_opened") {
		current_save = event.at(2).at(0).to_string();
	} else if (signal == "save_closed") {
		current_save.clear();
	}
}

std::string EventDelivery::get_current_save() {
	std::lock_guard<std::mutex> lock(mutex);
	return current_save;
}

} // namespace rag_memory
