extends RefCounted
## The sentences of a prompt or memory: in the words of [member MemoryConfig.wording], else in the
## language of the game, else in English.

const RAGEnglish := preload("res://addons/rag_memory/prompt/english.gd")

static var _placeholder := RegEx.create_from_string("\\{[a-z_]+\\}")


## The sentence of a key, with values for its placeholders.
static func text(config: MemoryConfig, key: String, values: Dictionary = {}) -> String:
	return sentence(config, key).format(values)


## The sentence of a key with its placeholders. One with other placeholders than the English one is
## not used; the memory says what is wrong with it.
static func sentence(config: MemoryConfig, key: String) -> String:
	var english := RAGEnglish.SENTENCES[key]
	if config != null and config.wording.has(key):
		var own := str(config.wording[key])
		return own if _fits(own, english) else english
	var message := RAGEnglish.TRANSLATION_PREFIX + key
	var translated := String(TranslationServer.translate(message))
	return translated if translated != message and _fits(translated, english) else english


## The sentences that are not the English ones: in a language with capital letters for nouns they
## have words that look like names.
static func replaced(config: MemoryConfig, keys: Array[String]) -> PackedStringArray:
	var sentences := PackedStringArray()
	for key: String in keys:
		var own := sentence(config, key)
		if own != RAGEnglish.SENTENCES[key]:
			sentences.append(_placeholder.sub(own, "", true))
	return sentences


static func _fits(text: String, english: String) -> bool:
	return not text.strip_edges().is_empty() and _placeholders(text) == _placeholders(english)


static func _placeholders(text: String) -> Dictionary:
	var placeholders := {}
	for hit: RegExMatch in _placeholder.search_all(text):
		placeholders[hit.get_string()] = true
	return placeholders
