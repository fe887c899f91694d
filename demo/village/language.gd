extends RefCounted
## The language that the village is played in: English, or that of the argument
## [code]--language=zh[/code].
##
## A game lists its translations in the project settings. The village adds them here instead,
## because one project is played in three languages.

const ARGUMENT := "--language="
const LOCALES: Dictionary[String, String] = {"de": "de", "zh": "zh_CN"}
## What the addon says, and what the village says.
const FILES: Array[String] = [
	"res://addons/rag_memory/languages/%s.po", "res://demo/village/languages/%s.po"
]
## The engine's own font has no Chinese. `build.py play --language zh` fetches this one.
const FONT := "res://demo/village/font/chinese.ttc"

## Empty for English.
static var chosen := ""


## Reads the argument.
static func choose() -> void:
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with(ARGUMENT):
			use(argument.trim_prefix(ARGUMENT))


## Before the first memory is read: a game has one sentence model from its start to its end.
static func use(language: String) -> void:
	var locale := LOCALES.get(language, "") as String
	if locale.is_empty():
		push_error("The village has no language %s. It has: %s." % [language, LOCALES.keys()])
		return
	chosen = language
	for file: String in FILES:
		TranslationServer.add_translation(load(file % locale) as Translation)
	TranslationServer.set_locale(locale)
	ProjectSettings.set_setting("rag_memory/embedding/language", "multilingual")
	var font := FontFile.new()
	if language == "zh" and font.load_dynamic_font(FONT) == OK:
		font.fallbacks = [ThemeDB.fallback_font]
		ThemeDB.fallback_font = font
		ThemeDB.get_default_theme().default_font = font


## Text in the chosen language, also each text in a list or a dictionary. What has no translation,
## such as an id, stays as it is.
static func of(value: Variant) -> Variant:
	if value is String and value != "":
		return String(TranslationServer.translate(value as String))
	if value is Array:
		var list: Array = value.duplicate()
		list.assign(list.map(of))
		return list
	if value is Dictionary:
		var entries: Dictionary = value.duplicate()
		for key: Variant in entries:
			entries[key] = of(entries[key])
		return entries
	return value


## A copy of a resource of the game with its texts in the chosen language.
static func copy_of(resource: Resource) -> Resource:
	var copy := resource.duplicate()
	for property: Dictionary in resource.get_property_list():
		if property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE:
			copy.set(property["name"], of(resource.get(property["name"] as String)))
	return copy
