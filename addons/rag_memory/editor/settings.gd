@tool
extends RefCounted
## The project settings of RAG Memory: one table.
##
## A setting that was never changed is not written to project.godot; the game has the same default.

const RAGServerAddress := preload("res://addons/rag_memory/language/server_address.gd")

const SAVES_FOLDER := "rag_memory/saves_folder"
const DEFAULT_SAVES_FOLDER := "user://rag_memory"
const PREPARED_SAVES_FOLDER := "rag_memory/prepared_saves_folder"
const DEFAULT_PREPARED_SAVES_FOLDER := "res://prepared_saves"
const LORE_SOURCES := "rag_memory/lore/sources"
const LANGUAGE := "rag_memory/embedding/language"
const MULTILINGUAL := "multilingual"
const RULES := "rag_memory/python/rules"
const TIME_FORMATTER := "rag_memory/time_formatter"
const ALLOW_WITHOUT_MEMORY := "rag_memory/export/allow_without_memory"

# The hint strings of an Array of Strings, and of one of Strings that are files.
const _TEXTS := "4:"
const _FILES := "4/13:"

## By name: the default, the property hint and the hint string. docs/editor.md says what each does.
const TABLE: Dictionary[String, Array] = {
	"rag_memory/request_timeout_seconds":
	[30.0, PROPERTY_HINT_RANGE, "1,600,0.1,or_greater,suffix:s"],
	SAVES_FOLDER: [DEFAULT_SAVES_FOLDER, PROPERTY_HINT_NONE, ""],
	PREPARED_SAVES_FOLDER: [DEFAULT_PREPARED_SAVES_FOLDER, PROPERTY_HINT_DIR, ""],
	LORE_SOURCES: [[], PROPERTY_HINT_TYPE_STRING, _FILES + "*.md,*.txt"],
	"rag_memory/default_config": ["", PROPERTY_HINT_FILE, "*.tres,*.res"],
	"rag_memory/vector_index": ["embedded", PROPERTY_HINT_ENUM, "embedded,disabled,server"],
	LANGUAGE: ["english", PROPERTY_HINT_ENUM, "english," + MULTILINGUAL],
	RULES: [[], PROPERTY_HINT_TYPE_STRING, _FILES + "*.py"],
	TIME_FORMATTER: ["", PROPERTY_HINT_FILE, "*.gd"],
	RAGServerAddress.SETTING: [RAGServerAddress.DEFAULT_HOSTS, PROPERTY_HINT_TYPE_STRING, _TEXTS],
	"rag_memory/preload_at_game_start": [false, PROPERTY_HINT_NONE, ""],
	ALLOW_WITHOUT_MEMORY: [false, PROPERTY_HINT_NONE, ""],
}


## Makes the settings visible in the Project Settings window. Values that project.godot has stay.
static func add() -> void:
	for name: String in TABLE:
		var default: Variant = TABLE[name][0]
		if not ProjectSettings.has_setting(name):
			ProjectSettings.set_setting(name, default)
		ProjectSettings.set_initial_value(name, default)
		ProjectSettings.set_as_basic(name, true)
		var info := {"name": name, "type": typeof(default)}
		info.merge({"hint": TABLE[name][1], "hint_string": TABLE[name][2]})
		ProjectSettings.add_property_info(info)


## Removes the settings that have their default value; a changed one still holds for the game.
static func remove() -> void:
	for name: String in TABLE:
		var value: Variant = ProjectSettings.get_setting(name)
		var default: Variant = TABLE[name][0]
		# Values of some types cannot be compared, such as a String and an Array.
		if typeof(value) == typeof(default) and value == default:
			ProjectSettings.set_setting(name, null)
