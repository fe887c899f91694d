#include "calls/sent_arguments.h"

#include <algorithm>

#include "calls/instance.h"
#include "engine/class_table.h"
#include "engine/file_reading.h"
#include "worker/worker.h"

namespace rag_memory {

namespace {

constexpr uint32_t HINT_FILE = 13;
// Of the addon's Resources that are scripts: what they hold as plain data.
constexpr const char *TO_DATA = "to_data";
// As deep below a Dictionary may others have Resources: the config of a mind that is an option.
constexpr int MOST_LEVELS = 2;

bool is_file(const TypeDeclaration &type) {
	return type.type == GDEXTENSION_VARIANT_TYPE_STRING && type.hint == HINT_FILE;
}

bool needs_change(const ArgumentDeclaration &argument) {
	return is_config(argument.type) || is_file(argument.type) || may_hold_resources(argument.type);
}

bool is_own_config(const std::string &class_name) {
	const ClassDeclaration *declaration = declared_class(class_name);
	return declaration != nullptr && declaration->role == ClassRole::CONFIG;
}

/// A class name with its article: "a MemoryConfig", "an NPCMindConfig".
std::string with_article(const std::string &class_name) {
	if (class_name.empty()) {
		return "no object";
	}
	const bool sounds_like_a_vowel = class_name.rfind("NPC", 0) == 0 || std::string("AEIO").find(class_name[0]) != std::string::npos;
	return (sounds_like_a_vowel ? "an " : "a ") + class_name;
}

} // namespace

SentArguments::SentArguments(const MethodDeclaration &method, const Variant *arguments) :
		given(arguments) {
	if (!std::any_of(method.arguments, method.arguments + method.argument_count, needs_change)) {
		return;
	}
	changed.assign(arguments, arguments + method.argument_count);
	for (uint32_t i = 0; i < method.argument_count; i++) {
		const TypeDeclaration &type = method.arguments[i].type;
		if (is_config(type)) {
			replace_config(method, i);
		} else if (may_hold_resources(type)) {
			const Variant sent = with_data(changed[i], type.type == GDEXTENSION_VARIANT_TYPE_DICTIONARY ? MOST_LEVELS : 0);
			if (sent.type() != GDEXTENSION_VARIANT_TYPE_NIL) {
				changed[i] = sent;
			}
		} else if (is_file(type) && is_engine_path(changed[i].to_string())) {
			changed[i] = read_file(changed[i].to_string());
		}
	}
	if (shared.has_failed() && error.empty()) {
		error = Worker::NOT_SERIALISED_ERROR;
	}
}

void SentArguments::replace_config(const MethodDeclaration &method, uint32_t index) {
	const ArgumentDeclaration &argument = method.arguments[index];
	const std::string class_name = argument.type.class_name;
	Variant config = changed[index];
	bool ok = false;
	if (config.to_object() == nullptr) {
		changed[index] = Variant();
	} else if (config.call(StringName("is_class"), {Variant::from_string(class_name)}, ok).to_bool()) {
		changed[index] = values_of_config(config, shared);
	} else {
		const std::string given_class = config.call(StringName("get_class"), {}, ok).to_string();
		error = std::string(argument.name) + " is " + with_article(given_class) + ": it has to be " + with_article(class_name) + ". Pass one, or null for the defaults.";
	}
}

Variant SentArguments::with_data(Variant container, int levels) {
	const bool is_array = container.type() == GDEXTENSION_VARIANT_TYPE_ARRAY;
	bool ok = false;
	const Variant keys = is_array ? Variant() : container.call(method_names->keys, {}, ok);
	const Variant items = is_array ? container : container.call(method_names->values, {}, ok);
	const int64_t count = items.array_size();
	Variant sent; // a new one once something is replaced: the game's may be typed, and is the game's
	for (int64_t i = 0; i < count; i++) {
		const Variant item = items.at(i);
		Variant data;
		if (item.type() == GDEXTENSION_VARIANT_TYPE_OBJECT) {
			data = sent_resource(item);
		} else if (item.type() == GDEXTENSION_VARIANT_TYPE_DICTIONARY && levels > 0) {
			data = with_data(item, levels - 1);
			if (data.type() == GDEXTENSION_VARIANT_TYPE_NIL) {
				continue;
			}
		} else {
			continue;
		}
		if (sent.type() == GDEXTENSION_VARIANT_TYPE_NIL) {
			sent = Variant::empty(container.type());
			sent.call(is_array ? method_names->assign : method_names->merge, {container}, ok);
		}
		if (is_array) {
			sent.set_at(i, data);
		} else {
			sent.set_key(keys.at(i), data);
		}
	}
	return sent;
}

Variant SentArguments::sent_resource(Variant resource) {
	if (resource.to_object() == nullptr) {
		return Variant();
	}
	bool ok = false;
	if (resource.call(StringName("has_method"), {Variant::from_string(TO_DATA)}, ok).to_bool()) {
		return shared.name_of(resource.call(StringName(TO_DATA), {}, ok));
	}
	const std::string class_name = resource.call(StringName("get_class"), {}, ok).to_string();
	Variant sent = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	sent.set_key("class", Variant::from_string(class_name));
	sent.set_key("values", is_own_config(class_name) ? values_of_config(resource, shared) : Variant());
	return sent;
}

} // namespace rag_memory
