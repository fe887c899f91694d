# From the player's line to what an NPC says, and what she remembers of it.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const German := preload("res://tests/engine/prompt/german.gd")
const ScriptedServer := preload("scripted_server.gd")
const HEAD := ScriptedServer.OK_HEAD


func _answering(text: String) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.answer_habit = 2
	model.callable = func(_messages: Array, options: Dictionary) -> String:
		for piece: String in text.split("|"):
			(options["on_chunk"] as Callable).call(piece)
			await get_tree().process_frame
		return ""
	return model


func _dialogue(memory: RAGMemory, model: NPCLanguageModel = null) -> NPCDialogue:
	var dialogue := NPCDialogue.new()
	dialogue.model = model
	memory.add_child(dialogue)
	return dialogue


func test_she_answers_and_remembers() -> void:
	var memory := make_memory()
	var answer_text := (
		'{"resp|onse": "Well met, |Theron.\\n|Sit down.", "analysis": {"trust_change": 5,'
		+ ' "promise_made": "to mend the roof",| "learned_about_player": {"name": "Theron"}}}'
	)
	var dialogue := _dialogue(memory, _answering(answer_text))
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	var finished := watch(dialogue.finished)
	var failed := watch(dialogue.failed)
	check(not dialogue.is_speaking(), "before")
	var request := dialogue.say("I am Theron. I will mend your roof.")
	check(dialogue.is_speaking(), "meanwhile")
	var answer: Dictionary = await request.completed
	check(not dialogue.is_speaking(), "after")
	check_equal(answer["response"], "Well met, Theron.\nSit down.")
	check_equal("".join(PackedStringArray(heard)), answer["response"])
	check(heard.size() >= 2, "it came in pieces: %s" % [heard])
	check_equal(answer["from_memory"], false)
	check_equal(answer["error"], "")
	check_equal(answer["analysis"]["trust_change"], 5)
	check_equal(finished.size(), 1)
	check(finished[0][0] == answer, "the signal has the result")
	check(failed.is_empty(), "nothing failed")
	var stored: Array = answer["stored"]
	var types := stored.map(func(each: Dictionary) -> String: return each["event_type"])
	check("promise_made" in types and "player_info" in types, str(types))
	check(memory.knows("the player promised to mend the roof"), "she remembers")
	check_equal(memory.get_turns()[0]["npc_message"], answer["response"])


func test_what_the_model_proposes_reaches_the_game_and_changes_nothing() -> void:
	var memory := make_memory()
	var text := (
		'{"response": "I come.", "analysis": {}, "proposed_actions": [{"action": "follow"}, "fly"],'
		+ ' "proposed_tasks": [{"operation": "cancel", "task_id": "patrol_1"}],'
		+ ' "proposed_events": [{"event_type": "feud", "summary": "Bran left the guard."}]}'
	)
	var dialogue := _dialogue(memory, _answering(text))
	dialogue.context_options = {
		"proposals":
		{"actions": ["follow"], "tasks": {"patrol_1": "Patrol near Sargot."}, "events": true}
	}
	var proposed := watch(dialogue.proposed)
	var answer: Dictionary = await dialogue.say("Come with me!").completed
	check_equal(answer["response"], "I come.")
	check_equal(
		proposed.map(func(of: Array) -> String: return of[0]["kind"]), ["action", "task", "event"]
	)
	check_equal(proposed[0][0]["action"], "follow")
	check_equal(proposed[1][0]["operation"], "cancel")
	check(not answer["prompt"].has("schema"), "the prompt is that of build()")
	check_equal(proposed[2][0]["summary"], "Bran left the guard.")
	check(MemoryWorld.get_tasks().is_empty(), "no task")
	check(MemoryWorld.get_events().is_empty(), "no event")


func test_an_answer_is_given_again_or_replaced() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory, _answering("My name is Bruno."))
	var first: Dictionary = await dialogue.say("Who are you?").completed
	dialogue.model = _answering("I am nobody.")
	var second: Dictionary = await dialogue.answer_again().completed
	check_equal(second["response"], "I am nobody.")
	check(second["exchange"] != first["exchange"], "another exchange")
	check_equal(_said(memory), ["I am nobody."])
	var third: Dictionary = await dialogue.replace_answer("Ask me tomorrow.").completed
	check_equal(third["response"], "Ask me tomorrow.")
	check_equal(third["from_memory"], false)
	check_equal(_said(memory), ["Ask me tomorrow."])
	check_equal(memory.get_turns()[0]["player_message"], "Who are you?")
	check_equal(memory.get_exchanges()[0]["exchange"], third["exchange"])


func _said(memory: RAGMemory) -> Array:
	return memory.get_turns().map(func(turn: Dictionary) -> String: return turn["npc_message"])


func test_no_answer_is_given_again_before_the_first() -> void:
	var request := _dialogue(make_memory()).answer_again()
	check_equal(await request.completed, {})
	check("no answer" in request.get_error(), request.get_error())


func test_speech_without_json() -> void:
	var dialogue := _dialogue(make_memory(), _answering("Good |evening."))
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	var answer: Dictionary = await dialogue.say("Hello.").completed
	check_equal(answer["response"], "Good evening.")
	check_equal(heard, ["Good evening."])
	check_equal(answer["is_json"], false)


func test_odd_answers_are_heard_without_json() -> void:
	var answers: Dictionary[String, String] = {
		'```json\n{"response": "Hello."}\n```': "Hello.",
		'```|json\n{"response"| : "Hel|lo."}': "Hello.",
		'{"analysis": {"trust_change": 1}, "response": "Hello."}': "Hello.",
		'{"dialogue": "Hello."}': "Hello.",
		'{"response": "She said \\"He|llo\\|" \\u00fc \\ud83d|\\ude00."}': 'She said "Hello" ü 😀.',
		'{"response": "Hello': "Hello",
		'  {"response": "Hello.|\u200b"}': "Hello.",
		"`Hello`": "`Hello`",
	}
	for text in answers:
		var dialogue := _dialogue(make_memory(), _answering(text))
		var heard: Array = []
		dialogue.chunk.connect(func(each: String) -> void: heard.append(each))
		var answer: Dictionary = await dialogue.say("Hello.").completed
		check_equal(answer["response"], answers[text], text)
		check_equal("".join(PackedStringArray(heard)), answers[text], text)


func test_without_a_model_she_answers_from_memory() -> void:
	var memory := make_memory()
	memory.store("The player promised to mend the roof.", 8, {"event_type": "promise_made"})
	var dialogue := _dialogue(memory)
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	var answer: Dictionary = await dialogue.say("What about the roof?").completed
	check_contains(answer["response"], "You promised to mend the roof.")
	check_equal(heard, [answer["response"]])
	check_equal(answer["from_memory"], true)
	check_equal(answer["error"], "")
	answer = await dialogue.say("Who rules the elves of the southern sea?").completed
	check_is(answer["response"], "says_unknown")
	answer = await dialogue.say("Good day to you, my dear!").completed
	check_is(answer["response"], "says_hello_back")
	check_equal(memory.get_turns().size(), 3)


func test_without_a_model_it_shows_how_she_feels() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory)
	check_is((await dialogue.greet().completed)["response"], "says_hello_stranger")
	memory.store("The player stole my horse.", 9, {"event_type": "theft"})
	var said: Array[String] = ["says_to_you", "says_once_more", "says_often"]
	for numbers: Array in [[-60, "_to_foe"], [60, "_to_friend"], [10, ""]]:
		memory.store_relationship("player", {"trust": numbers[0], "affection": numbers[0]})
		check_is((await dialogue.greet().completed)["response"], "says_hello" + numbers[1])
		var values := {"memory": "You stole my horse."}
		var answer: Dictionary = await dialogue.say("The stolen horse?").completed
		check_is(answer["response"], said.pop_front() + numbers[1], values)


func test_without_a_model_she_does_not_say_everything_twice() -> void:
	var memory := make_memory()
	var text := "Bandits burned the old mill during the harvest."
	var id := memory.store(text, 6)
	memory.store("The player promised to mend the roof.", 8, {"event_type": "promise_made"})
	var dialogue := _dialogue(memory)
	check_contains((await dialogue.greet().completed)["response"], "You promised to mend the roof.")
	check_is((await dialogue.greet().completed)["response"], "says_hello")
	for key: String in ["says_fact", "says_once_more", "says_often"]:
		var answer: Dictionary = await dialogue.say("Who burned the old mill?").completed
		check_is(answer["response"], key, {"memory": text})
		check_equal(answer["memory_ids"], [id])
	check_equal((memory.get_memory(id)["last_told"] as Dictionary).keys(), ["player"])
	memory.undo_exchange()
	memory.undo_exchange()
	var again: Dictionary = await dialogue.say("Who burned the old mill?").completed
	check_is(again["response"], "says_once_more", {"memory": text})
	memory.undo_exchange()
	memory.undo_exchange()
	check(not memory.get_memory(id).has("last_told"), "undone")


func test_without_a_model_a_short_question_is_about_the_last_answer() -> void:
	var memory := make_memory()
	memory.store_witnessed_event("Bandits burned the old mill.")
	var dialogue := _dialogue(memory)
	await dialogue.say("Who burned the old mill?").completed
	var answers: Array = []
	for question: String in ["Are you sure?", "Why?", "When was that?"]:
		answers.append((await dialogue.say(question).completed)["response"])
	check_equal(answers, ["I was there myself.", "I could not tell you why.", "That was today."])
	await dialogue.say("Thank you.").completed
	check_is((await dialogue.say("Why?").completed)["response"], "says_unknown")


func test_what_a_model_told_steps_back() -> void:
	var memory := make_memory()
	var id := memory.store("Bandits burned the old mill during the harvest.", 6)
	var dialogue := _dialogue(memory, _answering("Bandits burned the mill |during the harvest."))
	var question := "Is there any work for me, Mira?"
	check(not memory.explain(question, id, ["player"])["breakdown"].has("told"), "not told yet")
	check_equal((await dialogue.say("What news is there?").completed)["memory_ids"], [id])
	check_equal(memory.explain(question, id, ["player"])["breakdown"]["told"], 0.5)
	check(not memory.explain(question, id)["breakdown"].has("told"), "nobody listens")
	check(
		not memory.explain(question, id, ["bjorn"])["breakdown"].has("told"), "Bjorn was not there"
	)
	var prompt := NPCContextBuilder.build(memory, question)
	check_contains(prompt["sections"]["already_told"]["text"], "Bandits burned the old mill")
	memory.undo_exchange()
	check(not memory.explain(question, id, ["player"])["breakdown"].has("told"), "undone")
	for wrong: Variant in [[7], [{"a": 1}], 5]:
		expect_error("answer_from_memory(): listeners")
		check_equal(memory.answer_from_memory("line", question, {"listeners": wrong}), {})


# Whether it is one of the sentences of the addon with this key, for whatever number.
func check_is(response: String, key: String, values := {}) -> void:
	var english := German.english_sentences()
	var sentences: Array[String] = []
	for number in range(1, 4):
		var name := "%s_%d" % [key, number]
		if english.has(name):
			sentences.append((english[name] as String).format(values))
	check(response in sentences, "%s: %s is one of %s" % [key, response, sentences])


func test_when_the_model_fails_she_answers_from_memory() -> void:
	var server := ScriptedServer.new(["HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"])
	var dialogue := _dialogue(make_memory(), server.model())
	var answer: Dictionary = await dialogue.say("Hello.").completed
	server.close()
	check_equal(answer["from_memory"], true)
	check_contains(answer["error"] as String, "answered 404")
	check(not str(answer["response"]).is_empty(), "she says something")


func test_an_answer_that_breaks_off_is_heard_as_far_as_it_came() -> void:
	var event := JSON.stringify({"choices": [{"delta": {"content": '{"response": "The mill bur'}}]})
	var server := ScriptedServer.new([HEAD + "data: %s\n\n" % event])
	var dialogue := _dialogue(make_memory(), server.model())
	var answer: Dictionary = await dialogue.say("What happened?").completed
	server.close()
	check_equal(answer["response"], "The mill bur")
	check_equal(answer["from_memory"], false)
	check_contains(answer["error"] as String, "in the middle of the answer")


func test_cancel_stores_nothing() -> void:
	var memory := make_memory()
	var event := JSON.stringify({"choices": [{"delta": {"content": '{"response": "The mill'}}]})
	var server := ScriptedServer.new([[HEAD + "data: %s\n\n" % event, 60000]])
	var dialogue := _dialogue(memory, server.model())
	dialogue.model.answer_habit = 2
	var failed := watch(dialogue.failed)
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	var request := dialogue.say("What happened?")
	await until(func() -> bool: return not heard.is_empty())
	dialogue.cancel()
	check(not dialogue.is_speaking(), "she is silent")
	check_equal(await request.completed, {})
	check_contains(request.get_error(), "cancelled")
	await until(func() -> bool: return server.connections_closed_by_client == 1)
	server.close()
	check_equal(memory.get_memory_count(), 0)
	check(memory.get_turns().is_empty(), "no turn")
	check(failed.is_empty(), "nothing failed")


func test_a_second_line_interrupts_the_first() -> void:
	var dialogue := _dialogue(make_memory(), _answering('{"response": "|One. |Two."}'))
	var finished := watch(dialogue.finished)
	expect_warning('the line "First?" is neither answered nor remembered')
	var first := dialogue.say("First?")
	await frames(1)
	var second := dialogue.say("Second?")
	check_equal(await first.completed, {})
	check_equal((await second.completed)["response"], "One. Two.")
	check_equal(finished.size(), 1)


func test_freed_while_she_speaks() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory, _answering('{"response": "|One. |Two. |Three."}'))
	var request := dialogue.say("First?")
	await frames(2)
	memory.queue_free()
	check_equal(await request.completed, {})
	check(not request.get_error().is_empty(), "it says why")


func test_freed_when_the_model_has_answered_without_a_word() -> void:
	for is_below: bool in [true, false]:
		var memory := make_memory()
		var model := _answering('{"analysis": {}}')
		model.chunk.connect(func(_from: MemoryRequest, _text: String) -> void: memory.queue_free())
		var dialogue := _dialogue(memory, model)
		dialogue.memory = memory
		if not is_below:
			dialogue.reparent(self)
		var request := dialogue.say("Hello.")
		check_equal(await request.completed, {})
		check(not request.get_error().is_empty(), "it says why")
		if not is_below:
			dialogue.queue_free()


func test_she_feels_what_is_said_to_her() -> void:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	var dialogue := _dialogue(memory, _answering('{"response": "Oh."}'))
	check_equal(dialogue.mind, mind, "it finds the mind of the memory")
	var answer: Dictionary = await dialogue.say("I hate you, you stupid idiot.").completed
	check((mind.get_disposition("player")["strength"] as float) < 50.0, "she likes the player less")
	check(
		not str(answer["prompt"]["sections"]["listeners"]["text"]).is_empty(), "it is in the prompt"
	)
	check_equal(memory.get_memory_count(), 1, "one line is one memory")


func test_what_she_felt_stays_when_she_is_silenced() -> void:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	var dialogue := _dialogue(memory, _answering('{"response": "|Oh. |How |rude."}'))
	dialogue.mind = mind
	var heard := watch(dialogue.chunk)
	var request := dialogue.say("I hate you, you stupid idiot.")
	await until(func() -> bool: return not heard.is_empty())
	dialogue.cancel()
	check_equal(await request.completed, {})
	check_equal(memory.get_memory_count(), 0)
	check((mind.get_disposition("player")["strength"] as float) < 50.0, "she likes the player less")
	await frames(5)


func test_reactions_are_remembered() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory, _answering('{"response": "Put it away!"}'))
	var answer: Dictionary = await dialogue.react("The player draws a sword.").completed
	check_equal(answer["response"], "Put it away!")
	check_contains(memory.get_recent(1)[0]["document_full"] as String, "The player draws a sword.")


func test_who_she_is_is_in_the_prompt() -> void:
	var asked: Array = []
	var model := NPCCallableLanguageModel.new()
	model.callable = func(messages: Array, options: Dictionary) -> String:
		asked.append([messages, options])
		return '{"response": "Yes."}'
	var dialogue := _dialogue(make_memory("mira"), model)
	dialogue.personality = load("res://demo/villagers/mira.tres")
	dialogue.world = NPCWorldKnowledge.new()
	dialogue.context_options = {"token_budget": 1500}
	var options := {"temperature": 0.25, "max_tokens": 33, "location": "the cellar"}
	var answer: Dictionary = await dialogue.say("Who are you?", options).completed
	check_equal(asked[0][1]["temperature"], 0.25)
	check_equal(asked[0][1]["max_tokens"], 33)
	check((answer["prompt"]["total_tokens"] as int) <= 1500, "the budget is kept")
	check_contains(str(answer["prompt"]["prompt"]), "Mira")


func test_wrong_options_are_told() -> void:
	var dialogue := _dialogue(make_memory())
	var failed := watch(dialogue.failed)
	expect_error("does not know the option tempo")
	var request := dialogue.say("Hello.", {"tempo": 3})
	check_equal(await request.completed, {})
	check_contains(request.get_error(), "tempo")
	check_equal(failed.size(), 1)


func test_without_a_memory() -> void:
	expect_error("NPCDialogue has no memory")
	var dialogue := NPCDialogue.new()
	add_child(dialogue)
	var failed := watch(dialogue.failed)
	var request := dialogue.say("Hello.")
	check_equal(await request.completed, {})
	check_contains(request.get_error(), "put it below a RAGMemory")
	check_equal(failed.size(), 1)
	dialogue.queue_free()


func test_it_finds_the_memory_beside_it() -> void:
	var npc := Node.new()
	var memory := RAGMemory.new()
	memory.npc_id = "beside"
	var dialogue := NPCDialogue.new()
	npc.add_child(memory)
	npc.add_child(dialogue)
	add_child(npc)
	var answer: Dictionary = await dialogue.say("Hello.").completed
	check_equal(memory.get_turns().size(), 1)
	check_equal(answer["from_memory"], true)
	npc.queue_free()


func test_she_speaks_the_language_of_the_game() -> void:
	const KEYS: Array[String] = ["says_hello_stranger", "says_unknown", "says_seen"]
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	var own := {}
	for key in KEYS:
		for number in range(1, 4):
			if German.SENTENCES.has("%s_%d" % [key, number]):
				own["%s_%d" % [key, number]] = "(%s)" % key
	memory.config.wording = own
	var dialogue := _dialogue(memory)
	check_equal((await dialogue.greet().completed)["response"], "(says_hello_stranger)")
	check_equal((await dialogue.say("Who is king?").completed)["response"], "(says_unknown)")
	check_equal((await dialogue.react("A dog barks.").completed)["response"], "(says_seen)")


func test_a_small_model_only_speaks() -> void:
	var asked: Array = []
	var model := NPCCallableLanguageModel.new()
	model.callable = func(messages: Array, options: Dictionary) -> String:
		asked.append([messages, options.has("json_schema")])
		return "I will wait for you."
	var memory := make_memory()
	var dialogue := _dialogue(memory, model)
	dialogue.analysis = false
	var answer: Dictionary = await dialogue.say("I promise to bring you firewood.").completed
	check_equal(answer["response"], "I will wait for you.")
	check_equal(answer["warnings"], PackedStringArray())
	check_equal(asked[0][1], false)
	check(not "JSON" in str(asked[0][0]), "no JSON is asked for")
	check(memory.knows("The player promised to bring firewood"), "the rules find the promise")


func test_without_a_model_she_keeps_secrets() -> void:
	var memory := make_memory()
	memory.store("Marcus told me who leads the bandits of the mill.", 9, {"secret": true})
	memory.store(
		"The player and I hid the bandits of the mill.", 9, {"secret": true, "known_to": ["varn"]}
	)
	var dialogue := _dialogue(memory)
	var line := "Who leads the bandits of the mill?"
	check_is((await dialogue.say(line).completed)["response"], "says_unknown")
	memory.store("Wren leads the bandits of the mill.", 9)
	check_contains(
		(await dialogue.say(line).completed)["response"], "Wren leads the bandits of the mill."
	)


func test_without_a_model_she_says_who_she_is_and_who_the_player_is() -> void:
	var dialogue := _dialogue(make_memory())
	dialogue.personality = NPCPersonality.new()
	dialogue.personality.display_name = "Mira"
	dialogue.personality.role = "the innkeeper"
	dialogue.world = NPCWorldKnowledge.new()
	dialogue.world.player_name = "Theron"
	var answer: Dictionary = await dialogue.say("Who are you?").completed
	check_equal(answer["response"], "I am Mira, the innkeeper.")
	answer = await dialogue.say("And who am I?").completed
	check_contains(answer["response"], "You are Theron.")


func test_the_inspector_offers_the_right_resources() -> void:
	var dialogue := NPCDialogue.new()
	var hints := {}
	for property: Dictionary in dialogue.get_property_list():
		hints[property["name"]] = property["hint_string"]
	check_equal(hints["model"], "NPCLanguageModel")
	check_equal(hints["personality"], "NPCPersonality")
	check_equal(hints["world"], "NPCWorldKnowledge")
	dialogue.free()


func test_without_an_analysis_rules_find_what_the_player_tells() -> void:
	for model: NPCLanguageModel in [null, _plain("So be it.")] as Array[NPCLanguageModel]:
		var memory := make_memory()
		var dialogue := _dialogue(memory, model)
		dialogue.analysis = model == null
		await dialogue.say("My name is Rowan.").completed
		await dialogue.say("I promise to mend your roof before winter.").completed
		await until(
			func() -> bool: return memory.knows("The player promised to mend the roof", 0.5)
		)
		var kinds: Array = memory.get_recent(20).map(
			func(each: Dictionary) -> String: return each["metadata"]["event_type"]
		)
		check("promise_made" in kinds, "the promise is one: %s" % [kinds])
		dialogue.model = null
		var answer: Dictionary = await dialogue.say("What did I promise you?").completed
		check_contains(answer["response"], "mend")
		answer = await dialogue.say("What is my name?").completed
		check_contains(answer["response"], "Rowan")


func test_what_she_said_without_a_model_is_no_example_for_one() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory)
	await dialogue.say("Who rules the elves of the southern sea?").completed
	await dialogue.greet().completed
	check_equal(memory.get_turns().size(), 2)
	check_equal(memory.get_memory_count(), 1)
	dialogue.model = _plain("A queen.")
	var answer: Dictionary = await dialogue.say("Do you not know?").completed
	check(not "I know nothing" in str(answer["prompt"]["messages"]), "the sentence is not in it")
	answer = await dialogue.say("Is she old?").completed
	check_contains(str(answer["prompt"]["messages"]), "A queen.")


func test_what_she_feels_colours_what_she_says_without_a_model() -> void:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	memory.store("The player gave me a red rose by the well.", 7)
	memory.store_relationship("player", {"trust": 70, "affection": 70})
	var dialogue := _dialogue(memory)
	var line := "Did I ever bring you a rose?"
	var values := {"memory": "You gave me a red rose by the well."}
	check_is((await dialogue.say(line).completed)["response"], "says_to_you_to_friend", values)
	dialogue.mind = mind
	for time in 3:
		mind.perceive({"action": "attacked", "source_id": "player"})
	check_is((await dialogue.say(line).completed)["response"], "says_once_more_to_foe", values)


func test_her_mind_knows_the_player_by_name() -> void:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	var dialogue := _dialogue(memory)
	dialogue.mind = mind
	dialogue.world = NPCWorldKnowledge.new()
	dialogue.world.player_name = "Rowan"
	await dialogue.say("Good day to you.").completed
	check_equal(mind.get_disposition("player")["name"], "Rowan")


func test_nothing_said_is_refused() -> void:
	var memory := make_memory()
	var dialogue := _dialogue(memory)
	check_equal(dialogue.memory, memory)
	var request := dialogue.say("  ")
	check_equal(await request.completed, {})
	check_contains(request.get_error(), "said nothing")
	check_equal(memory.get_memory_count(), 0)


func _plain(words: String) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String: return words
	return model
