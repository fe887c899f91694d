#include "engine/game_function.h"

#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr const char *ANSWER = "answer_memory_async";

} // namespace

bool does_work(const Variant &object) {
	Variant asked = object;
	bool ok = false;
	return object.to_object() != nullptr && asked.call(StringName("has_method"), {Variant::from_string(ANSWER)}, ok).to_bool();
}

GameFunction::GameFunction(const Variant &given, const std::string &work) {
	Variant function = given;
	bool ok = false;
	if (does_work(given)) {
		this->work = work;
		owner = static_cast<uint64_t>(function.call(StringName("get_instance_id"), {}, ok).to_int());
		callable = given;
		return;
	}
	if (function.call(method_names->is_null, {}, ok).to_bool()) {
		return;
	}
	owner = static_cast<uint64_t>(function.call(method_names->get_object_id, {}, ok).to_int());
	callable = given;
}

bool GameFunction::can_be_called() const {
	if (!is_set() || (owner != 0 && godot.object_get_instance_from_id(owner) == nullptr)) {
		return false;
	}
	if (!work.empty()) {
		return does_work(callable);
	}
	Variant function = callable;
	bool ok = false;
	return function.call(method_names->is_valid, {}, ok).to_bool();
}

Variant GameFunction::call(const std::vector<Variant> &arguments, bool &ok) const {
	ok = false;
	if (!can_be_called()) {
		return Variant();
	}
	Variant function = callable;
	if (work.empty()) {
		return function.call(method_names->call, arguments, ok);
	}
	std::vector<Variant> with_work{Variant::from_string(work)};
	with_work.insert(with_work.end(), arguments.begin(), arguments.end());
	return function.call(StringName(ANSWER), with_work, ok);
}

} // namespace rag_memory
