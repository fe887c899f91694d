// The sentences of memories and prompts in the game's language, as far as its translations have them.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "engine/variant.h"

namespace rag_memory {

class GameTranslation {
public:
	// Looks all of them up when the locale has changed. On the main thread; calls of others go by what was found last.
	void refresh();

	// Another number when other sentences were found.
	int64_t get_revision() const;
	// A Dictionary from a sentence's key to the sentence.
	Variant get_sentences() const;
	// Before the engine goes away.
	void clear();

private:
	std::string locale; // of the main thread

	mutable std::mutex mutex; // guards everything below
	Variant sentences = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	int64_t revision = 0;
};

} // namespace rag_memory
