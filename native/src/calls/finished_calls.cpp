#include "calls/finished_calls.h"

#include <utility>

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr int64_t GODOT_FAILED = 1;

void emit_failed(uint64_t instance_id, const std::string &class_name, const std::string &error) {
	const GDExtensionObjectPtr object = godot.object_get_instance_from_id(instance_id);
	if (object != nullptr && (class_name == "RAGMemory" || class_name == "NPCMind" || class_name == "MemoryWorld")) {
		emit_signal(object, "failed", {Variant::from_string(error)});
	}
}

// The name of the method and what failed; most errors of the core begin with the name of its blocking form.
std::string line_of(const std::string &method, const std::string &error) {
	const std::string suffix = "_async";
	const bool is_async = method.size() > suffix.size() && method.compare(method.size() - suffix.size(), suffix.size(), suffix) == 0;
	const std::string name = is_async ? method.substr(0, method.size() - suffix.size()) : method;
	const bool names_it = error.compare(0, name.size() + 2, name + "()") == 0;
	return names_it ? method + error.substr(name.size()) : method + ": " + error;
}

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

FinishedCalls::FinishedCalls(const Worker &worker, Activity &activity) :
		worker(worker), activity(activity) {}

bool FinishedCalls::has_runtime_ended() const {
	return worker.get_state() == Worker::State::FAILED || worker.get_state() == Worker::State::STOPPED;
}

void FinishedCalls::tell_error(uint64_t instance_id, const std::string &class_name, const char *method, const std::string &error) {
	if (has_runtime_ended()) {
		return;
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		last_error = error;
	}
	push_error(class_name + "." + line_of(method, error));
	if (is_main_thread()) {
		emit_failed(instance_id, class_name, error);
	}
}

std::string FinishedCalls::get_last_error() {
	std::lock_guard<std::mutex> lock(mutex);
	return last_error;
}

void FinishedCalls::add(FinishedCall call) {
	if (!is_main_thread()) {
		call.result = call.result.duplicate(); // the thread may write into its own
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
		if (!call.error.empty() && !has_runtime_ended()) {
			emit_failed(call.instance_id, call.class_name, call.error);
		}
		add(std::move(call));
	}
}

void FinishedCalls::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	kept.clear();
}

} // namespace rag_memory
