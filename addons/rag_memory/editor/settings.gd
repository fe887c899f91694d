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
const RULES := "rag_memory/python/rules"
const TIME_FORMATTER := "rag_memory/time_formatter"

## Name, default, property hint, hint string. What each does is told in docs/editor.md.
const TABLE: Array[Dictionary] = [
	{
		"name": "rag_memory/request_timeout_seconds",
		"default": 30.0,
		"hint": PROPERTY_HINT_RANGE,
		"hint_string": "1,600,0.1,or_greater,suffix:s",
	},
	{
		"name": SAVES_FOLDER,
		"default": DEFAULT_SAVES_FOLDER,
		"hint": PROPERTY_HINT_NONE,
		"hint_string": "",
	},
	{
		"name": PREPARED_SAVES_FOLDER,
		"default": DEFAULT_PREPARED_SAVES_FOLDER,
		"hint": PROPERTY_HINT_DIR,
		"hint_string": "",
	},
	{
		"name": LORE_SOURCES,
		"default": [],
		"hint": PROPERTY_HINT_TYPE_STRING,
		# An Array of Strings (TYPE_STRING) that are files (PROPERTY_HINT_FILE).
		"hint_string": "4/13:*.md,*.txt",
	},
	{
		"name": "rag_memory/default_config",
		"default": "",
		"hint": PROPERTY_HINT_FILE,
		"hint_string": "*.tres,*.res",
	},
	{
		"name": "rag_memory/vector_index",
		"default": "embedded",
		"hint": PROPERTY_HINT_ENUM,
		"hint_string": "embedded,disabled,server",
	},
	{
		"name": RULES,
		"default": [],
		"hint": PROPERTY_HINT_TYPE_STRING,
		"hint_string": "4/13:*.py",
	},
	{
		"name": TIME_FORMATTER,
		"default": "",
		"hint": PROPERTY_HINT_FILE,
		"hint_string": "*.gd",
	},
	{
		"name": RAGServerAddress.SETTING,
		"default": RAGServerAddress.DEFAULT_HOSTS,
		"hint": PROPERTY_HINT_TYPE_STRING,
		# An Array of Strings (TYPE_STRING).
		"hint_string": "4:",
	},
	{
		"name": "rag_memory/preload_at_game_start",
		"default": false,
		"hint": PROPERTY_HINT_NONE,
		"hint_string": "",
	},
]


## Makes the settings visible in the Project Settings window. Values that project.godot has stay.
static func add() -> void:
	for setting: Dictionary in TABLE:
		var name: String = setting.name
		if not ProjectSettings.has_setting(name):
			ProjectSettings.set_setting(name, setting.default)
		ProjectSettings.set_initial_value(name, setting.default)
		ProjectSettings.set_as_basic(name, true)
		(
			ProjectSettings
			. add_property_info(
				{
					"name": name,
					"type": typeof(setting.default),
					"hint": setting.hint,
					"hint_string": setting.hint_string,
				}
			)
		)


## Removes the settings that have their default value; a changed one still holds for the game.
static func remove() -> void:
	for setting: Dictionary in TABLE:
		var value: Variant = ProjectSettings.get_setting(setting.name)
		# Values of some types cannot be compared, such as a String and an Array.
		if typeof(value) == typeof(setting.default) and value == setting.default:
			ProjectSettings.set_setting(setting.name, null)
