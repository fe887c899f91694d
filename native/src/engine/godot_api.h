// The engine functions the host uses, looked up once by name.
// Interface functions covered: variant_*, string_*, string_name_*, object_*, ref_*, array_*, dictionary_operator_index,
// packed_byte_array_*, classdb_*, global_get_singleton, get_library_path, register_main_loop_callbacks (4.5+),
// editor_help_load_xml_from_utf8_chars.
#pragma once

#include "gdextension_interface.h"

namespace rag_memory {

// Present from Godot 4.5 on; declared here because a 4.4 header does not have them.
struct MainLoopCallbacks {
	void (*startup)();
	void (*shutdown)();
	void (*frame)();
};
using RegisterMainLoopCallbacks = void (*)(GDExtensionClassLibraryPtr, const MainLoopCallbacks *);
using LoadHelpXml = void (*)(const char *);

struct GodotApi {
	GDExtensionClassLibraryPtr library = nullptr;
	uint32_t version_minor = 0;

	GDExtensionInterfaceGetGodotVersion get_godot_version = nullptr;
	GDExtensionInterfaceVariantNewCopy variant_new_copy = nullptr;
	GDExtensionInterfaceVariantNewNil variant_new_nil = nullptr;
	GDExtensionInterfaceVariantDestroy variant_destroy = nullptr;
	GDExtensionInterfaceVariantCall variant_call = nullptr;
	GDExtensionInterfaceVariantGetIndexed variant_get_indexed = nullptr;
	GDExtensionInterfaceVariantSetIndexed variant_set_indexed = nullptr;
	GDExtensionInterfaceVariantGetKeyed variant_get_keyed = nullptr;
	GDExtensionInterfaceVariantSetKeyed variant_set_keyed = nullptr;
	GDExtensionInterfaceVariantGetTypeName variant_get_type_name = nullptr;
	GDExtensionInterfaceVariantHash variant_hash = nullptr;
	GDExtensionInterfaceVariantDuplicate variant_duplicate = nullptr;
	GDExtensionInterfaceVariantStringify variant_stringify = nullptr;
	GDExtensionInterfaceVariantGetType variant_get_type = nullptr;
	GDExtensionInterfaceVariantGetObjectInstanceId variant_get_object_instance_id = nullptr;
	GDExtensionInterfaceVariantCanConvertStrict variant_can_convert_strict = nullptr;
	GDExtensionInterfaceVariantConstruct variant_construct = nullptr;
	GDExtensionInterfaceGetVariantFromTypeConstructor get_variant_from_type_constructor = nullptr;
	GDExtensionInterfaceGetVariantToTypeConstructor get_variant_to_type_constructor = nullptr;
	GDExtensionInterfaceGetVariantGetInternalPtrFunc variant_get_ptr_internal_getter = nullptr;
	GDExtensionInterfaceVariantGetPtrConstructor variant_get_ptr_constructor = nullptr;
	GDExtensionInterfaceVariantGetPtrDestructor variant_get_ptr_destructor = nullptr;
	GDExtensionInterfaceVariantGetPtrUtilityFunction variant_get_ptr_utility_function = nullptr;
	GDExtensionInterfaceStringNewWithUtf8CharsAndLen string_new_with_utf8_chars_and_len = nullptr;
	GDExtensionInterfaceStringToUtf8Chars string_to_utf8_chars = nullptr;
	GDExtensionInterfaceStringNameNewWithUtf8Chars string_name_new_with_utf8_chars = nullptr;
	GDExtensionInterfacePackedByteArrayOperatorIndex packed_byte_array_operator_index = nullptr;
	GDExtensionInterfacePackedByteArrayOperatorIndexConst packed_byte_array_operator_index_const = nullptr;
	GDExtensionInterfaceArrayOperatorIndex array_operator_index = nullptr;
	GDExtensionInterfaceArrayOperatorIndexConst array_operator_index_const = nullptr;
	GDExtensionInterfaceArraySetTyped array_set_typed = nullptr;
	GDExtensionInterfaceDictionaryOperatorIndex dictionary_operator_index = nullptr;
	GDExtensionInterfaceObjectMethodBindPtrcall object_method_bind_ptrcall = nullptr;
	GDExtensionInterfaceObjectDestroy object_destroy = nullptr;
	GDExtensionInterfaceObjectSetInstance object_set_instance = nullptr;
	GDExtensionInterfaceObjectSetInstanceBinding object_set_instance_binding = nullptr;
	GDExtensionInterfaceObjectGetInstanceBinding object_get_instance_binding = nullptr;
	GDExtensionInterfaceObjectGetInstanceFromId object_get_instance_from_id = nullptr;
	GDExtensionInterfaceObjectGetInstanceId object_get_instance_id = nullptr;
	GDExtensionInterfaceRefGetObject ref_get_object = nullptr;
	GDExtensionInterfaceRefSetObject ref_set_object = nullptr;
	GDExtensionInterfaceGlobalGetSingleton global_get_singleton = nullptr;
	GDExtensionInterfaceCallableCustomCreate2 callable_custom_create2 = nullptr;
	GDExtensionInterfaceClassdbConstructObject2 classdb_construct_object2 = nullptr;
	GDExtensionInterfaceClassdbGetMethodBind classdb_get_method_bind = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClass4 classdb_register_extension_class4 = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClassMethod classdb_register_extension_class_method = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClassIntegerConstant classdb_register_extension_class_integer_constant = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClassProperty classdb_register_extension_class_property = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClassPropertyGroup classdb_register_extension_class_property_group = nullptr;
	GDExtensionInterfaceClassdbRegisterExtensionClassSignal classdb_register_extension_class_signal = nullptr;
	GDExtensionInterfaceClassdbUnregisterExtensionClass classdb_unregister_extension_class = nullptr;
	LoadHelpXml editor_help_load_xml_from_utf8_chars = nullptr;
	RegisterMainLoopCallbacks register_main_loop_callbacks = nullptr; // null on 4.4

	// False when this engine lacks a function the host needs.
	bool load(GDExtensionInterfaceGetProcAddress get_proc_address, GDExtensionClassLibraryPtr library_token);
};

extern GodotApi godot;

} // namespace rag_memory
