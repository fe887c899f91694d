#include "calls/sent_arguments.h"

#include <algorithm>

#include "calls/instance.h"
#include "engine/class_table.h"
#include "engine/file_reading.h"

namespace rag_memory {

namespace {

constexpr uint32_t HINT_FILE = 13;

bool is_file(const TypeDeclaration &type) {
	return type.type == GDEXTENSION_VARIANT_TYPE_STRING && type.hint == HINT_FILE;
}

bool needs_change(const ArgumentDeclaration &argument) {
	return is_config(argument.type) || is_file(argument.type) || may_hold_config(argument.type);
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
		} else if (may_hold_config(type)) {
			replace_held_config(type.hint_string, i);
		} else if (is_file(type) && is_engine_path(changed[i].to_string())) {
			changed[i] = read_file(changed[i].to_string());
		}
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
		changed[index] = values_of_config(config);
	} else {
		const std::string given_class = config.call(StringName("get_class"), {}, ok).to_string();
		error = std::string(argument.name) + " is " + with_article(given_class) + ": it has to be " + with_article(class_name) + ". Pass one, or null for the defaults.";
	}
}

void SentArguments::replace_held_config(const char *key, uint32_t index) {
	Variant held = changed[index].get_key(key);
	if (held.type() != GDEXTENSION_VARIANT_TYPE_OBJECT) {
		return;
	}
	bool ok = false;
	Variant told;
	if (held.to_object() != nullptr) {
		const std::string class_name = held.call(StringName("get_class"), {}, ok).to_string();
		told = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
		told.set_key("class", Variant::from_string(class_name));
		told.set_key("values", is_own_config(class_name) ? values_of_config(held) : Variant());
	}
	// A new one: the game's may be typed, and is the game's.
	Variant sent = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	sent.call(StringName("merge"), {changed[index]}, ok);
	sent.set_key(key, told);
	changed[index] = sent;
}

} // namespace rag_memory
