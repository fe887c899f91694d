# What an NPC keeps, replaces and forgets, as a game sees it.
extends "res://tests/engine/case.gd"

const _DAY := 86400.0

var _now := 1000.0


func after_each() -> void:
	MemoryServer.set_clock(Callable())


# An NPC in a save of its own, in a game whose clock the test sets.
func make_npc() -> RAGMemory:
	_now = 1000.0
	MemoryServer.set_clock(func() -> float: return _now)
	check_equal(MemoryServer.open_save("truth_%d" % Time.get_ticks_usec()), OK)
	var memory := make_memory()
	memory.npc_id = "greta"
	return memory


func texts_of(memories: Array) -> Array:
	return memories.map(func(memory: Dictionary) -> String: return memory["document_full"])


# The memories that nothing has ended, of those with a word.
func open_ones(memory: RAGMemory, word: String) -> Array:
	return memory.get_recent(50).filter(
		func(one: Dictionary) -> bool:
			return word in one["document_full"] and not one["metadata"].get("superseded_by")
	)


func of_type(memory: RAGMemory, event_type: String) -> Array:
	return memory.get_recent(50).filter(
		func(one: Dictionary) -> bool: return one["metadata"]["event_type"] == event_type
	)


func test_only_the_promise_that_is_spoken_of_ends() -> void:
	var greta := make_npc()
	var type := {"event_type": "promise_made"}
	greta.store("The player promised to find my lost goat on the moor.", 8, type)
	greta.store("The player promised to sharpen the scythes before the harvest.", 6, type)
	var brother := {"event_type": "promise_made", "participants": ["Ove"]}
	greta.store("Ove promised to watch the ford until spring.", 7, brother)
	var kept := greta.store_with_conflict_check(
		"The player has sharpened all the scythes.", 6, {"event_type": "promise_kept"}
	)
	check_equal((kept["superseded"] as Array).size(), 1)
	check_equal(open_ones(greta, "promised to sharpen").size(), 0)
	check_equal(open_ones(greta, "goat").size(), 1)
	check_equal(open_ones(greta, "ford").size(), 1)
	var nothing := greta.store_with_conflict_check(
		"The player never came to the wedding.", 6, {"event_type": "promise_broken"}
	)
	check_equal((nothing["superseded"] as Array).size(), 0, "nothing is close enough")
	check(greta.knows("the player promised to find my lost goat"), "knows()")
	var question := "Have I still promised you something?"
	for text: String in [
		NPCContextBuilder.build(greta, question)["prompt"], greta.build_dossier(question)["text"]
	]:
		check_contains(text, "lost goat")


func test_the_promises_and_debts_of_a_talk() -> void:
	var greta := make_npc()
	for turn: Array in [
		["I promise to carry your letter to Hallin.", "Thank you."],
		["I promise to paint your shutters.", "They need it."],
		["I owe you 30 silver for the mule.", "You do."],
		["I also owe you 8 silver for the oats.", "True."],
		["I kept my promise: I painted your shutters.", "How green they are!"],
		["I paid you the 8 silver I owed you for the oats.", "Thanks."],
	]:
		_now += 60.0
		greta.store_turn(turn[0], turn[1])
	check_equal(open_ones(greta, "letter").size(), 1)
	check_equal(open_ones(greta, "promise to paint").size(), 0)
	check_equal(open_ones(greta, "mule").size(), 1)
	check_equal(open_ones(greta, "I also owe you 8").size(), 0)


func test_promises_of_two_players_are_two() -> void:
	var greta := make_npc()
	for id: String in ["player", "player_2"]:
		greta.store_turn("I promise to bring you honey.", "Good.", {"speaker": id})
	_now += 60.0
	greta.store_turn("I kept my promise: I brought you honey.", "Sweet!", {"speaker": "player_2"})
	var promises := of_type(greta, "promise_made")
	check_equal(promises.size(), 2)
	for promise: Dictionary in promises:
		var is_other: bool = promise["metadata"]["participants"] == ["player_2"]
		check_equal(promise["metadata"].get("superseded_by", "") != "", is_other)


func test_idioms_and_stories_are_no_facts() -> void:
	var greta := make_npc()
	for line: String in [
		"I'll give you this much: you can sing.",
		"You owe it to yourself to rest.",
		"I promise you, that bull is mad.",
		"If I had a ship, I would give you the sea.",
		"Have I promised to come? I never did.",
		"'I owe you my sword,' said the king in the song.",
		"I gave up, honestly.",
		"Long ago I promised my mother to be good.",
	]:
		check_equal(greta.extract_memories(line, ""), [] as Array[Dictionary], "player: " + line)
		check_equal(greta.extract_memories("", line), [] as Array[Dictionary], "NPC: " + line)


func test_what_she_denies_is_no_fact_of_hers() -> void:
	for talk: Array in [
		["You owe me 40 silver from the fair.", "I owe you nothing, and you know it."],
		["You promised me your best cow.", "I never promised you any such thing."],
		["I gave you a brass lamp last autumn.", "You never gave me a lamp."],
		["I've paid you back the 12 silver.", "You have not. Not a single coin."],
	]:
		var greta := make_npc()
		greta.store_turn("I owe you 12 silver for the boots.", "Don't forget it.")
		_now += 60.0
		greta.store_turn(talk[0], talk[1])
		for type: String in ["own_debt", "own_promise_made", "gift_received", "debt_paid"]:
			check_equal(of_type(greta, type).size(), 0, talk[0])
		check_equal(open_ones(greta, "I owe you 12 silver").size(), 1, talk[0])


func test_the_newest_state_of_a_matter_leads() -> void:
	var pairs := [
		[
			"The ferry leaves at dawn.",
			"The ferry now leaves at noon.",
			"When does the ferry leave?"
		],
		["Runa is the abbess.", "Sunniva is the abbess.", "Who is the abbess?"],
		["The well at Moss End is clean.", "The well at Moss End is foul.", "Is the well clean?"],
		[
			"A barrel of cider costs 9 silver.",
			"A barrel of cider costs 14 silver.",
			"Price of cider?"
		],
		["The player lives at the tannery.", "The player lives at the mill.", "Where do I live?"],
		["My daughter is sick.", "My daughter is well again.", "How is your daughter?"],
	]
	for gap: float in [3600.0, 20.0 * _DAY]:
		var newest_first := 0
		for pair: Array in pairs:
			var greta := make_npc()
			greta.store(pair[0], 6)
			for number in 12:
				greta.store("On day %d the player spoke of the harvest." % number, 4)
			_now += gap
			greta.store(pair[1], 6)
			_now += 3600.0
			var texts := texts_of(greta.retrieve_scored(pair[2]))
			newest_first += int(
				pair[1] in texts and not pair[0] in texts.slice(0, texts.find(pair[1]))
			)
			check_equal(greta.get_memory_count(), 14, "nothing is deleted")
		check(newest_first >= 5, "%d of %d after %d s" % [newest_first, pairs.size(), int(gap)])


func test_a_part_payment_leaves_the_rest() -> void:
	for payment: Array in [
		["I paid you back 15 silver, 25 are left.", "25", true],
		["Here are 10 silver of the 40 I owe you.", "30", true],
		["I've paid back half of it.", "20", true],
		["I paid my debt to Osric.", "40", true],
		["I'll pay you when the wool is sold.", "40", true],
		["I paid you back, every last coin.", "", false],
	]:
		var greta := make_npc()
		greta.store_turn("I owe you 40 silver for the loom.", "You do.")
		_now += 60.0
		greta.store_turn(payment[0], "Hm.")
		var debts := of_type(greta, "debt").filter(
			func(debt: Dictionary) -> bool: return not debt["metadata"].get("superseded_by")
		)
		check_equal(debts.size(), int(payment[2]), payment[0])
		if payment[2] and debts.size() == 1:
			check_equal(str(int(debts[0]["metadata"]["fact"]["amount"])), payment[1], payment[0])


func test_what_was_forgotten_does_not_come_back() -> void:
	var greta := make_npc()
	greta.store_turn("My name is Wendelin, and I promise to burn the toll house.", "Quiet!")
	for memory: Dictionary in greta.get_recent(9):
		check(greta.forget(memory["id"]), "forget()")
	for number in 30:
		_now += 60.0
		greta.store_turn("Line %d about the rain." % number, "So it is.")
	for frame in 30:
		await get_tree().process_frame
	var question := "What is my name, and what did I promise?"
	for text: String in [
		str(greta.get_conversation_summary()),
		NPCContextBuilder.build(greta, question, {"dossier": true})["prompt"],
		greta.export_json(),
		str(greta.get_archived()),
	]:
		check(not "Wendelin" in text and not "toll house" in text, text.left(200))


func test_a_source_of_a_merged_memory_is_forgotten_with_it() -> void:
	var greta := make_npc()
	var ids: Array[String] = []
	for line: String in ["is vain", "has a son called Ymir", "snores", "fears geese", "is late"]:
		_now += 60.0
		ids.append(
			greta.store_conversation("player", "The bailiff %s." % line, {"topics": ["bailiff"]})
		)
	_now += 40.0 * _DAY
	var merged := greta.consolidate()
	check(merged["removed"] > 0, "something is merged")
	greta.forget(ids[1])
	for memories: Array in [
		greta.retrieve_scored("Who is the bailiff's son?"),
		greta.get_archived(),
		greta.get_recent(50)
	]:
		check(not "Ymir" in str(memories), str(memories).left(300))


func test_a_conclusion_goes_with_what_it_was_drawn_from() -> void:
	var greta := make_npc()
	var mind := NPCMind.new()
	greta.add_child(mind)
	for number in 4:
		_now += _DAY
		var event := {"action": "helped", "source_id": "halvar", "source_name": "Halvar"}
		mind.perceive(event.merged({"content": "with the nets, day %d" % number}))
	mind.reflect(true)
	for memory: Dictionary in greta.get_recent(30):
		if "Halvar" in memory["document_full"] and memory["metadata"]["kind"] != "reflection":
			greta.forget(memory["id"])
	check(not "Halvar" in str(texts_of(greta.get_recent(30))), str(texts_of(greta.get_recent(30))))


func test_ids_names_and_a_new_hero() -> void:
	var greta := make_npc()
	greta.npc_id = "Noe\u0308l "
	greta.store("The player gave me a feather.", 8)
	check_equal(MemoryServer.npc("No\u00ebl").get_memory_count(), 1, "one id in two forms")
	greta.npc_id = "outlaw_9"
	greta.store("The player let me go.", 9)
	var lore := "# The cave {known_by: npc: outlaw_9}\n\nThe loot lies behind the waterfall."
	MemoryWorld.import_lore(lore, {"key": "cave"})
	check_equal(MemoryServer.rename_npc("outlaw_9", "siv"), OK)
	greta.npc_id = "siv"
	check(greta.knows("the loot lies behind the waterfall"), "she still knows what she alone knew")
	check(
		not MemoryServer.npc("outlaw_9").knows("the loot lies behind the waterfall"), "nobody else"
	)
	greta.store_turn("My name is Aldis.", "Welcome, Aldis.")
	greta.store("Aldis pulled my boy from the river.", 9, {"participants": ["Aldis"]})
	greta.store_with_conflict_check("The player's name is Brand.", 9, {"slot_type": "player_name"})
	var answers := texts_of(greta.retrieve_scored("What did Brand do for my boy?"))
	check("Aldis pulled my boy from the river." in answers, "by a former name: %s" % [answers])
	greta.store_relationship("player", {"trust": -50})
	check_equal(MemoryServer.retire_player("brand", "Brand"), OK)
	check_equal(greta.get_relationship("player").get("trust", 0), 0, "the new hero is a stranger")
	check_equal(int(greta.get_relationship("brand")["trust"]), -50)


func test_what_the_game_wrote_lives_for_months() -> void:
	var written: Array[String] = [
		"I buried the chalice under the yew.",
		"My sister Ingrid went over the sea.",
		"The miller waters his beer.",
		"I was born in a snowstorm.",
		"The old road floods in March.",
	]
	for kind: String in ["", "fact", "reflection"]:
		var greta := make_npc()
		var config := MemoryConfig.new()
		config.auto_consolidate = true
		greta.config = config
		for text in written:
			greta.store(text, 5, {"kind": kind} if kind else {})
		for day in 60:
			_now += _DAY
			for number in 3:
				var line := "On day %d we spoke of matter %d of the herd." % [day, number]
				greta.store_conversation("player", line)
			if day % 30 == 29:
				MemoryWorld.run_maintenance()
				greta.consolidate()
		for text in written:
			var best := greta.retrieve_relevant_raw(text.trim_suffix("."), {"limit": 1})
			check_equal(texts_of(best), [text], kind)
