#include "engine/engine_calls.h"

#include "engine/godot_api.h"

namespace rag_memory {

namespace {

GDExtensionObjectPtr engine;
GDExtensionObjectPtr operating_system;
GDExtensionMethodBindPtr engine_is_editor_hint;
GDExtensionMethodBindPtr engine_register_singleton;
GDExtensionMethodBindPtr engine_unregister_singleton;
GDExtensionMethodBindPtr engine_get_main_loop;
GDExtensionMethodBindPtr os_get_user_data_dir;
GDExtensionMethodBindPtr os_is_debug_build;
GDExtensionMethodBindPtr object_notification;
GDExtensionPtrUtilityFunction utility_print;
GDExtensionPtrUtilityFunction utility_push_warning;
GDExtensionPtrUtilityFunction utility_push_error;

GDExtensionMethodBindPtr method_bind(const char *class_name, const char *method, int64_t hash) {
	return godot.classdb_get_method_bind(StringName(class_name).get(), StringName(method).get(), hash);
}

GDExtensionPtrUtilityFunction utility(const char *name, int64_t hash) {
	return godot.variant_get_ptr_utility_function(StringName(name).get(), hash);
}

void say(GDExtensionPtrUtilityFunction function, const std::string &text) {
	const Variant line = Variant::from_string(text);
	const GDExtensionConstTypePtr arguments[] = {line.raw()};
	function(nullptr, arguments, 1);
}

} // namespace

void load_engine_calls() {
	engine = godot.global_get_singleton(StringName("Engine").get());
	operating_system = godot.global_get_singleton(StringName("OS").get());
	engine_is_editor_hint = method_bind("Engine", "is_editor_hint", ENGINE_HASHES.is_editor_hint);
	engine_register_singleton = method_bind("Engine", "register_singleton", ENGINE_HASHES.register_singleton);
	engine_unregister_singleton = method_bind("Engine", "unregister_singleton", ENGINE_HASHES.unregister_singleton);
	engine_get_main_loop = method_bind("Engine", "get_main_loop", ENGINE_HASHES.get_main_loop);
	os_get_user_data_dir = method_bind("OS", "get_user_data_dir", ENGINE_HASHES.get_user_data_dir);
	os_is_debug_build = method_bind("OS", "is_debug_build", ENGINE_HASHES.is_debug_build);
	object_notification = method_bind("Object", "notification", ENGINE_HASHES.notification);
	utility_print = utility("print", ENGINE_HASHES.print);
	utility_push_warning = utility("push_warning", ENGINE_HASHES.push_warning);
	utility_push_error = utility("push_error", ENGINE_HASHES.push_error);
}

bool is_in_editor() {
	GDExtensionBool result = 0;
	godot.object_method_bind_ptrcall(engine_is_editor_hint, engine, nullptr, &result);
	return result != 0;
}

bool is_debug_build() {
	GDExtensionBool result = 0;
	godot.object_method_bind_ptrcall(os_is_debug_build, operating_system, nullptr, &result);
	return result != 0;
}

bool is_debugged() {
	Variant debugger = Variant::from_object(godot.global_get_singleton(StringName("EngineDebugger").get()));
	bool ok = false;
	return debugger.call(StringName("is_active"), {}, ok).to_bool();
}

std::string user_data_folder() {
	uint8_t string[TYPE_STORAGE_BYTES];
	godot.string_new_with_utf8_chars_and_len(string, "", 0);
	godot.object_method_bind_ptrcall(os_get_user_data_dir, operating_system, nullptr, string);
	std::string folder = string_to_utf8(string);
	godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_STRING)(string);
	return folder;
}

Variant project_setting(const std::string &name, const Variant &default_value) {
	Variant settings = Variant::from_object(godot.global_get_singleton(StringName("ProjectSettings").get()));
	bool ok = false;
	return settings.call(StringName("get_setting"), {Variant::from_string(name), default_value}, ok);
}

std::string project_folder() {
	Variant settings = Variant::from_object(godot.global_get_singleton(StringName("ProjectSettings").get()));
	bool ok = false;
	return settings.call(StringName("globalize_path"), {Variant::from_string("res://")}, ok).to_string();
}

Variant load_resource(const std::string &path) {
	Variant loader = Variant::from_object(godot.global_get_singleton(StringName("ResourceLoader").get()));
	const Variant name = Variant::from_string(path);
	bool ok = false;
	if (!loader.call(StringName("exists"), {name}, ok).to_bool()) {
		return Variant();
	}
	return loader.call(StringName("load"), {name}, ok);
}

void register_singleton(const char *name, GDExtensionObjectPtr object) {
	const StringName singleton(name);
	const GDExtensionConstTypePtr arguments[] = {singleton.get(), &object};
	godot.object_method_bind_ptrcall(engine_register_singleton, engine, arguments, nullptr);
}

void unregister_singleton(const char *name) {
	const StringName singleton(name);
	const GDExtensionConstTypePtr arguments[] = {singleton.get()};
	godot.object_method_bind_ptrcall(engine_unregister_singleton, engine, arguments, nullptr);
}

GDExtensionObjectPtr main_loop() {
	GDExtensionObjectPtr result = nullptr;
	godot.object_method_bind_ptrcall(engine_get_main_loop, engine, nullptr, &result);
	return result;
}

void send_postinitialize(GDExtensionObjectPtr object) {
	const int64_t notification_postinitialize = 0;
	const GDExtensionBool reversed = 0;
	const GDExtensionConstTypePtr arguments[] = {&notification_postinitialize, &reversed};
	godot.object_method_bind_ptrcall(object_notification, object, arguments, nullptr);
}

void print_line(const std::string &text) {
	say(utility_print, text);
}

void push_warning(const std::string &text) {
	say(utility_push_warning, text);
}

void push_error(const std::string &text) {
	say(utility_push_error, text);
}

void emit_signal(GDExtensionObjectPtr object, const std::string &name, const std::vector<Variant> &arguments) {
	std::vector<Variant> all = {Variant::from_string(name)};
	all.insert(all.end(), arguments.begin(), arguments.end());
	bool ok = false;
	Variant::from_object(object).call(method_names->emit_signal, all, ok);
}

bool is_connected(GDExtensionObjectPtr object, const std::string &signal) {
	bool ok = false;
	return Variant::from_object(object).call(method_names->get_signal_connection_list, {Variant::from_string(signal)}, ok).array_size() > 0;
}

void disconnect_all(GDExtensionObjectPtr object, const std::string &signal) {
	Variant source = Variant::from_object(object);
	const Variant name = Variant::from_string(signal);
	bool ok = false;
	const Variant connections = source.call(method_names->get_signal_connection_list, {name}, ok);
	for (int64_t i = 0; i < connections.array_size(); i++) {
		source.call(StringName("disconnect"), {name, connections.at(i).get_key("callable")}, ok);
	}
}

GDExtensionObjectPtr server_object() {
	return godot.global_get_singleton(StringName("MemoryServer").get());
}

GDExtensionObjectPtr world_object() {
	return godot.global_get_singleton(StringName("MemoryWorld").get());
}

Variant callable_of(GDExtensionCallableCustomCall function, void *userdata) {
	GDExtensionCallableCustomInfo2 info = {};
	info.callable_userdata = userdata;
	info.token = godot.library;
	info.call_func = function;
	alignas(8) uint8_t callable[TYPE_STORAGE_BYTES];
	godot.callable_custom_create2(callable, &info);
	Variant result = Variant::from_type(GDEXTENSION_VARIANT_TYPE_CALLABLE, callable);
	godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_CALLABLE)(callable);
	return result;
}

} // namespace rag_memory
