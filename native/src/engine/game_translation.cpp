#include "engine/game_translation.h"

#include "engine/declaration.h"
#include "engine/godot_api.h"

namespace rag_memory {

void GameTranslation::refresh() {
	static GDExtensionObjectPtr singleton = godot.global_get_singleton(StringName("TranslationServer").get());
	Variant server = Variant::from_object(singleton);
	bool ok = false;
	std::string current = server.call(method_names->get_locale, {}, ok).to_string();
	if (!ok || current == locale) {
		return;
	}
	locale = current;
	Variant found = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	const bool is_pseudo = server.call(StringName("is_pseudolocalization_enabled"), {}, ok).to_bool();
	for (uint32_t i = 0; i < SENTENCE_COUNT && !is_pseudo; i++) {
		const std::string message = std::string(SENTENCE_PREFIX) + SENTENCE_KEYS[i];
		const std::string translated = server.call(StringName("translate"), {Variant::from_string(message)}, ok).to_string();
		if (ok && !translated.empty() && translated != message) {
			found.set_key(SENTENCE_KEYS[i], Variant::from_string(translated));
		}
	}
	std::lock_guard<std::mutex> lock(mutex);
	if (found.hash() != sentences.hash()) {
		sentences = found;
		revision++;
	}
}

int64_t GameTranslation::get_revision() const {
	std::lock_guard<std::mutex> lock(mutex);
	return revision;
}

Variant GameTranslation::get_sentences() const {
	std::lock_guard<std::mutex> lock(mutex);
	return sentences;
}

void GameTranslation::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	sentences = Variant();
}

} // namespace rag_memory
