# Runs typed and untyped.
# RAGMemory.store_turn() and what becomes of it.
extends "res://tests/engine/case.gd"


func test_turns_facts_and_what_going_back_takes() -> void:
	check_equal(MemoryServer.open_save("conversations"), OK)
	MemoryServer.set_clock(func() -> float: return 86400.0)
	var mira: RAGMemory = make_memory("mira")
	var turn: String = mira.store_turn(
		"My name is Theron. I promise to fix your roof.", "Thank you.", {"location": "Oakvale"}
	)
	var told: Array[Dictionary] = mira.get_turns()
	check_equal(told.size(), 1)
	check_equal(told[0]["id"], turn)
	check_equal(told[0]["player_message"], "My name is Theron. I promise to fix your roof.")
	check_equal(told[0]["npc_message"], "Thank you.")
	check_equal(told[0]["location"], "Oakvale")
	check_near(told[0]["day"] as float, 1.0)
	check_equal(mira.get_memory_count(), 2)
	var found: Array[Dictionary] = mira.retrieve_relevant_raw("Who promised to fix the roof?")
	check_equal(found[0]["document_full"], 'The player promised me: "I promise to fix your roof."')
	check_equal(found[0]["metadata"]["fact"]["quote"], "I promise to fix your roof.")
	check_equal(found[0]["metadata"]["turn"], turn)
	var facts: Array[Dictionary] = mira.extract_memories("I owe you 50 gold.", "")
	check_equal(facts[0]["category"], "debt")
	check_equal(mira.get_memory_count(), 2)
	MemoryServer.set_clock(func() -> float: return 2 * 86400.0)
	await mira.store_turn_async("Goodbye.", "").completed
	var turns: Array = await mira.get_turns_async(1).completed
	check_equal(turns[0]["player_message"], "Goodbye.")
	MemoryServer.rollback_to(86400.0)
	check_equal(mira.get_turns().size(), 1)
	MemoryServer.set_clock(Callable())


func test_older_turns_become_a_summary() -> void:
	check_equal(MemoryServer.open_save("long conversation"), OK)
	var mira: RAGMemory = make_memory("mira of the long conversation")
	for number: int in 20:
		mira.store_turn("I promise to bring you apple number %d." % number, "")
	var summary: Dictionary = {}
	for _frame: int in 600:
		summary = mira.get_conversation_summary()
		if summary["turn_count"] > 0:
			break
		await get_tree().process_frame
	check(summary["turn_count"] >= 10 and summary["turn_count"] <= 14, str(summary))
	check_contains(summary["summary"] as String, "I promise to bring you apple number 9.")
	check_equal(mira.get_turns(100).size(), 20)


func test_a_summary_is_made_again_without_what_was_forgotten() -> void:
	check_equal(MemoryServer.open_save("forgotten conversation"), OK)
	var mira: RAGMemory = make_memory("mira of the forgotten conversation")
	mira.store_turn("I promise to burn the granary tomorrow.", "Hush!")
	for number: int in 20:
		mira.store_turn("Line %d about the harvest." % number, "Indeed.")
	check_contains(await _summary_of(mira), "granary")
	var promises: Array[Dictionary] = mira.retrieve_relevant_raw(
		"", {"filter": {"event_type": "promise_made"}}
	)
	check_equal(promises.size(), 1)
	check(mira.forget(promises[0]["id"] as String), "the promise is forgotten")
	check(not "granary" in str(mira.get_conversation_summary()), "at once")
	var summary: String = await _summary_of(mira)
	check(summary != "" and not "granary" in summary, summary)
	check(not "granary" in str(mira.get_turns(100)), "the turn is gone, too")


func _summary_of(memory: RAGMemory) -> String:
	for _frame: int in 20000:
		if memory.get_conversation_summary()["turn_count"] > 0:
			break
		await get_tree().process_frame
	return memory.get_conversation_summary()["summary"] as String


func test_a_recorded_exchange_is_the_turn_of_the_next_prompt() -> void:
	check_equal(MemoryServer.open_save("exchanges"), OK)
	var mira: RAGMemory = make_memory("mira of the exchanges")
	var options: Dictionary = {"location": "Oakvale"}
	var answer: Dictionary = NPCContextBuilder.parse_response(
		'{"response": "Well met.", "analysis": {"promise_made": "to fix the roof"}}'
	)
	NPCContextBuilder.record_interaction(mira, "I promise to fix the roof.", answer, options)
	check_equal(mira.get_turns()[0]["npc_message"], "Well met.")
	check_equal(mira.get_turns()[0]["location"], "Oakvale")
	var promises: Array[Dictionary] = mira.retrieve_relevant_raw(
		"", {"filter": {"event_type": "promise_made"}}
	)
	check_equal(promises.size(), 1)
	var builder: NPCContextBuilder = NPCContextBuilder.new(mira, options)
	await builder.record_exchange_async("Farewell.", {"response": "Come back soon."}).completed
	check_equal(mira.get_turns().size(), 2)
	var prompt: Dictionary = NPCContextBuilder.build(mira, "Hello again.")
	check_contains(
		prompt["sections"]["recent_turns"]["text"] as String, "I promise to fix the roof."
	)
	var later: Dictionary = await builder.build_prompt_async("Hello again.").completed
	check_contains(later["sections"]["recent_turns"]["text"] as String, "Come back soon.")
	var none: Dictionary = NPCContextBuilder.build(mira, "Hello again.", {"recent_turns": []})
	check_equal(none["sections"]["recent_turns"]["text"], "")


func test_a_function_of_the_game_finds_the_facts() -> void:
	var requests: Array[Dictionary] = []
	MemoryServer.extractor = func(request: Dictionary) -> Array:
		requests.append(request)
		await get_tree().process_frame
		return [{"text": "The player fears spiders.", "importance": 8, "event_type": "fear"}]
	var mira: RAGMemory = make_memory("mira who asks a model")
	var turn: String = await mira.store_turn_async("I owe you a beer. Spiders!", "Ha.").completed
	MemoryServer.extractor = Callable()
	check_equal(requests[0]["turn_id"], turn)
	check_equal(requests[0]["memories"][0]["text"], 'The player told me: "I owe you a beer."')
	var memories: Array[Dictionary] = mira.get_recent(5)
	check_equal(memories.size(), 1)
	check_equal(memories[0]["document_full"], "The player fears spiders.")
	check_equal(memories[0]["metadata"]["importance"], 8)
	expect_warning("The extractor found no memories")
	MemoryServer.extractor = func(_request: Dictionary) -> Array: return [3]
	await mira.store_turn_async("I owe you a beer.", "").completed
	MemoryServer.extractor = Callable()
	check_equal(mira.get_memory_count(), 2)


func test_nobody_said_anything() -> void:
	var mira: RAGMemory = make_memory("mira who is silent")
	expect_error("nobody said anything")
	check_equal(mira.store_turn("", ""), "")
