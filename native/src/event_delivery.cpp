#include "event_delivery.h"

#include <utility>

#include "engine_calls.h"
#include "godot_api.h"

namespace rag_memory {

void EventDelivery::emit(const Variant &events) {
	int64_t next = 0;
	emit(events, next, Clock::time_point::max());
}

bool EventDelivery::emit(const Variant &events, int64_t &next, Clock::time_point until) {
	const int64_t count = events.type() == GDEXTENSION_VARIANT_TYPE_ARRAY ? events.array_size() : 0;
	while (next < count) {
		emit_one(events.at(next++));
		if (next < count && Clock::now() >= until) {
			return false;
		}
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

void EventDelivery::keep(const Variant &events) {
	std::lock_guard<std::mutex> lock(mutex);
	kept.push_back(events);
	kept_wait.store(true, std::memory_order_release);
}

void EventDelivery::emit_kept(Clock::time_point until) {
	while (true) {
		Variant events;
		{
			std::lock_guard<std::mutex> lock(mutex);
			kept_wait.store(!kept.empty(), std::memory_order_release);
			if (kept.empty()) {
				return;
			}
			events = kept.front();
		}
		if (!emit(events, next_of_first, until)) {
			return;
		}
		next_of_first = 0;
		std::lock_guard<std::mutex> lock(mutex);
		kept.pop_front();
	}
}

std::string EventDelivery::get_current_save() {
	std::lock_guard<std::mutex> lock(mutex);
	return current_save;
}

void EventDelivery::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	kept.clear();
	next_of_first = 0;
}

} // namespace rag_memory
