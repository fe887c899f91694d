// The methods that need no worker (Kind.NATIVE in the Python declarations).
#include <string>

#include "calls/host.h"
#include "calls/instance.h"
#include "calls/mind_instance.h"
#include "engine/declaration.h"
#include "engine/engine_calls.h"
#include "engine/save_files.h"
#include "engine/variant.h"

namespace rag_memory {

Variant native_MemoryRequest_is_completed(Instance &instance, const Variant *) {
	return Variant::from_bool(static_cast<RequestInstance &>(instance).is_completed());
}

Variant native_MemoryRequest_get_result(Instance &instance, const Variant *) {
	return static_cast<RequestInstance &>(instance).get_result();
}

Variant native_MemoryRequest_get_error(Instance &instance, const Variant *) {
	return Variant::from_string(static_cast<RequestInstance &>(instance).get_error());
}

Variant native_MemoryRequest_cancel(Instance &instance, const Variant *) {
	auto &request = static_cast<RequestInstance &>(instance);
	request.is_cancelled.store(true);
	if (request.request_id != 0) {
		host->cancel(request.request_id);
	}
	return Variant();
}

Variant native_MemoryRequest_is_cancelled(Instance &instance, const Variant *) {
	return Variant::from_bool(static_cast<RequestInstance &>(instance).is_cancelled.load());
}

Variant native_MemoryRequest_complete(Instance &instance, const Variant *arguments) {
	auto &request = static_cast<RequestInstance &>(instance);
	if (request.request_id == 0 && !request.is_completed()) {
		request.complete(arguments[0], arguments[1].to_string());
		emit_signal(instance.object, "completed", {arguments[0]});
	}
	return Variant();
}

Variant native_NPCMind_get_nearby(Instance &instance, const Variant *) {
	return static_cast<MindInstance &>(instance).get_nearby();
}

Variant native_NPCMind_set_nearby(Instance &instance, const Variant *arguments) {
	static_cast<MindInstance &>(instance).set_nearby(arguments[0]);
	return Variant();
}

Variant native_MemoryServer_current_save(Instance &, const Variant *) {
	return Variant::from_string(host->get_current_save());
}

// The next three answer a title menu, which need not wait for Python to start: see Host::call_blocking.
Variant native_MemoryServer_has_save(Instance &, const Variant *arguments) {
	return arguments[1].array_size() == 0 ? has_save_file(arguments[0].to_string()) : Variant();
}

Variant native_MemoryServer_list_saves(Instance &, const Variant *arguments) {
	return arguments[0].array_size() == 0 ? list_save_files() : Variant();
}

Variant native_MemoryServer_close_save(Instance &, const Variant *) {
	return Variant::from_int(0); // none is open
}

Variant native_MemoryServer_npc(Instance &, const Variant *arguments) {
	const std::string npc_id = arguments[0].to_string();
	if (npc_id.empty()) {
		push_error("MemoryServer.npc(): npc_id is empty. Pass the id of an NPC, for example \"smith\".");
		return Variant();
	}
	return host->npc(npc_id);
}

Variant native_MemoryServer_health(Instance &instance, const Variant *) {
	return host->health(instance);
}

Variant native_MemoryServer_get_activity(Instance &instance, const Variant *) {
	return host->get_activity(instance);
}

Variant native_MemoryServer_set_clock(Instance &, const Variant *arguments) {
	host->set_clock(arguments[0]);
	return Variant();
}

} // namespace rag_memory
