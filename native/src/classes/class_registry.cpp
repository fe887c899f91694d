#include "classes/class_registry.h"

#include <memory>
#include <string>
#include <vector>

#include "calls/host.h"
#include "calls/instance.h"
#include "classes/object_creation.h"
#include "engine/addon_scripts.h"
#include "engine/class_table.h"
#include "engine/declaration.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"
#include "engine/variant.h"

namespace rag_memory {

namespace {

// What a registered method needs when it is called.
struct MethodBinding {
	const MethodDeclaration *method;
	std::vector<Variant> defaults; // of the last arguments
};

// Backs the pointers of a GDExtensionPropertyInfo while the engine copies it.
class PropertyInfo {
public:
	PropertyInfo(const char *name, const TypeDeclaration &type) :
			property_name(name), class_name(type.class_name), hint_string(Variant::from_string(type.hint_string)) {
		hint_string.to_type(GDEXTENSION_VARIANT_TYPE_STRING, string);
		info = {type.type, property_name.get(), class_name.get(), type.hint, string, type.usage};
	}
	~PropertyInfo() { godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_STRING)(string); }
	PropertyInfo(const PropertyInfo &) = delete;
	PropertyInfo &operator=(const PropertyInfo &) = delete;

	GDExtensionPropertyInfo info;

private:
	StringName property_name;
	StringName class_name;
	Variant hint_string;
	alignas(8) uint8_t string[TYPE_STORAGE_BYTES];
};

// Several of them in the array the engine wants.
class PropertyInfos {
public:
	PropertyInfos(const ArgumentDeclaration *arguments, uint32_t count) {
		for (uint32_t i = 0; i < count; i++) {
			backing.push_back(std::make_unique<PropertyInfo>(arguments[i].name, arguments[i].type));
			infos.push_back(backing.back()->info);
		}
	}
	GDExtensionPropertyInfo *data() { return infos.data(); }

private:
	std::vector<std::unique_ptr<PropertyInfo>> backing;
	std::vector<GDExtensionPropertyInfo> infos;
};

constexpr TypeDeclaration REQUEST_TYPE = {GDEXTENSION_VARIANT_TYPE_OBJECT, "MemoryRequest", 0, "", 6, GDEXTENSION_VARIANT_TYPE_NIL};

std::vector<std::unique_ptr<MethodBinding>> bindings;

const TypeDeclaration &returned_type(const MethodDeclaration &method) {
	return method.kind == MethodKind::WORKER_ASYNC ? REQUEST_TYPE : method.return_type;
}

Variant dispatch(const MethodDeclaration &method, GDExtensionClassInstancePtr pointer, const Variant *arguments) {
	const std::shared_ptr<Instance> held = instance_in_call(static_cast<Instance *>(pointer));
	if (held == nullptr) {
		push_error(std::string(method.name) + "(): its object was freed by another thread at this moment.");
		return method.has_return ? Variant::empty(returned_type(method)) : Variant();
	}
	Instance &instance = *held;
	switch (method.kind) {
		case MethodKind::WORKER_BLOCKING:
			return host->call_blocking(instance, method, arguments);
		case MethodKind::WORKER_ASYNC:
			return host->call_async(instance, method, arguments);
		case MethodKind::WORKER_POST:
			host->post(instance, method, arguments);
			return Variant();
		case MethodKind::NATIVE:
			return method.native(instance, arguments);
		case MethodKind::PROPERTY_GET:
			return instance.get_property(static_cast<uint32_t>(method.id));
		case MethodKind::PROPERTY_SET:
			instance.set_property(static_cast<uint32_t>(method.id), arguments[0]);
			return Variant();
	}
	return Variant();
}

// Object.set() and a resource file that is loaded say nothing of a value of another type.
void warn_of_refused(const Instance &instance, const MethodDeclaration &setter, const Variant &value) {
	const auto index = static_cast<uint32_t>(setter.id);
	const PropertyDeclaration &property = instance.declaration.properties[index];
	push_warning(std::string(instance.declaration.name) + "." + property.name + " cannot be set to " + value.shown() +
			" of type " + value.type_name() + ". It stays " + instance.get_property(index).shown() + ".");
}

// A config of another class: the call says so itself, in a release build, too.
bool is_refused_later(const MethodDeclaration &method, const TypeDeclaration &type, const Variant &value) {
	return method.kind != MethodKind::PROPERTY_SET && is_config(type) && value.to_object() != nullptr;
}

void call(void *userdata, GDExtensionClassInstancePtr instance, const GDExtensionConstVariantPtr *arguments, GDExtensionInt argument_count, GDExtensionVariantPtr result, GDExtensionCallError *error) {
	const auto &binding = *static_cast<MethodBinding *>(userdata);
	const MethodDeclaration &method = *binding.method;
	const size_t count = static_cast<size_t>(argument_count);
	const size_t required = method.argument_count - binding.defaults.size();
	if (count > method.argument_count || count < required) {
		error->error = count < required ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
		error->expected = static_cast<int32_t>(count < required ? required : method.argument_count);
		return;
	}
	std::vector<Variant> values(method.argument_count);
	for (size_t i = 0; i < method.argument_count; i++) {
		const TypeDeclaration &type = method.arguments[i].type;
		if (i >= count) {
			values[i] = binding.defaults[i - required].duplicate();
		} else if (!Variant::from_raw(arguments[i]).convert_to(type, values[i]) && !is_refused_later(method, type, values[i])) {
			if (method.kind == MethodKind::PROPERTY_SET) {
				warn_of_refused(*static_cast<Instance *>(instance), method, Variant::from_raw(arguments[i]));
			}
			*error = {GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT, static_cast<int32_t>(i), type.type};
			return;
		}
	}
	const Variant returned = dispatch(method, instance, values.data());
	godot.variant_destroy(result);
	godot.variant_new_copy(result, returned.raw());
	error->error = GDEXTENSION_CALL_OK;
}

constexpr uint32_t HINT_NODE_TYPE = 34;

bool is_node(const TypeDeclaration &type) {
	return type.type == GDEXTENSION_VARIANT_TYPE_OBJECT && type.hint == HINT_NODE_TYPE;
}

// A node arrives as a pointer to it, anything else, being RefCounted, as a reference.
GDExtensionObjectPtr object_argument(const TypeDeclaration &type, GDExtensionConstTypePtr argument) {
	if (argument == nullptr) {
		return nullptr;
	}
	return is_node(type) ? *static_cast<const GDExtensionObjectPtr *>(argument) : godot.ref_get_object(argument);
}

void ptrcall(void *userdata, GDExtensionClassInstancePtr instance, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
	const MethodDeclaration &method = *static_cast<MethodBinding *>(userdata)->method;
	std::vector<Variant> values;
	values.reserve(method.argument_count);
	for (uint32_t i = 0; i < method.argument_count; i++) {
		const GDExtensionVariantType type = method.arguments[i].type.type;
		values.push_back(type == GDEXTENSION_VARIANT_TYPE_OBJECT
						? Variant::from_object(object_argument(method.arguments[i].type, arguments[i]))
						: Variant::from_type(type, arguments[i]));
	}
	const Variant returned = dispatch(method, instance, values.data());
	if (!method.has_return) {
		return;
	}
	const GDExtensionVariantType type = returned_type(method).type;
	if (type == GDEXTENSION_VARIANT_TYPE_NIL) {
		godot.variant_destroy(result);
		godot.variant_new_copy(result, returned.raw());
	} else if (is_node(returned_type(method))) {
		*static_cast<GDExtensionObjectPtr *>(result) = returned.to_object();
	} else if (type == GDEXTENSION_VARIANT_TYPE_OBJECT) {
		godot.ref_set_object(result, returned.to_object());
	} else {
		// The engine hands over an initialised value.
		const GDExtensionPtrDestructor destroy = godot.variant_get_ptr_destructor(type);
		if (destroy != nullptr) {
			destroy(result);
		}
		returned.to_type(type, result);
	}
}

void register_method(const ClassDeclaration &declaration, const MethodDeclaration &method) {
	auto binding = std::make_unique<MethodBinding>();
	binding->method = &method;
	std::vector<GDExtensionVariantPtr> default_values;
	for (uint32_t i = 0; i < method.argument_count; i++) {
		const Bytes &value = method.arguments[i].default_value;
		if (value.data != nullptr) {
			binding->defaults.push_back(deserialise(value.data, value.size));
		}
	}
	for (Variant &value : binding->defaults) {
		default_values.push_back(value.raw());
	}
	const StringName name(method.name);
	PropertyInfos arguments(method.arguments, method.argument_count);
	std::vector<GDExtensionClassMethodArgumentMetadata> metadata(method.argument_count, GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE);
	PropertyInfo return_info("", returned_type(method));
	GDExtensionClassMethodInfo info = {};
	info.name = name.get();
	info.method_userdata = binding.get();
	info.call_func = call;
	info.ptrcall_func = ptrcall;
	info.method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT;
	if (method.is_const) {
		info.method_flags |= GDEXTENSION_METHOD_FLAG_CONST;
	}
	info.has_return_value = method.has_return;
	info.return_value_info = &return_info.info;
	info.argument_count = method.argument_count;
	info.arguments_info = arguments.data();
	info.arguments_metadata = metadata.data();
	info.default_argument_count = static_cast<uint32_t>(default_values.size());
	info.default_arguments = default_values.data();
	godot.classdb_register_extension_class_method(godot.library, StringName(declaration.name).get(), &info);
	bindings.push_back(std::move(binding));
}

void register_properties(const ClassDeclaration &declaration) {
	const StringName class_name(declaration.name);
	std::string group;
	for (uint32_t i = 0; i < declaration.property_count; i++) {
		const PropertyDeclaration &property = declaration.properties[i];
		if (group != property.group) {
			group = property.group;
			const PropertyInfo name("", {GDEXTENSION_VARIANT_TYPE_NIL, "", 0, property.group, 0, GDEXTENSION_VARIANT_TYPE_NIL});
			const PropertyInfo no_prefix("", {GDEXTENSION_VARIANT_TYPE_NIL, "", 0, "", 0, GDEXTENSION_VARIANT_TYPE_NIL});
			godot.classdb_register_extension_class_property_group(godot.library, class_name.get(), name.info.hint_string, no_prefix.info.hint_string);
		}
		const PropertyInfo info(property.name, property.type);
		godot.classdb_register_extension_class_property(godot.library, class_name.get(), &info.info, StringName(property.setter).get(), StringName(property.getter).get());
	}
}

void get_configuration_warnings(GDExtensionClassInstancePtr instance, const GDExtensionConstTypePtr *, GDExtensionTypePtr result) {
	if (!is_in_editor()) {
		return; // the result is empty as it is
	}
	const Variant warnings = configuration_warnings(static_cast<Instance *>(instance)->object);
	godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY)(result);
	warnings.to_type(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY, result);
}

// Of a completed request `completed` is a signal that is still to come, so that nobody waits for ever.
GDExtensionBool get_signal_of_request(GDExtensionClassInstancePtr instance, GDExtensionConstStringNamePtr name, GDExtensionVariantPtr result) {
	const auto &request = *static_cast<RequestInstance *>(instance);
	if (!method_names->completed.is(name) || !request.is_completed()) {
		return false;
	}
	const Variant signal = host->late_signal(request);
	godot.variant_destroy(result);
	godot.variant_new_copy(result, signal.raw());
	return true;
}

void register_members(const ClassDeclaration &declaration) {
	const StringName class_name(declaration.name);
	for (uint32_t i = 0; i < declaration.constant_count; i++) {
		const ConstantDeclaration &constant = declaration.constants[i];
		godot.classdb_register_extension_class_integer_constant(godot.library, class_name.get(), StringName(constant.enum_name).get(), StringName(constant.name).get(), constant.value, false);
	}
	for (uint32_t i = 0; i < declaration.method_count; i++) {
		register_method(declaration, declaration.methods[i]);
	}
	register_properties(declaration);
	for (uint32_t i = 0; i < declaration.signal_count; i++) {
		const SignalDeclaration &signal = declaration.signals[i];
		PropertyInfos arguments(signal.arguments, signal.argument_count);
		godot.classdb_register_extension_class_signal(godot.library, class_name.get(), StringName(signal.name).get(), arguments.data(), signal.argument_count);
	}
}

void register_class(const ClassDeclaration &declaration) {
	const StringName class_name(declaration.name);
	GDExtensionClassCreationInfo4 info = {};
	info.is_exposed = true;
	info.notification_func = [](GDExtensionClassInstancePtr instance, int32_t what, GDExtensionBool) {
		static_cast<Instance *>(instance)->notification(what);
	};
	info.create_instance_func = [](void *userdata, GDExtensionBool notify_postinitialize) {
		return create_object(*static_cast<const ClassDeclaration *>(userdata), notify_postinitialize != 0);
	};
	info.free_instance_func = [](void *, GDExtensionClassInstancePtr instance) { free_instance(static_cast<Instance *>(instance)); };
	if (declaration.role == ClassRole::NODE || declaration.role == ClassRole::MIND) {
		info.get_virtual_func = [](void *, GDExtensionConstStringNamePtr name, uint32_t) -> GDExtensionClassCallVirtual {
			return method_names->get_configuration_warnings.is(name) ? get_configuration_warnings : nullptr;
		};
	}
	if (declaration.role == ClassRole::REQUEST) {
		info.get_func = get_signal_of_request;
	}
	info.class_userdata = const_cast<ClassDeclaration *>(&declaration);
	godot.classdb_register_extension_class4(godot.library, class_name.get(), StringName(declaration.base).get(), &info);
	register_members(declaration);
}
} // namespace

void register_classes() {
	for (const ClassDeclaration &declaration : declared_classes()) {
		if (is_addition(declaration)) {
			register_members(declaration);
		} else {
			register_class(declaration);
		}
	}
}

void unregister_classes() {
	const std::vector<ClassDeclaration> &classes = declared_classes();
	for (auto declaration = classes.rbegin(); declaration != classes.rend(); ++declaration) {
		if (!is_addition(*declaration)) {
			godot.classdb_unregister_extension_class(godot.library, StringName(declaration->name).get());
		}
	}
	bindings.clear();
}

void register_help() {
	for (const ClassDeclaration &declaration : declared_classes()) {
		godot.editor_help_load_xml_from_utf8_chars(declaration.help_xml);
	}
}

} // namespace rag_memory
