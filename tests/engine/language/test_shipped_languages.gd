# The translations of the addon in a game: memories, prompts and answers without a model, and a
# player who changes the language.
extends "res://tests/engine/case.gd"

const FOLDER := "res://addons/rag_memory/languages/"
const LINES: Dictionary[String, String] = {
	"de": "Wer bist du?",
	"es": "¿Quién eres?",
	"fr": "Qui es-tu ?",
	"ja": "あなたは誰ですか？",
	"pt_BR": "Quem é você?",
	"ru": "Кто ты?",
	"zh_CN": "你是谁？",
}

var _translations: Dictionary[String, Translation] = {}


func _add_languages() -> void:
	for language: String in LINES:
		_translations[language] = load(FOLDER + language + ".po")
		TranslationServer.add_translation(_translations[language])


func _remove_languages() -> void:
	TranslationServer.set_locale("en")
	for translation: Translation in _translations.values():
		TranslationServer.remove_translation(translation)


func _sentence(language: String, key: String) -> String:
	return _translations[language].get_message("rag_memory/" + key)


func test_memories_prompts_and_answers_are_in_the_language_of_the_game() -> void:
	_add_languages()
	for language: String in LINES:
		TranslationServer.set_locale(language)
		var memory := make_memory()
		memory.store_conversation("player", "123")
		var told := _sentence(language, "player_told_me").format({"message": "123"})
		check_equal(memory.get_recent(1)[0]["document_full"], told)
		var dialogue := NPCDialogue.new()
		memory.add_child(dialogue)
		dialogue.personality = NPCPersonality.new()
		dialogue.personality.display_name = "Mira"
		var answer: Dictionary = await dialogue.say(LINES[language]).completed
		check_contains(answer["response"], "Mira")
		check_equal(answer["from_memory"], true)
		var prompt := NPCContextBuilder.build(memory, "?", {"personality": dialogue.personality})
		check_contains(prompt["system"], _sentence(language, "you_are").format({"name": "Mira"}))
		check(not "You are" in str(prompt["system"]), language)
	_remove_languages()


func test_a_player_who_changes_the_language_keeps_the_stored_words() -> void:
	_add_languages()
	TranslationServer.set_locale("de")
	var memory := make_memory()
	memory.store_conversation("player", "1")
	TranslationServer.set_locale("ru")
	memory.store_conversation("player", "2")
	var texts: Array = memory.get_recent(2).map(
		func(each: Dictionary) -> String: return each["document_full"]
	)
	check(_sentence("de", "player_told_me").format({"message": "1"}) in texts, str(texts))
	check(_sentence("ru", "player_told_me").format({"message": "2"}) in texts, str(texts))
	_remove_languages()
