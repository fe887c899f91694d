#include "engine/game_function.h"

#include "engine/godot_api.h"

namespace rag_memory {

GameFunction::GameFunction(const Variant &given) {
	Variant function = given;
	bool ok = false;
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
	return function.call(method_names->call, arguments, ok);
}

} // namespace rag_memory
