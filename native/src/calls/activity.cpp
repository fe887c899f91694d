#include "calls/activity.h"

#include <algorithm>

#include "calls/instance.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr std::chrono::seconds COUNT_INTERVAL(2);

Variant milliseconds(std::chrono::duration<double> duration) {
	return Variant::from_float(duration.count() * 1000.0);
}

} // namespace

void Activity::note(const FinishedCall &call) {
	finished_calls++;
	if (!call.error.empty()) {
		failed_calls++;
	}
	last_latency = call.latency;
}

void Activity::end_frame() {
	frame_cost = cost_of_this_frame;
	longest_frame_cost = std::max(longest_frame_cost, frame_cost);
	cost_of_this_frame = std::chrono::duration<double>(0);
}

bool Activity::begin_count() {
	const auto now = std::chrono::steady_clock::now();
	if (is_counting || now - counted <= COUNT_INTERVAL) {
		return false;
	}
	counted = now;
	is_counting = true;
	return true;
}

void Activity::take_counts(const Variant &answer) {
	is_counting = false;
	counts = answer;
}

void Activity::report_to(Variant &dictionary) const {
	dictionary.set_key("finished_calls", Variant::from_int(finished_calls));
	dictionary.set_key("failed_calls", Variant::from_int(failed_calls));
	dictionary.set_key("last_latency_ms", milliseconds(last_latency));
	dictionary.set_key("frame_ms", milliseconds(frame_cost));
	dictionary.set_key("longest_frame_ms", milliseconds(longest_frame_cost));
	const bool is_counted = counts.type() == GDEXTENSION_VARIANT_TYPE_DICTIONARY;
	for (const char *name : {"memories", "npcs", "loaded_memories", "missing_vectors"}) {
		dictionary.set_key(name, is_counted ? counts.get_key(name) : Variant::from_int(0));
	}
	for (const char *name : {"vector_index", "vector_index_reason", "model_error"}) {
		dictionary.set_key(name, is_counted ? counts.get_key(name) : Variant::from_string(""));
	}
	dictionary.set_key("model_is_away", is_counted ? counts.get_key("model_is_away") : Variant::from_bool(false));
	for (const char *name : {"minds", "maintenance"}) {
		dictionary.set_key(name, is_counted ? counts.get_key(name).duplicate() : Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY));
	}
}

Variant description_of(const FinishedCall &call) {
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	const GDExtensionObjectPtr object = godot.object_get_instance_from_id(call.instance_id);
	result.set_key("npc_id", object == nullptr ? Variant::from_string("") : instance_of(object)->npc_id());
	result.set_key("method", Variant::from_string(call.class_name + "." + call.method->name));
	result.set_key("is_blocking", Variant::from_bool(call.is_blocking));
	result.set_key("waited_ms", milliseconds(call.waited));
	result.set_key("worked_ms", milliseconds(call.worked));
	result.set_key("latency_ms", milliseconds(call.latency));
	result.set_key("error", Variant::from_string(call.error));
	result.set_key("result", call.result);
	return result;
}

} // namespace rag_memory
