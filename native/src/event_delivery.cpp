#include "event_delivery.h"

#include "engine_calls.h"
#include "godot_api.h"

namespace rag_memory {

bool has_signals(const Answer &answer) {
	return answer.events.type() == GDEXTENSION_VARIANT_TYPE_ARRAY && answer.events.array_size() > 0;
}

void EventDelivery::add(const Answer &answer) {
	if (has_signals(answer)) {
		waiting.insert({answer.number, {answer.events}});
	}
}

bool EventDelivery::emit(uint64_t number, Clock::time_point until) {
	for (bool is_first = true; !waiting.empty() && waiting.begin()->first <= number; is_first = false) {
		if (!is_first && Clock::now() >= until) {
			return false;
		}
		// Taken before it is emitted: a handler may make a call, and what is left comes before that call's signals.
		Signals &earliest = waiting.begin()->second;
		const Variant event = earliest.events.at(earliest.next++);
		if (earliest.next == earliest.events.array_size()) {
			waiting.erase(waiting.begin());
		}
		emit_one(event);
	}
	return true;
}

void EventDelivery::emit_one(const Variant &event) {
	const uint64_t instance_id = static_cast<uint64_t>(event.at(0).to_int());
	const std::string name = event.at(1).to_string();
	const Variant arguments = event.at(2);
	std::vector<Variant> values;
	for (int64_t j = 0; j < arguments.array_size(); j++) {
		values.push_back(arguments.at(j));
	}
	if (instance_id == 0) {
		note_save(name, values);
	}
	GDExtensionObjectPtr object = instance_id == 0 ? server_object() : godot.object_get_instance_from_id(instance_id);
	if (object != nullptr) {
		emit_signal(object, name, values);
	}
}

void EventDelivery::note_save(const std::string &signal, const std::vector<Variant> &arguments) {
	std::lock_guard<std::mutex> lock(mutex);
	if (signal == "save_opened") {
		current_save = arguments.at(0).to_string();
	} else if (signal == "save_closed") {
		current_save.clear();
	}
}

std::string EventDelivery::get_current_save() {
	std::lock_guard<std::mutex> lock(mutex);
	return current_save;
}

} // namespace rag_memory
