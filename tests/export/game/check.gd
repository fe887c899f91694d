extends Node
# The main scene of the tests' exported game: opens a save that begins as the prepared one, stores,
# recalls, says what the test wants to know, and quits. With the name of a script as its first
# argument it runs that one, without an argument it is the demo.

const EDITOR_FILES: Array[String] = [
	"plugin.gd", "editor/export_plugin.gd", "editor/settings.gd", "plugin.cfg"
]


func _ready() -> void:
	var arguments := OS.get_cmdline_user_args()
	if not arguments.is_empty() and arguments[0].ends_with(".gd"):
		var script: GDScript = load("res://check/" + arguments[0])
		if script == null or not script.can_instantiate():
			say("refused", arguments[0])
			get_tree().quit()
			return
		add_child(script.new() as Node)
		return
	if "check" not in arguments:
		get_tree().change_scene_to_file.call_deferred("res://demo/demo.tscn")
		return
	say("open", MemoryServer.open_save("slot_1", {"prepared": "village_lore"}))
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	add_child(memory)
	say("prepared", memory.get_memory_count())
	say("ruled", memory.calculate_importance("harvest", {}, {}))
	say("id", memory.store("The player gave me a red rose by the well.", 7))
	say(
		"recalled",
		_texts(await memory.retrieve_scored_async("Did I bring you a flower?").completed)
	)
	say("lore", _texts(memory.retrieve_relevant_raw("What happened to the mill?", {"limit": 1})))
	say("imported", MemoryWorld.import_lore("res://lore/town.md"))
	var found := MemoryWorld.search_lore("Who rules in Greywater?", {"limit": 1})
	say("told", found[0]["text"] if found else "")
	say("health", MemoryServer.health())
	say("user_folder", OS.get_user_data_dir())
	say("editor_files", EDITOR_FILES.filter(_is_in_the_game))
	say("languages", ["de", "fr"].filter(_is_language_in_the_game))
	say("console", _is_in_the_game("debug/memory_debug_console.tscn"))
	get_tree().quit()


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


func _texts(memories: Array) -> Array:
	return memories.map(func(each: Dictionary) -> String: return each.document)


func _is_language_in_the_game(language: String) -> bool:
	return _is_in_the_game("languages/%s.po" % language)


func _is_in_the_game(path: String) -> bool:
	return ResourceLoader.exists("res://addons/rag_memory/" + path)
