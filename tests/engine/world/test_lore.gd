# Runs typed and untyped.
# Lore: imported from files and texts, searched, chosen, kept for the next save.
extends "res://tests/engine/case.gd"

const TEXT := """---
tags: [canon]
---
# Norhold

Aldwin rules Norhold from the castle of Greywater. %s

# Carrow

Brannoc hates every king but himself. %s #war
"""

# The image of a character card of our own, with a book of one entry.
const CARD := (
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAABAnRFWHRjaGFyYQBleUp6Y0dWaklqb2dJ"
	+ "bU5vWVhKaFgyTmhjbVJmZGpJaUxDQWlaR0YwWVNJNklIc2libUZ0WlNJNklDSlRaWEpoSWl3Z0ltUmxj"
	+ "Mk55YVhCMGFXOXVJam9nSW50N1kyaGhjbjE5SUdkMVlYSmtjeUIwYUdVZ1oyeGhaR1V1SWl3Z0ltTm9Z"
	+ "WEpoWTNSbGNsOWliMjlySWpvZ2V5SmxiblJ5YVdWeklqb2dXM3NpYTJWNWN5STZJRnNpYjJGcklsMHNJ"
	+ "Q0pqYjI1MFpXNTBJam9nSWxSb1pTQnZiR1JsYzNRZ2IyRnJJR2x6SUdodmJHeHZkeTRpZlYxOWZYMD0s"
	+ "G/F2AAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


func test_lore_is_imported_searched_chosen_and_removed() -> void:
	check_equal(MemoryServer.open_save("lore"), OK)
	var told: Array[Array] = watch(MemoryWorld.lore_imported)
	var first: Dictionary = MemoryWorld.import_lore(_lore(), {"key": "realm", "tags": ["mine"]})
	check_equal(first["chunks"], 2)
	check_equal(first["embedded"], 2)
	check_equal(first["skipped"], false)
	await until(func() -> bool: return not told.is_empty())
	check_equal(told, [["realm", 2]] as Array[Array])
	check_equal(MemoryWorld.import_lore(_lore(), {"key": "realm"})["skipped"], true)

	var hit: Dictionary = MemoryWorld.search_lore("Who rules from Greywater?", {"limit": 1})[0]
	check_equal(hit["title"], "Norhold")
	check_equal(hit["heading_path"], ["Norhold"])
	check_equal(hit["source"], "realm")
	check((hit["entities"] as Array).has("Aldwin"), "names are found")
	check_equal(MemoryWorld.search_lore("king", {"tags": ["war"]}).size(), 1)

	MemoryWorld.import_lore("# Law\n\nBrannoc made no law.", {"key": "law"})
	check_equal(MemoryWorld.set_active_lore(["law"]), OK)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 1)
	check_equal(MemoryWorld.search_lore("Brannoc", {"sources": ["realm"]}).size(), 2)
	check_equal(MemoryWorld.list_lore()[0]["is_active"], false)
	check_equal(MemoryServer.open_save("lore", {"lore": ["realm"]}), OK)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 2)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("lore", {"lore": ["law"]}), OK)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 1)
	check_equal(MemoryWorld.list_lore()[1]["is_active"], true)
	check_equal(MemoryWorld.remove_lore("law"), OK)
	check_equal(MemoryWorld.list_lore().size(), 1)


# Of files: the vectors of lore that saves share lie in a folder beside them.
func test_a_file_is_read_and_a_second_save_embeds_nothing() -> void:
	var path: String = "user://town.md"
	FileAccess.open(path, FileAccess.WRITE).store_string(_lore())
	check_equal(MemoryServer.open_save("first town"), OK)
	var first: Dictionary = MemoryWorld.import_lore(path)
	check_equal(first["key"], "town")
	check_equal(first["embedded"], 2)
	check_equal(MemoryServer.open_save("second town"), OK)
	check_equal(MemoryWorld.list_lore(), [] as Array[Dictionary])
	var second: Dictionary = MemoryWorld.import_lore(path)
	check_equal(second["chunks"], 2)
	check_equal(second["embedded"], 0)
	check_equal(MemoryWorld.search_lore("Brannoc hates kings")[0]["title"], "Carrow")


func test_a_character_card_is_previewed_imported_and_taken_back() -> void:
	var path: String = "user://sera.png"
	FileAccess.open(path, FileAccess.WRITE).store_buffer(Marshalls.base64_to_raw(CARD))
	var plan: Dictionary = MemoryServer.preview_import(path)
	check_equal(plan["format"], "character card V2")
	check_equal(plan["entries"], 1)
	check_equal(MemoryServer.open_save("cards"), OK)
	var made: Dictionary = MemoryWorld.import_file(path)
	check_equal(made["lore"]["key"], "sera")
	var sera: NPCPersonality = NPCPersonality.from_data(made["personality"])
	check_equal(sera.background, "Sera guards the glade.")
	check_equal(sera.get_problems(), PackedStringArray())
	check_equal(MemoryWorld.search_lore("Which oak is hollow?", {"known_to": "sera"}).size(), 1)
	check_equal(MemoryWorld.search_lore("Which oak is hollow?", {"known_to": "ulf"}).size(), 0)
	check_equal(MemoryWorld.undo_import(made["import"]), OK)
	check_equal(MemoryWorld.list_lore(), [] as Array[Dictionary])
	expect_error("there is no import")
	check_equal(MemoryWorld.undo_import(), ERR_INVALID_PARAMETER)
	expect_error("no character card")
	FileAccess.open(path, FileAccess.WRITE).store_buffer(
		Image.create(1, 1, false, 5).save_png_to_buffer()
	)
	check_equal(MemoryServer.preview_import(path), {})
	var odd: NPCPersonality = NPCPersonality.from_data(
		{"role": "guard", "trates": ["kind"], "goals": [1]}
	)
	check_equal(odd.role, "guard")
	check_equal(odd.goals, [] as Array[String])


func test_a_chat_becomes_turns_and_memories_and_is_taken_back() -> void:
	var path: String = "user://chat.txt"
	var names: Dictionary = {"character": "Mira", "player": "Ada"}
	_write(path, "Ada: I promise to mend your roof.\nMira: Good.\nAda: My name is Ada.")
	check_equal(MemoryServer.preview_import(path, names)["turns"].size(), 2)
	check_equal(MemoryServer.open_save("chats"), OK)
	var mira: RAGMemory = make_memory("mira")
	var made: Dictionary = MemoryWorld.import_file(path, names)
	check_equal(made["id"], "mira")
	check_equal(mira.get_turns()[0]["npc_message"], "Good.")
	check(mira.retrieve_relevant("the roof")[0].contains("roof"), "the promise is remembered")
	expect_error("no message")
	_write(path, "Ada: Hello.")
	check_equal(MemoryWorld.import_file(path, names), {})
	check_equal(mira.get_turns().size(), 2)
	check_equal(MemoryWorld.undo_import(), OK)
	path = "user://mira.dialogue"
	_write(path, "~ start\nMira: My brother drowned in the pond.\n- Farewell => END")
	check_equal(MemoryWorld.import_file(path)["lore"]["key"], "mira")
	check_contains(MemoryWorld.search_lore("Who drowned?")[0]["text"], "drowned")
	check_equal(MemoryWorld.undo_import(), OK)
	check_equal(MemoryWorld.list_lore(), [] as Array[Dictionary])
	check_equal([mira.get_turns(), mira.get_memory_count()], [[] as Array[Dictionary], 0])


func test_a_table_of_any_columns_becomes_memories_and_is_taken_back() -> void:
	var path: String = "user://notes.csv"
	_write(path, "Who;Note;Weight;Colour\nMira;The dam leaks.;80;red\nUlf;The weir is new.;20;\n")
	var table: Dictionary = MemoryServer.preview_import(path)["table"]
	check_equal(table["columns"], {"text": "Note", "npc": "Who", "importance": "Weight"})
	check_equal(MemoryServer.open_save("tables"), OK)
	var mira: RAGMemory = make_memory("mira")
	var columns: Dictionary = {"importance": "", "colour": "Colour"}
	check(MemoryWorld.import_file(path, {"columns": columns})["import"] != "", "it can be undone")
	var memory: Dictionary = mira.get_recent(1)[0]
	check_equal(memory["document_full"], "The dam leaks.")
	check_equal([memory["metadata"]["importance"], memory["metadata"]["colour"]], [5, "red"])
	check_equal(make_memory("ulf").get_memory_count(), 1)
	expect_error("no such column")
	check_equal(MemoryWorld.import_file(path, {"columns": {"text": "Words"}}), {})
	check_equal(MemoryWorld.undo_import(), OK)
	check_equal(mira.get_memory_count(), 0)


func test_what_is_no_lore_fails_with_words_and_the_old_lore_stays() -> void:
	check_equal(MemoryServer.open_save("wrong lore"), OK)
	MemoryWorld.import_lore(_lore(), {"key": "realm"})
	var failures_told: Array[Array] = watch(MemoryWorld.failed)
	expect_error("no words")
	check_equal(MemoryWorld.import_lore("", {"key": "realm"}), {})
	expect_error("there_is_no.md")
	check_equal(MemoryWorld.import_lore("res://there_is_no.md"), {})
	expect_error("not in UTF-8")
	FileAccess.open("user://bad.md", FileAccess.WRITE).store_buffer([0x23, 0x20, 0xff, 0xfe, 0x80])
	check_equal(MemoryWorld.import_lore("user://bad.md", {"key": "realm"}), {})
	expect_error("it is no text")
	FileAccess.open("user://zero.md", FileAccess.WRITE).store_buffer([0x23, 0x20, 0x41, 0, 0x42])
	check_equal(MemoryWorld.import_lore("user://zero.md", {"key": "realm"}), {})
	check_equal(failures_told.size(), 4)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 2)


# What a mod or a server names could be any file of the player.
func test_no_path_leads_out_of_the_game() -> void:
	check_equal(MemoryServer.open_save("lore outside"), OK)
	var outside := OS.get_user_data_dir().get_base_dir().path_join("outside.md")
	FileAccess.open(outside, FileAccess.WRITE).store_string("# Secret\n\nThe key is under the mat.")
	DirAccess.make_dir_absolute("user://mods")
	FileAccess.open("user://mods/town.md", FileAccess.WRITE).store_string(_lore())
	expect_error("its path has")
	for path: String in [
		"user://../outside.md",
		"user://mods/../../outside.md",
		"user://mods\\..\\..\\outside.md",
		"user:///../outside.md",
		"res://../outside.md",
		"res://../../../../../../../../../../etc/passwd",
		"res://.." + outside,
		"user://mods/../mods/town.md",
	]:
		check_equal(MemoryWorld.import_lore(path), {}, path)
		check_equal(MemoryServer.prepare_lore(path), {}, path)
		check_equal(await MemoryWorld.import_lore_async(path).completed, {}, path)
	var folder := DirAccess.open("user://mods")
	# Wine says OK and makes none.
	if (
		folder.create_link(outside, "linked.md") == OK
		and FileAccess.file_exists("user://mods/linked.md")
	):
		folder.create_link(outside.get_base_dir(), "folder")
		folder.create_link(OS.get_user_data_dir().path_join("mods/town.md"), "inside.md")
		expect_error("it is a link that leads out")
		check_equal(MemoryWorld.import_lore("user://mods/linked.md"), {})
		check_equal(MemoryWorld.import_lore("user://mods/folder/outside.md"), {})
		check_equal(MemoryWorld.import_lore("user://mods/inside.md")["chunks"], 2)
	# An absolute path is no path of the engine: it is taken for the text itself, and nothing is read.
	check_equal(MemoryWorld.import_lore(outside, {"key": "text"})["chunks"], 1)
	check(
		not "under the mat" in str(MemoryWorld.search_lore("The key is under the mat.")), "unread"
	)
	check_equal(MemoryWorld.import_lore("user://mods/town.md")["chunks"], 2)
	DirAccess.remove_absolute(outside)


func test_a_cancelled_import_leaves_the_old_lore_and_holds_nobody_up() -> void:
	check_equal(MemoryServer.open_save("cancelled lore"), OK)
	MemoryWorld.import_lore(_lore(), {"key": "realm"})
	var long := ""
	for town: int in 400:
		long += (
			"# Town %d\n\n%s\n\n" % [town, "The river runs past the mill. ".repeat(20 + town % 5)]
		)
	var request: MemoryRequest = MemoryWorld.import_lore_async(long, {"key": "realm"})
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 2, "other calls run meanwhile")
	allow_error("cancelled")
	request.cancel()
	await until(request.is_completed)
	check_equal(MemoryWorld.list_lore()[0]["chunks"], 2)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 2)


func test_time_does_not_go_back_for_lore() -> void:
	check_equal(MemoryServer.open_save("timeless"), OK)
	MemoryWorld.import_lore(_lore(), {"key": "realm"})
	check_equal(MemoryServer.rollback_to(-1000.0), 0)
	check_equal(MemoryWorld.search_lore("Brannoc").size(), 2)


func _write(path: String, text: String) -> void:
	FileAccess.open(path, FileAccess.WRITE).store_string(text)


func _lore() -> String:
	var filled: String = "The market is held in the winter by the river. ".repeat(12)
	return TEXT % [filled, filled]
