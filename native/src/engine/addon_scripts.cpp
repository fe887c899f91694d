#include "engine/addon_scripts.h"

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr const char *LIVE_REPORT_SCRIPT = "res://addons/rag_memory/debug/live_report.gd";
constexpr const char *WARNINGS_SCRIPT = "res://addons/rag_memory/editor/configuration_warnings.gd";

// Kept, because an unused script would be compiled again each time.
Variant *warnings_script = nullptr;

} // namespace

Variant start_live_report() {
	Variant script = load_resource(LIVE_REPORT_SCRIPT);
	bool ok = false;
	return script.to_object() == nullptr ? Variant() : script.call(StringName("new"), {}, ok);
}

Variant configuration_warnings(GDExtensionObjectPtr node) {
	if (warnings_script == nullptr) {
		warnings_script = new Variant(load_resource(WARNINGS_SCRIPT));
	}
	bool ok = false;
	const Variant warnings = warnings_script->to_object() == nullptr
			? Variant()
			: warnings_script->call(StringName("of_node"), {Variant::from_object(node)}, ok);
	const bool is_answer = warnings.type() == GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY;
	return is_answer ? warnings : Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
}

void release_addon_scripts() {
	delete warnings_script;
	warnings_script = nullptr;
}

} // namespace rag_memory
