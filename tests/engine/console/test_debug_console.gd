# MemoryDebugConsole: every command, and the keyboard.
extends "res://tests/engine/case.gd"

const SCENE := preload("res://addons/rag_memory/debug/memory_debug_console.tscn")

var memory: RAGMemory
var console: MemoryDebugConsole


func open_console() -> void:
	memory = make_memory("console_npc_%d" % get_instance_id())
	console = SCENE.instantiate()
	console.only_in_debug_builds = false
	add_child(console)
	await run("npc " + memory.npc_id)
	press(KEY_QUOTELEFT)


## What the console prints for a line.
func run(line: String) -> String:
	await console.run_command("clear")
	await console.run_command(line)
	return console.get_text()


func press(key: Key, unicode := 0) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.physical_keycode = key
	event.unicode = unicode
	event.pressed = true
	get_viewport().push_input(event)
	event = event.duplicate()
	event.pressed = false
	get_viewport().push_input(event)


func type(text: String) -> void:
	for character: String in text:
		press(KEY_UNKNOWN, character.unicode_at(0))


func test_the_backtick_opens_and_closes_it() -> void:
	await open_console()
	check_equal(console.visible, true)
	press(KEY_QUOTELEFT)
	check_equal(console.visible, false)
	press(KEY_QUOTELEFT)
	press(KEY_ESCAPE)
	check_equal(console.visible, false)


func test_it_can_be_used_with_the_keyboard_alone() -> void:
	await open_console()
	await console.run_command("clear")
	type("store 7 The player sang.")
	press(KEY_ENTER)
	await until(func() -> bool: return "Stored as" in console.get_text())
	check_equal(memory.get_memory_count(), 1)
	type("lis")
	press(KEY_TAB)
	press(KEY_ENTER)
	await until(func() -> bool: return "importance 7" in console.get_text())
	press(KEY_UP)
	press(KEY_UP)
	press(KEY_ENTER)
	await until(func() -> bool: return console.get_text().count("Stored as") == 2)
	var again: Dictionary = memory.get_recent(1)[0]
	check_equal(again["metadata"]["repeat_count"], 2, "the command before was run again")


func test_turns_lists_what_was_said() -> void:
	await open_console()
	check_contains(await run("turns"), "Nothing was said.")
	memory.store_turn("Does the roof leak?", "Over the bed.")
	var told := await run("turns 3")
	check_contains(told, "player: Does the roof leak?")
	check_contains(told, ": Over the bed.")


func test_list_show_search_store_and_forget() -> void:
	await open_console()
	check_contains(await run("list"), "Nothing.")
	check_contains(await run("store 9 The player fixed the roof."), "Stored as console_npc")
	check_contains(await run("store The player likes stew."), "Stored as console_npc")
	check_contains(await run("list"), "#2 important, importance 9, general")
	var found := await run("search who fixed the roof?")
	check_contains(found, "protected: always there")
	check_contains(found, "The player fixed the roof.")
	check_contains(found, ": tier 2.00, importance 0.90, recency 1.00, relevance")
	await run("list")
	check_contains(await run("show #1"), "The player likes stew.")
	await run("list")
	check_contains(await run("forget #1"), "Forgotten: ")
	check_equal(memory.get_memory_count(), 1)


func test_the_best_hit_is_on_the_screen_after_a_long_answer() -> void:
	get_window().size = Vector2i(1152, 648)
	await open_console()
	for number in 30:
		memory.store("On day %d the player mended the roof." % number, 3 + number % 5)
	for line: String in ["list 30", "search who mended the roof?"]:
		await run("help")
		await console.run_command(line)
		await frames(3)
		check_contains(lines_on_screen(), "> " + line.left(40))
		check_contains(lines_on_screen(), "#1 ")
		press(KEY_PAGEDOWN)
		await frames(3)
		check_equal("#1 " in lines_on_screen(), false, "the answer is longer than the screen")
	await run("help pin")
	await frames(3)
	check_contains(lines_on_screen(), "pin MEMORY")


## What of the output is inside the console.
func lines_on_screen() -> String:
	var output: RichTextLabel = console.get_node("%Output")
	var bar := output.get_v_scroll_bar()
	var shown := PackedStringArray()
	var lines := output.get_parsed_text().split("\n")
	for number in lines.size():
		var top := output.get_paragraph_offset(number)
		if top >= bar.value and top < bar.value + bar.page:
			shown.append(lines[number])
	return "\n".join(shown)


func test_pin_and_unpin() -> void:
	await open_console()
	var id := memory.store("The player likes stew.")
	check_contains(await run("pin " + id), "Pinned: " + id)
	check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 0)
	check_contains(await run("unpin " + id), "Unpinned: " + id)
	check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 2)
	check_contains(await run("pin nothing"), "has no memory nothing")


func test_relationship() -> void:
	await open_console()
	check_contains(await run("relationship trust 75"), "Trust=75")
	check_contains(await run("relationship"), "Trust=75")
	memory.set_relationship_state({"trust": 10})
	check_contains(await run("relationship trust 80"), "Trust=80")
	check_contains(await run("relationship charm 80"), "The dimensions are trust")
	check_contains(await run("show"), "Trust=80")


func test_flags() -> void:
	await open_console()
	check_contains(await run("flag"), "set its property world_knowledge")
	var world := NPCWorldKnowledge.new()
	world.define_flag("mill_burned", false)
	world.define_flag("bandits", 3)
	console.world_knowledge = world
	check_contains(await run("flag"), "bandits = 3")
	check_contains(await run("flag mill_burned 1"), "mill_burned = true")
	check_equal(world.get_flag("mill_burned"), true)
	check_contains(await run("flag nope"), "There is no story flag nope")
	expect_error("The story flag bandits is of type int")
	check_contains(await run("flag bandits many"), "bandits cannot be many")


func test_the_commands_of_the_reference_say_whom_they_are_about() -> void:
	await open_console()
	var other := make_memory("another npc of the console")
	other.npc_id = "gregor"
	check_contains(await run("set_trust gregor 75"), "Trust=75")
	check_contains(await run("show_npc gregor"), "Trust=75")
	check_equal(other.get_relationship("player")["trust"], 75)
	check_equal(memory.get_relationship("player"), {})
	check_contains(await run("set_trust nobody 75"), "No NPC of this scene has the id nobody")
	check_contains(await run("show_npc nobody"), "No NPC of this scene has the id nobody")
	check_contains(await run("set_trust 75"), "set_trust ID VALUE")
	console.world_knowledge = NPCWorldKnowledge.new()
	console.world_knowledge.define_flag("gates", false)
	check_contains(await run("set_flag gates 1"), "gates = true")
	check_contains(await run("set_flag gates"), "set_flag NAME VALUE")


func test_what_an_npc_feels() -> void:
	await open_console()
	check_contains(await run("mood"), memory.npc_id + " has no NPCMind.")
	var mind := NPCMind.new()
	memory.add_child(mind)
	check_equal(await run("mood"), "> mood\nneutral\n")
	check_contains(await run("feelings"), "Nobody is known.")
	check_contains(await run("interactions"), "Nothing has happened.")
	var id := memory.npc_id
	var told := await run("perceive %s spoke kael You stupid idiot!" % id)
	check_contains(told, "episode of importance 4, " + id)
	check_contains(told, "why: ")
	check_contains(told, "sentiment: -15")
	check_contains(told, "kael: neutral 35 of 100")
	check_contains(told, "mood: angry 75 of 100")
	check_contains(await run("perceive %s waved" % id), "no memory")
	check_contains(await run("mood " + id), "angry 7")
	check_contains(await run("feelings " + id), "(kael)")
	var all := await run("interactions " + id)
	check_contains(all, "somebody: waved")
	check_contains(all, 'kael: spoke "You stupid idiot!" (-15, kept as episode)')
	check(not "spoke" in await run("interactions %s 1" % id), "the last one only")
	check(not "spoke" in await run("interactions 1"), "of the chosen one")


func test_an_npc_reflects() -> void:
	await open_console()
	memory.add_child(NPCMind.new())
	check_contains(await run("reflect"), "No conclusions.")
	for gift: String in ["bread", "cloak", "lantern"]:
		await run("perceive %s gifted rowan A %s." % [memory.npc_id, gift])
	check_contains(await run("reflect " + memory.npc_id), "#1 ")
	check_contains(console.get_text(), "rowan")
	check_contains(await run("show #1"), '"kind": "reflection"')


func test_a_mind_beside_its_memory_and_one_of_nobody() -> void:
	await open_console()
	var other := make_memory("another npc of the console")
	other.npc_id = "gregor"
	var mind := NPCMind.new()
	mind.memory = other
	add_child(mind)
	check_contains(await run("perceive gregor gifted rowan"), "rowan: friendly 70 of 100")
	check_equal(mind.get_disposition("rowan").strength, 70.0)
	check_contains(await run("mood nobody"), "No NPC of this scene has the id nobody")
	check_contains(await run("perceive gregor"), "perceive ID ACTION")
	console.run_command("clear")
	type("mood gre")
	press(KEY_TAB)
	press(KEY_ENTER)
	await until(func() -> bool: return "grateful" in console.get_text())


func test_consolidate_and_stats() -> void:
	await open_console()
	memory.store("The player likes stew.")
	check_contains(await run("consolidate"), "removed")
	check_contains(await run("stats"), '"total": 1')
	check_contains(await run("dump"), "The player likes stew.")


func test_snapshots_and_rollback() -> void:
	await open_console()
	memory.store("Before.", 5, {"timestamp": 1000.0})
	check_contains(await run("snapshot console_slot"), "The save is kept as console_slot.")
	check_contains(await run("snapshots"), "console_slot")
	memory.store("After.", 5)
	check_contains(await run("restore console_slot"), "The save is as it was in console_slot.")
	check_equal(memory.get_memory_count(), 1)
	check_contains(await run("rollback -1d"), "memories of all NPCs are forgotten.")
	check_equal(memory.get_memory_count(), 0)


func test_going_back_needs_a_unit() -> void:
	await open_console()
	memory.store("Before.", 5)
	for wrong: String in ["-3", "-", "-d", "--3d", "-soond", "-3w", "-1 -2d"]:
		check_contains(await run("rollback " + wrong), "With a unit: -3d", wrong)
	check_equal(memory.get_memory_count(), 1, "nothing is forgotten")
	check_contains(await run("rollback -1.5h"), "memories of all NPCs are forgotten.")
	check_equal(memory.get_memory_count(), 0)


func test_the_save_is_kept_and_restored_without_an_npc() -> void:
	await open_console()
	var npc_id := memory.npc_id
	memory.store("Before.", 5, {"timestamp": 1000.0})
	memory.store("After.", 5, {"timestamp": 2000.0})
	memory.free()
	check_contains(await run("snapshot lonely_slot"), "The save is kept as lonely_slot.")
	check_contains(await run("rollback 1500"), "memories of all NPCs are forgotten.")
	check_contains(await run("restore lonely_slot"), "The save is as it was in lonely_slot.")
	check_equal(make_memory(npc_id).get_memory_count(), 2)


func test_how_long_ago_is_not_known_without_an_npc() -> void:
	await open_console()
	memory.free()
	check_contains(await run("rollback -1d"), "No NPC of this scene has a RAGMemory.")
	check_contains(await run("list"), "No NPC of this scene has a RAGMemory.")


func test_an_npc_that_is_freed_before_it_answers() -> void:
	for line: String in ["show_npc %s", "show", "relationship trust 5", "list", "rollback -1d"]:
		await open_console()
		await console.run_command("clear")
		console.run_command(line % memory.npc_id if "%s" in line else line)
		memory.free()
		await until(func() -> bool: return console.get_text().count("\n") > 1)
		check_contains(console.get_text(), "The NPC was freed before it answered.", line)
		console.free()


func test_what_is_not_understood_is_said() -> void:
	await open_console()
	check_contains(await run("dance"), "There is no command dance. Try: help")
	check_contains(await run("npc nobody"), "No NPC of this scene has the id nobody")
	check_contains(await run("search"), "search TEXT")
	check_contains(await run("rollback soon"), "rollback TIME")
	check_contains(await run("help pin"), "pin MEMORY")
	check_contains(await run("help"), "rollback TIME")
	check_contains(await run("npcs"), "> " + memory.npc_id)


func test_whether_an_npc_has_met_the_player() -> void:
	await open_console()
	var id := memory.npc_id
	check_contains(await run("has_met " + id), id + " has never met the player: familiarity 10, 0")
	memory.store_conversation(
		"player", "Good day.", {"timestamp": Time.get_unix_time_from_system() - 3.5 * 86400.0}
	)
	check_contains(await run("has_met " + id), "has met the player, 3 days ago: familiarity 10, 1")
	check_contains(await run("has_met nobody"), "No NPC of this scene has the id nobody")


func test_an_npc_is_reset_only_when_that_is_confirmed() -> void:
	await open_console()
	var other := make_memory("an npc with spaces")
	other.store("Mine.")
	for npc: RAGMemory in [memory, other]:
		var id := npc.npc_id
		npc.store_conversation("player", "Good day.")
		npc.store_relationship("player", {"trust": 90})
		npc.set_relationship_state({"trust": 80})
		var count := npc.get_memory_count()
		var asked := await run("reset_npc " + id)
		check_contains(asked, "%s would forget %d memories" % [id, count])
		check_contains(asked, "Type: reset_npc %s confirm" % id)
		check_contains(await run("reset_npc %s now" % id), "reset_npc ID confirm")
		check_equal(npc.get_memory_count(), count, "nothing is forgotten")
		var done := await run("reset_npc %s confirm" % id)
		check_contains(done, "%s is as at first: %d memories are forgotten." % [id, count])
		check_equal(npc.get_memory_count(), 0)
		check_equal(npc.get_archived(), [] as Array[Dictionary])
		check_contains(await run("relationship"), "[Met=no, Days=0, Trust=50")
	check_contains(await run("reset_npc nobody confirm"), "No NPC of this scene has the id nobody")


func test_the_prompt_is_shown() -> void:
	await open_console()
	memory.store("The player fixed the roof of the mill.", 9)
	var world := NPCWorldKnowledge.new()
	world.add_fact("well", "The well dried up last summer.")
	console.world_knowledge = world
	var shown := await run("dump_prompt %s Who fixed the roof?" % memory.npc_id)
	var options := {"world_knowledge": world}
	var built := NPCContextBuilder.build(memory, "Who fixed the roof?", options)
	check_contains(shown, 'Player: "Who fixed the roof?"')
	check_contains(shown, "The player fixed the roof of the mill.")
	check_contains(shown, "The well dried up last summer.")
	check_contains(shown, "%d tokens: identity " % built["total_tokens"])
	check_contains(await run("dump_prompt " + memory.npc_id), 'Player: "Hello."')
	check_contains(await run("dump_prompt nobody"), "No NPC of this scene has the id nobody")


func test_the_dossier_is_shown_with_what_was_left_out() -> void:
	await open_console()
	memory.store("The player fixed the roof of the mill.", 9)
	memory.store("The miller loves Anna.", 7, {"secret": true, "source_id": "miller"})
	var shown := await run("dossier Who fixed the roof?")
	check_contains(shown, "- The player fixed the roof of the mill. (today)")
	check_contains(shown, " of 500 tokens  " + memory.npc_id)
	check_contains(shown, "left out of memories: ")
	check_contains(shown, ", secret")
	check(not "Anna" in shown, "a secret is named by its id only")


func test_the_prompt_is_that_of_the_npcs_node() -> void:
	await open_console()
	var villager := Villager.new()
	villager.personality = NPCPersonality.new()
	villager.personality.display_name = "Gregor"
	villager.personality.is_romantic_available = true
	add_child(villager)
	memory.reparent(villager)
	check_contains(await run("dump_prompt " + memory.npc_id), "You are Gregor.")
	villager.personality.secrets = [
		{"secret": "The deal.", "unlock_trust": 80, "unlock_affection": 70},
		{"secret": "The gold.", "unlock_trust": 95},
		{"secret": "The grave.", "unbreakable": true},
	]
	var shown := await run("show")
	check_contains(shown, "romance: not yet")
	check_contains(shown, "hides until trust 80, affection 70: The deal.")
	await run("set_trust %s 90" % memory.npc_id)
	await run("set_affection %s 90" % memory.npc_id)
	var familiar := await run("set_familiarity %s 90" % memory.npc_id)
	check_contains(familiar, "Affection=90")
	check_contains(familiar, "Familiarity=90")
	shown = await run("show")
	check_contains(shown, "romance: possible")
	check_contains(shown, "would tell: The deal.")
	check_contains(shown, "hides until trust 95, affection any: The gold.")
	check_contains(shown, "never tells: The grave.")


func test_every_dimension_has_its_command() -> void:
	await open_console()
	for dimension: String in ["trust", "respect", "affection", "fear", "familiarity"]:
		await run("set_%s %s 33" % [dimension, memory.npc_id])
		check_equal(memory.get_relationship("player")[dimension], 33)
		check_contains(await run("set_" + dimension), "set_%s ID VALUE" % dimension)


func test_quests_as_the_npc_remembers_them() -> void:
	await open_console()
	check_contains(await run("quests"), "This NPC remembers no quest.")
	check_contains(await run("quest_start lost_ring"), "Stored as ")
	check_contains(await run("quest_start mill"), "Stored as ")
	await run("objective_complete lost_ring found the lost ring")
	check_contains(await run("quests"), "lost_ring: started (2 memories)")
	await run("quest_complete lost_ring kept it, and never told")
	await run("quest_fail mill")
	var listed := await run("quests")
	check_contains(listed, "lost_ring: completed (3 memories)")
	check_contains(listed, "mill: failed (2 memories)")
	var told := await run("quest_info lost_ring")
	check_contains(told, 'quest_started: The player took on the quest "lost ring".')
	check_contains(told, 'quest: In the quest "lost ring" the player did this: found the lost ring')
	check_contains(
		told, 'quest_completed: The player completed the quest "lost ring": kept it, and never told'
	)
	check_contains(
		await run("quest_reset lost_ring"), "Forgotten: 3 memories of the quest lost_ring"
	)
	check_equal(memory.get_memory_count(), 2, "the other quest is remembered")
	check_contains(await run("quest_info lost_ring"), "This NPC remembers no quest lost_ring.")
	check_contains(await run("quest_reset lost_ring"), "This NPC remembers no quest lost_ring.")
	check_contains(await run("objective_complete mill"), "objective_complete QUEST OBJECTIVE")
	check_contains(await run("quest_start"), "quest_start QUEST")


func test_a_game_has_commands_of_its_own() -> void:
	await open_console()
	var begun: Array[String] = []
	var start := func(words: PackedStringArray) -> String:
		begun.append_array(Array(words))
		await get_tree().process_frame
		return "The quest %s has begun." % words[0]
	console.add_command("quest_start", "quest_start QUEST: begin a quest of the game", start)
	check_contains(await run("quest_start lost_ring now"), "The quest lost_ring has begun.")
	check_equal(begun, ["lost_ring", "now"] as Array[String])
	check_equal(memory.get_memory_count(), 0, "the game's own takes its place")
	check_contains(await run("help"), "begin a quest of the game")
	check(not "this NPC learns that the player took on" in await run("help"), "only one of them")
	console.add_command("Noon", "noon: make it noon", func(_words: PackedStringArray) -> void: pass)
	check_contains(await run("help noon"), "make it noon")
	check_equal(await run("noon"), "> noon\n")
	var gone := Villager.new()
	console.add_command("gone", "gone: of a freed object", gone.greet)
	gone.free()
	check_contains(await run("gone"), "The command gone is gone: the object of its Callable was")


func test_the_id_is_completed_after_every_command_that_needs_one() -> void:
	await open_console()
	for command: String in ["npc", "has_met", "dump_prompt", "set_fear"]:
		console.get_node("%Input").text = command + " console_np"
		press(KEY_TAB)
		check_equal(console.get_node("%Input").text, "%s %s " % [command, memory.npc_id])


class Villager:
	extends Node
	var personality: NPCPersonality

	func greet(_words: PackedStringArray) -> String:
		return "Hello."
