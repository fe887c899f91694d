# Runs typed and untyped.
# The recipes of docs/saves.md with the save systems that games have: a JSON file, a Resource, and
# one file per slot with var_to_str(), as Dialogic has it. Each game is loaded in any order.
extends "res://tests/engine/case.gd"

const FOLDER := "user://slot_recipes"


# What a game keeps of its own, beside the memories.
class JsonFiles:
	func write(slot: String, state: Dictionary) -> void:
		var file := FileAccess.open("%s/%s.json" % [FOLDER, slot], FileAccess.WRITE)
		file.store_string(JSON.stringify(state))

	func read(slot: String) -> Dictionary:
		var path := "%s/%s.json" % [FOLDER, slot]
		if not FileAccess.file_exists(path):
			return {}
		return JSON.parse_string(FileAccess.get_file_as_string(path))


class ResourceFiles:
	func write(slot: String, state: Dictionary) -> void:
		var saved := Resource.new()
		saved.set_meta(&"state", state)
		ResourceSaver.save(saved, "%s/%s.tres" % [FOLDER, slot])

	func read(slot: String) -> Dictionary:
		var path := "%s/%s.tres" % [FOLDER, slot]
		if not FileAccess.file_exists(path):
			return {}
		var saved := ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
		return saved.get_meta(&"state")


class DialogicFiles:
	func write(slot: String, state: Dictionary) -> void:
		DirAccess.make_dir_recursive_absolute("%s/%s" % [FOLDER, slot])
		var file := FileAccess.open("%s/%s/state.txt" % [FOLDER, slot], FileAccess.WRITE)
		file.store_string(var_to_str(state))

	func read(slot: String) -> Dictionary:
		var path := "%s/%s/state.txt" % [FOLDER, slot]
		if not FileAccess.file_exists(path):
			return {}
		return str_to_var(FileAccess.get_file_as_string(path))


var _memory: RAGMemory
var _day := 0


func _exit_tree() -> void:
	MemoryServer.close_save()


func _prepare() -> void:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	_memory = make_memory("mira")


# One day of play: what the game and the NPC know afterwards.
func _play() -> void:
	_day += 1
	_memory.store("The player told the story of day %d." % _day)
	_memory.store_turn("I promise to come on day %d." % _day, "Good.")
	MemoryWorld.record_event({"id": "day_%d" % _day, "summary": "Day %d passed." % _day})


func _save(files: Variant, slot: String) -> void:
	check_equal(MemoryServer.snapshot(slot), OK, slot)
	files.write(slot, {"day": _day})


func _load(files: Variant, save_id: String, slot: String) -> void:
	_day = files.read(slot).get("day", 0) as int
	check_equal(MemoryServer.open_save(save_id, {"snapshot": slot}), OK, slot)


# The NPC knows the days of the game and no others.
func _check_days(days: Array) -> void:
	var stories: Array = []
	for memory: Dictionary in _memory.get_recent(100):
		if "story" in memory["document_full"]:
			stories.append(memory["document_full"])
	stories.sort()
	var expected: Array = days.map(
		func(day: int) -> String: return "The player told the story of day %d." % day
	)
	check_equal(stories, expected)
	check_equal(_memory.get_turns(100).size(), days.size())
	check_equal(MemoryWorld.search_events("mira", "day").size(), days.size())


func test_one_slot() -> void:
	_prepare()
	for files: Variant in [JsonFiles.new(), ResourceFiles.new(), DialogicFiles.new()]:
		check_equal(MemoryServer.new_game("recipe one"), OK)
		_day = 0
		_check_days([])
		_play()
		_save(files, "slot")
		_play()
		check_equal(MemoryServer.close_save(), OK, "quits without saving")
		for again: int in 2:
			_load(files, "recipe one", "slot")
			_check_days([1])
			_play()
		_play()
		_save(files, "slot")
		_load(files, "recipe one", "slot")
		_check_days([1, 2, 3])
		check_equal(MemoryServer.new_game("recipe one"), OK)
		_check_days([])
		_load(files, "recipe one", "slot")
		_check_days([1, 2, 3])
	check_equal(MemoryServer.delete_save("recipe one"), OK)


func test_many_slots() -> void:
	_prepare()
	for files: Variant in [JsonFiles.new(), ResourceFiles.new(), DialogicFiles.new()]:
		check_equal(MemoryServer.new_game("recipe many"), OK)
		_day = 0
		for slot: String in ["first", "second", "third"]:
			_play()
			_save(files, slot)
		_play()
		_load(files, "recipe many", "second")
		_check_days([1, 2])
		_load(files, "recipe many", "third")
		_check_days([1, 2, 3])
		check_equal(MemoryServer.close_save(), OK)
		_load(files, "recipe many", "first")
		_check_days([1])
		_play()
		_save(files, "third")
		check_equal(MemoryServer.delete_snapshot("second"), OK)
		check_equal(MemoryServer.new_game("recipe many"), OK)
		_day = 0
		_check_days([])
		_play()
		_load(files, "recipe many", "third")
		_check_days([1, 2])
		_load(files, "recipe many", "first")
		_check_days([1])
		check_equal(MemoryServer.list_snapshots(), PackedStringArray(["first", "third"]))
	check_equal(MemoryServer.delete_save("recipe many"), OK)


func test_a_slot_that_is_not_there_begins_empty() -> void:
	_prepare()
	check_equal(MemoryServer.open_save("recipe empty", {"snapshot": "nothing yet"}), OK)
	_check_days([])
	_play()
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("recipe empty", {"snapshot": "nothing yet"}), OK)
	_check_days([])
	_play()
	check_equal(MemoryServer.snapshot("saved"), OK)
	for wrong: Variant in ["Saved", "", "../saved", 7]:
		expect_error("snapshot" if wrong is String else "slot is")
		check_equal(
			MemoryServer.open_save("recipe empty", {"snapshot": wrong}), ERR_INVALID_PARAMETER
		)
	check_equal(_memory.get_turns().size(), 1, "nothing was loaded")
	expect_error("snapshot")
	check_equal(MemoryServer.new_game("recipe empty", {"snapshot": "saved"}), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.delete_save("recipe empty"), OK)


func test_autosaves() -> void:
	_prepare()
	check_equal(MemoryServer.new_game("recipe auto"), OK)
	_day = 0
	for number: int in 5:
		_play()
		var error: Variant = await MemoryServer.snapshot_async("auto_%d" % (number % 3)).completed
		check_equal(error, OK)
	for slot: Array in [["auto_2", 3], ["auto_0", 4], ["auto_1", 5]]:
		check_equal(MemoryServer.open_save("recipe auto", {"snapshot": slot[0]}), OK)
		_check_days(range(1, slot[1] as int + 1))
	check_equal(MemoryServer.delete_save("recipe auto"), OK)


func test_profiles() -> void:
	_prepare()
	for profile: String in ["anna", "ben"]:
		check_equal(MemoryServer.new_game("recipe " + profile, {"name": profile}), OK)
		_day = 0 if profile == "anna" else 10
		_play()
		check_equal(MemoryServer.snapshot("slot"), OK)
		_play()
	check_equal(MemoryServer.open_save("recipe anna", {"snapshot": "slot"}), OK)
	_check_days([1])
	check_equal(MemoryServer.new_game("recipe anna"), OK)
	check_equal(MemoryServer.delete_save("recipe anna"), OK)
	check_equal(MemoryServer.open_save("recipe ben", {"snapshot": "slot"}), OK)
	_check_days([11])
	check_equal(MemoryServer.get_save_info("recipe ben")["name"], "ben")
	check_equal(MemoryServer.delete_save("recipe ben"), OK)


func test_a_copy_replaces_a_save_when_asked() -> void:
	_prepare()
	for save_id: String in ["recipe from", "recipe to"]:
		check_equal(MemoryServer.new_game(save_id), OK)
		_day = 0 if save_id == "recipe from" else 10
		_play()
		check_equal(MemoryServer.snapshot("of " + save_id), OK)
		_play()
	var generation: int = MemoryServer.get_save_info("recipe to")["generation"]
	expect_error("is locked")
	check_equal(
		MemoryServer.copy_save("recipe from", "recipe to", {"replace": true}),
		ERR_FILE_ALREADY_IN_USE
	)
	expect_error("would replace itself")
	check_equal(
		MemoryServer.copy_save("recipe from", "recipe from", {"replace": true}),
		ERR_INVALID_PARAMETER
	)
	expect_error("there is a save 'recipe to'")
	check_equal(
		MemoryServer.copy_save("recipe from", "recipe to", {"replace": false}), ERR_ALREADY_EXISTS
	)
	check_equal(MemoryServer.open_save("recipe from"), OK)
	check_equal(MemoryServer.copy_save("recipe from", "recipe to", {"replace": true}), OK)
	check_equal(MemoryServer.open_save("recipe to"), OK)
	_check_days([1, 2])
	check_equal(MemoryServer.list_snapshots(), PackedStringArray(["of recipe from"]))
	var info: Dictionary = MemoryServer.get_save_info("recipe to")
	check_equal(info["generation"], generation + 2, "that of the copy, which is open once more")
	check(info["last_played"] > 1.7e9, str(info["last_played"]))
	for save_id: String in ["recipe from", "recipe to"]:
		check_equal(MemoryServer.delete_save(save_id), OK)


# Of files: a server has no files.
func test_a_slot_is_described_by_its_path() -> void:
	_prepare()
	check_equal(MemoryServer.new_game("recipe path"), OK)
	_day = 0
	_play()
	check_equal(MemoryServer.snapshot("slot"), OK)
	_play()
	var save := "user://rag_memory/recipe path"
	var slot: Dictionary = MemoryServer.get_save_info(save + ".snapshots/slot.sqlite3")
	check_equal([slot["state"], slot["npcs"], slot["save_id"]], ["closed", 1, "slot"])
	var now: Dictionary = MemoryServer.get_save_info(save + ".sqlite3")
	check_equal([now["state"], now["save_id"]], ["open", "recipe path"])
	check(now["memories"] > slot["memories"], "%s and %s" % [now["memories"], slot["memories"]])
	var absolute := ProjectSettings.globalize_path(save + ".snapshots/slot.sqlite3")
	check_equal(MemoryServer.get_save_info(absolute), slot)
	for wrong: String in ["user://../secret.sqlite3", "user://rag_memory/../../secret"]:
		expect_error("is no file of user://")
		check_equal(MemoryServer.get_save_info(wrong), {})
	expect_error("there is no save")
	check_equal(MemoryServer.get_save_info("user://rag_memory/nothing.sqlite3"), {})
	expect_error("cannot be the id of a save")
	check_equal(MemoryServer.get_save_info("res://nothing.sqlite3"), {})
	check_equal(MemoryServer.delete_save("recipe path"), OK)


# Of files: a server has no files.
func test_a_file_that_is_replaced_while_the_game_runs_is_kept_beside_the_save() -> void:
	_prepare()
	var path := "user://rag_memory/recipe cloud.sqlite3"
	check_equal(MemoryServer.new_game("recipe cloud"), OK)
	_day = 0
	_play()
	check_equal(MemoryServer.close_save(), OK)
	DirAccess.copy_absolute(path, FOLDER + "/other.sqlite3")
	check_equal(MemoryServer.open_save("recipe cloud"), OK)
	_play()
	var opened: Dictionary = MemoryServer.get_save_info("recipe cloud")
	check_equal(opened["conflicts"], [])
	expect_warning("has replaced the file of the save")
	DirAccess.copy_absolute(FOLDER + "/other.sqlite3", path)
	_play()
	_check_days([1, 2, 3])
	var conflicts: Array = MemoryServer.get_save_info("recipe cloud")["conflicts"]
	check_equal(conflicts.size(), 1)
	var other: Dictionary = MemoryServer.get_save_info(conflicts[0])
	check_equal(other["generation"], opened["generation"] - 1)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(DirAccess.rename_absolute(conflicts[0] as String, path), OK)
	check_equal(MemoryServer.open_save("recipe cloud"), OK)
	_check_days([1])
	check_equal(MemoryServer.delete_save("recipe cloud"), OK)
