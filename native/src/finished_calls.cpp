#include "finished_calls.h"

#include <utility>

#include "engine_calls.h"
#include "godot_api.h"

namespace rag_memory {

namespace {

constexpr int64_t GODOT_FAILED = 1;

bool is_error_code(const TypeDeclaration &type) {
	return std::string(type.class_name) == "Error";
}

} // namespace

Variant result_of(const MethodDeclaration &method, const Answer &answer) {
	if (answer.error.empty()) {
		return method.has_return ? answer.result : Variant();
	}
	if (is_error_code(method.return_type)) {
		return answer.result.type() == GDEXTENSION_VARIANT_TYPE_INT ? answer.result : Variant::from_int(GODOT_FAILED);
	}
	return Variant::empty(method.return_type);
}

FinishedCalls::FinishedCalls(const Worker &worker, EventDelivery &events, Activity &activity) :
		worker(worker), events(events), activity(activity) {}

void FinishedCalls::tell_error(uint64_t instance_id, const std::string &class_name, const char *method, const std::string &error) {
	if (worker.get_state() == Worker::State::FAILED || worker.get_state() == Worker::State::STOPPED) {
		return; // said once, when it happened
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		last_error = error;
	}
	push_error(class_name + "." + method + ": " + error);
	GDExtensionObjectPtr object = godot.object_get_instance_from_id(instance_id);
	if (object == nullptr || class_name != "RAGMemory") {
		return;
	}
	if (is_main_thread()) {
		emit_signal(object, "failed", {Variant::from_string(error)});
		return;
	}
	const Variant failed = array_of({Variant::from_int(static_cast<int64_t>(instance_id)), Variant::from_string("failed"), array_of({Variant::from_string(error)})});
	events.keep(array_of({failed}));
}

std::string FinishedCalls::get_last_error() {
	std::lock_guard<std::mutex> lock(mutex);
	return last_error;
}

void FinishedCalls::add(FinishedCall call) {
	if (!is_main_thread()) {
		std::lock_guard<std::mutex> lock(mutex);
		kept.push_back(std::move(call));
		kept_wait.store(true, std::memory_order_release);
		return;
	}
	activity.note(call);
	if (is_connected(server_object(), "call_finished")) {
		emit_signal(server_object(), "call_finished", {description_of(call)});
	}
}

void FinishedCalls::add_kept() {
	std::vector<FinishedCall> calls;
	{
		std::lock_guard<std::mutex> lock(mutex);
		calls = std::exchange(kept, {});
		kept_wait.store(false, std::memory_order_release);
	}
	for (FinishedCall &call : calls) {
		add(std::move(call));
	}
}

void FinishedCalls::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	kept.clear();
}

} // namespace rag_memory
