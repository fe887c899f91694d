#include "calls/game_questions.h"

#include <utility>

#include "calls/host.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr const char *NOT_AWAITED_ERROR =
		"it has to be awaited, and the game stands still in a call that blocks; use the form of that call that ends in _async";
constexpr const char *ASKED_AGAIN_ERROR = "it made a call that asks it again, which would never end";
constexpr int64_t CONNECT_ONE_SHOT = 4;
constexpr int64_t GODOT_OK = 0;

} // namespace

GameQuestions::GameQuestions(Worker &worker) :
		worker(worker) {}

void GameQuestions::set_function(uint32_t which, const Variant &function, const std::string &name) {
	GameFunction given(function, name);
	worker.set_may_ask(which, given.is_set());
	std::lock_guard<std::mutex> lock(mutex);
	std::swap(functions[which], given); // what was there is destroyed after the lock
}

GameFunction GameQuestions::get_function(uint32_t which) {
	std::lock_guard<std::mutex> lock(mutex);
	return functions[which];
}

void GameQuestions::put(const Question &question, bool can_wait) {
	if (is_asking) {
		worker.reply(question.id, Variant(), ASKED_AGAIN_ERROR);
		return;
	}
	is_asking = true;
	bool ok = false;
	const Variant reply = get_function(question.which).call({deserialise(question.arguments.data(), question.arguments.size())}, ok);
	is_asking = false;
	if (!ok) {
		worker.reply(question.id, Variant(), "it cannot be called: it has to be a function of one Dictionary, of an object that still exists");
	} else if (reply.type() != GDEXTENSION_VARIANT_TYPE_OBJECT && reply.type() != GDEXTENSION_VARIANT_TYPE_SIGNAL) {
		take_reply(question.id, reply);
	} else if (!can_wait) {
		worker.reply(question.id, Variant(), NOT_AWAITED_ERROR);
	} else if (!await_reply(question.id, reply)) {
		worker.reply(question.id, Variant(), "it returned " + reply.shown() + ", which has no signal completed");
	}
}

// A coroutine, a MemoryRequest, or any object with a signal `completed`, or a signal itself.
bool GameQuestions::await_reply(uint64_t question_id, const Variant &promise) {
	const GDExtensionCallableCustomCall completed = [](void *userdata, const GDExtensionConstVariantPtr *arguments, GDExtensionInt count, GDExtensionVariantPtr, GDExtensionCallError *error) {
		error->error = GDEXTENSION_CALL_OK;
		if (host != nullptr) {
			host->take_reply(reinterpret_cast<uintptr_t>(userdata), count > 0 ? Variant::from_raw(arguments[0]) : Variant());
		}
	};
	const Variant callable = callable_of(completed, reinterpret_cast<void *>(static_cast<uintptr_t>(question_id)));
	const Variant once = Variant::from_int(CONNECT_ONE_SHOT);
	const Variant name = Variant::from_string("completed");
	Variant source = promise;
	bool ok = false;
	if (promise.type() == GDEXTENSION_VARIANT_TYPE_SIGNAL) {
		return source.call(StringName("connect"), {callable, once}, ok).to_int() == GODOT_OK && ok;
	}
	if (source.to_object() == nullptr || !source.call(StringName("has_signal"), {name}, ok).to_bool()) {
		return false;
	}
	// A MemoryRequest that is complete already emits no more.
	const Variant is_completed = source.call(StringName("is_completed"), {}, ok);
	if (ok && is_completed.to_bool()) {
		worker.reply(question_id, source.call(StringName("get_result"), {}, ok), "");
		return true;
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		promises[question_id] = promise;
	}
	source.call(StringName("connect"), {name, callable, once}, ok);
	return ok;
}

void GameQuestions::take_reply(uint64_t question_id, const Variant &reply) {
	Variant promise; // destroyed after the lock
	{
		std::lock_guard<std::mutex> lock(mutex);
		const auto found = promises.find(question_id);
		if (found != promises.end()) {
			promise = std::move(found->second);
			promises.erase(found);
		}
	}
	worker.reply(question_id, reply, "");
}

void GameQuestions::clear() {
	std::unordered_map<uint64_t, Variant> cleared; // destroyed after the lock
	std::lock_guard<std::mutex> lock(mutex);
	cleared.swap(promises);
}

} // namespace rag_memory
