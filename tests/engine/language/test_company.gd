# Who hears a talk in the scene: groups, the mind's nearby NPCs, and the game's own rule.
extends "res://tests/engine/case.gd"


func _npc(id: String) -> RAGMemory:
	MemoryWorld.register_character(id, {"name": id.capitalize()})
	return make_memory(id)


func _dialogue(memory: RAGMemory, text: String) -> NPCDialogue:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String: return text
	var dialogue := NPCDialogue.new()
	dialogue.model = model
	dialogue.analysis = false
	memory.add_child(dialogue)
	return dialogue


func _texts(memory: RAGMemory) -> Array:
	var texts := memory.get_recent(20).map(
		func(of: Dictionary) -> String: return of["document_full"]
	)
	texts.sort()
	return texts


func _has_met(memory: RAGMemory) -> bool:
	return memory.generate_relationship_header()["metadata"]["relationship"]["met"]


func test_a_group_overhears() -> void:
	var mira := _npc("mira")
	var gregor := _npc("gregor")
	var elena := _npc("elena")
	gregor.add_to_group("tavern")
	var dialogue := _dialogue(mira, "I shall tell nobody.")
	dialogue.bystander_group = "tavern"
	var answer: Dictionary = await dialogue.say("I robbed the mint last night.").completed
	check_equal(answer["response"], "I shall tell nobody.")
	check_equal(
		_texts(gregor),
		[
			'I overheard Mira tell the player: "I shall tell nobody."',
			'I overheard the player tell Mira: "I robbed the mint last night."',
		]
	)
	check_equal(_texts(elena), [])
	check(_has_met(mira) and not _has_met(gregor), "only who was spoken to has met the player")
	mira.undo_exchange()
	check_equal(_texts(gregor), [])
	await dialogue.say("The key is under the mat.", {"manner": "whisper"}).completed
	check_equal(_texts(gregor), [])


func test_npcs_talk_with_each_other() -> void:
	var nora := _npc("nora")
	var bruno := _npc("bruno")
	var dialogue := _dialogue(nora, "Ten sacks, then.")
	dialogue.bystanders = ["edda"]
	var edda := _npc("edda")
	var line := "I promise to pay for the flour."
	await dialogue.say(line, {"speaker": "bruno"}).completed
	check_equal(nora.get_relationship("player"), {})
	check(not _has_met(nora), "she has not met the player")
	check("player" not in " ".join(PackedStringArray(_texts(nora))), str(_texts(nora)))
	check('Bruno promised me: "%s"' % line in _texts(nora), str(_texts(nora)))
	check('Nora told me: "Ten sacks, then."' in _texts(bruno), str(_texts(bruno)))
	check_equal(_texts(edda).size(), 2)
	check_equal(nora.get_turns(5, "bruno").size(), 1)
	check_equal(bruno.get_turns(5, "nora").size(), 2)
	await dialogue.replace_answer("Eleven sacks.").completed
	check('Nora told me: "Eleven sacks."' in _texts(bruno), str(_texts(bruno)))
	check('Nora told me: "Ten sacks, then."' not in _texts(bruno), str(_texts(bruno)))


func test_a_game_writes_what_is_answered() -> void:
	var nora := _npc("nora_2")
	var bruno := _npc("bruno_2")
	var dialogue := _dialogue(nora, "This is never asked for.")
	var options := {"speaker": "bruno_2", "response": "Ten sacks, then."}
	var answer: Dictionary = await dialogue.say("I promise to pay.", options).completed
	check_equal(answer["response"], "Ten sacks, then.")
	check_equal(answer["from_memory"], false)
	check('Nora 2 told me: "Ten sacks, then."' in _texts(bruno), str(_texts(bruno)))
	for response: Variant in [5, "", "  "]:
		var refused := dialogue.say("I promise to pay.", {"response": response})
		await refused.completed
		check_contains(refused.get_error(), "The option response is a String")


func test_the_words_of_the_game_are_said_as_they_are() -> void:
	var dialogue := _dialogue(_npc("nell"), "This is never asked for.")
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	for words: String in [
		"Nell: Then we are even.", "Hello.\n\nPlayer: What?", '{"response": "Hm"}'
	]:
		var answer: Dictionary = await dialogue.say("Well?", {"response": words}).completed
		check_equal([answer["response"], answer["warnings"]], [words, PackedStringArray()])
		check_equal(heard.pop_back(), words)
		var replaced: Dictionary = await dialogue.replace_answer(words).completed
		check_equal(replaced["response"], words)


func test_the_game_decides_who_hears() -> void:
	var mira := _npc("vera")
	var near := _npc("near")
	var far := _npc("far")
	var asked: Array = []
	var mind := NPCMind.new()
	mira.add_child(mind)
	mind.set_nearby(["near", "far"])
	var dialogue := _dialogue(mira, "I see.")
	dialogue.mind = mind
	dialogue.can_hear = func(speaker: String, listener: String, manner: String) -> float:
		asked.append([speaker, listener, manner])
		return 0.5 if listener == "near" else 0.0
	await dialogue.say("The gold lies under the old oak behind the mill.").completed
	check_equal(asked, [["player", "near", "say"], ["player", "far", "say"]])
	check(_texts(near).any(func(text: String) -> bool: return "…" in text), str(_texts(near)))
	check_equal(_texts(far), [])
	for answer: Variant in [true, false]:
		dialogue.can_hear = func(_speaker: String, listener: String, _manner: String) -> Variant:
			return answer if listener == "far" else 0.0
		await dialogue.say("Meet me at the mill.", {"response": "Yes."}).completed
		check_equal(_texts(far).size(), 2, "only the first of both was heard")
	dialogue.can_hear = func(_speaker: String, listener: String, _manner: String) -> Variant:
		return "loud" if listener == "far" else 0.0
	expect_error('NPCDialogue.can_hear returned "loud" for far')
	await dialogue.say("And bring the key.", {"response": "Yes."}).completed
	check_equal(_texts(far).size(), 2)


func test_senses_of_nodes_that_were_never_used() -> void:
	var ids := ["sighted", "blind", "deaf", "asleep", "thief", "victim"]
	var npcs := {}
	for id: String in ids:
		npcs[id] = RAGMemory.new()
		npcs[id].npc_id = id
		add_child(npcs[id])
	npcs.blind.senses = RAGMemory.HEARING
	npcs.deaf.senses = RAGMemory.SIGHT
	npcs.asleep.senses = 0
	check_equal(npcs.sighted.senses, RAGMemory.HEARING | RAGMemory.SIGHT)
	var mind := NPCMind.new()
	npcs.victim.add_child(mind)
	(
		mind
		. perceive(
			{
				"action": "stole",
				"source_id": "thief",
				"sound": "glass breaks",
				"bystanders": ["sighted", "blind", "deaf", "asleep"],
			}
		)
	)
	check_equal(_texts(npcs.sighted), ["I saw this happen: Thief stole from Victim."])
	check_equal(_texts(npcs.blind), ["I heard this: glass breaks."])
	check_equal(_texts(npcs.deaf), ["I saw this happen: Thief stole from Victim."])
	check_equal(_texts(npcs.asleep), [])
	npcs.asleep.senses = 3
	npcs.victim.store_turn(
		"Who was it?", "I do not know.", {"speaker": "thief", "bystanders": ["asleep", "deaf"]}
	)
	check_equal(_texts(npcs.asleep).size(), 2)
	check_equal(_texts(npcs.deaf).size(), 1)
	check_equal(_texts(npcs.thief).size(), 2)
	for id: String in ids:
		npcs[id].free()
