#include "engine/godot_api.h"

namespace rag_memory {

GodotApi godot;

namespace {

template <typename Function>
bool look_up(GDExtensionInterfaceGetProcAddress get_proc_address, const char *name, Function &function) {
	function = reinterpret_cast<Function>(get_proc_address(name));
	return function != nullptr;
}

} // namespace

bool GodotApi::load(GDExtensionInterfaceGetProcAddress get_proc_address, GDExtensionClassLibraryPtr library_token) {
	library = library_token;
	bool found = true;
#define RAG_MEMORY_LOOK_UP(name) found = look_up(get_proc_address, #name, name) && found
	RAG_MEMORY_LOOK_UP(get_godot_version);
	RAG_MEMORY_LOOK_UP(variant_new_copy);
	RAG_MEMORY_LOOK_UP(variant_new_nil);
	RAG_MEMORY_LOOK_UP(variant_destroy);
	RAG_MEMORY_LOOK_UP(variant_call);
	RAG_MEMORY_LOOK_UP(variant_get_indexed);
	RAG_MEMORY_LOOK_UP(variant_set_indexed);
	RAG_MEMORY_LOOK_UP(variant_get_keyed);
	RAG_MEMORY_LOOK_UP(variant_set_keyed);
	RAG_MEMORY_LOOK_UP(variant_get_type_name);
	RAG_MEMORY_LOOK_UP(variant_hash);
	RAG_MEMORY_LOOK_UP(variant_duplicate);
	RAG_MEMORY_LOOK_UP(variant_stringify);
	RAG_MEMORY_LOOK_UP(variant_get_type);
	RAG_MEMORY_LOOK_UP(variant_get_object_instance_id);
	RAG_MEMORY_LOOK_UP(variant_can_convert_strict);
	RAG_MEMORY_LOOK_UP(variant_construct);
	RAG_MEMORY_LOOK_UP(get_variant_from_type_constructor);
	RAG_MEMORY_LOOK_UP(get_variant_to_type_constructor);
	RAG_MEMORY_LOOK_UP(variant_get_ptr_internal_getter);
	RAG_MEMORY_LOOK_UP(variant_get_ptr_constructor);
	RAG_MEMORY_LOOK_UP(variant_get_ptr_destructor);
	RAG_MEMORY_LOOK_UP(variant_get_ptr_utility_function);
	RAG_MEMORY_LOOK_UP(string_new_with_utf8_chars_and_len);
	RAG_MEMORY_LOOK_UP(string_to_utf8_chars);
	RAG_MEMORY_LOOK_UP(string_name_new_with_utf8_chars);
	RAG_MEMORY_LOOK_UP(packed_byte_array_operator_index);
	RAG_MEMORY_LOOK_UP(packed_byte_array_operator_index_const);
	RAG_MEMORY_LOOK_UP(array_operator_index);
	RAG_MEMORY_LOOK_UP(array_operator_index_const);
	RAG_MEMORY_LOOK_UP(array_set_typed);
	RAG_MEMORY_LOOK_UP(dictionary_operator_index);
	RAG_MEMORY_LOOK_UP(object_method_bind_ptrcall);
	RAG_MEMORY_LOOK_UP(object_destroy);
	RAG_MEMORY_LOOK_UP(object_set_instance);
	RAG_MEMORY_LOOK_UP(object_set_instance_binding);
	RAG_MEMORY_LOOK_UP(object_get_instance_binding);
	RAG_MEMORY_LOOK_UP(object_get_instance_from_id);
	RAG_MEMORY_LOOK_UP(object_get_instance_id);
	RAG_MEMORY_LOOK_UP(ref_get_object);
	RAG_MEMORY_LOOK_UP(ref_set_object);
	RAG_MEMORY_LOOK_UP(global_get_singleton);
	RAG_MEMORY_LOOK_UP(callable_custom_create2);
	RAG_MEMORY_LOOK_UP(classdb_construct_object2);
	RAG_MEMORY_LOOK_UP(classdb_get_method_bind);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class4);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class_method);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class_integer_constant);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class_property);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class_property_group);
	RAG_MEMORY_LOOK_UP(classdb_register_extension_class_signal);
	RAG_MEMORY_LOOK_UP(classdb_unregister_extension_class);
	RAG_MEMORY_LOOK_UP(editor_help_load_xml_from_utf8_chars);
	if (!found) {
		return false;
	}
	GDExtensionGodotVersion version = {};
	get_godot_version(&version);
	version_minor = version.minor;
	// Looking up a name the engine does not know prints an error, hence the version check.
	if (version.major > 4 || version_minor >= 5) {
		RAG_MEMORY_LOOK_UP(register_main_loop_callbacks);
	}
#undef RAG_MEMORY_LOOK_UP
	return found;
}

} // namespace rag_memory
