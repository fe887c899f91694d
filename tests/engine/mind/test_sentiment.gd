extends "res://tests/engine/case.gd"
# Runs without the model.
# Passes objects, null or threads: its twins always run.

# What was meant well: by rules, by the lexicon, and by MemoryServer.sentiment_analyzer.

signal answered(sentiment: int)

const WEIGHED_WITHOUT := "The words are weighed without it"

var requests: Array[Dictionary] = []


func _exit_tree() -> void:
	MemoryServer.sentiment_analyzer = Callable()


func _mind(mode := NPCMindConfig.MODEL, memory_config: MemoryConfig = null) -> NPCMind:
	requests.clear()
	MemoryServer.sentiment_analyzer = Callable()
	var memory := make_memory("sentiment %d" % Time.get_ticks_usec())
	memory.config = memory_config
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new()
	mind.config.sentiment_mode = mode
	memory.add_child(mind)
	return mind


func _said(words: String) -> Dictionary:
	return {"action": "spoke", "content": words, "source_id": "kael", "source_name": "Kael"}


func _answer(request: Dictionary) -> float:
	requests.append(request)
	return 12.4


func _answer_later(request: Dictionary) -> int:
	requests.append(request)
	await get_tree().create_timer(0.05).timeout
	return -9


func test_the_lexicon_knows_negation_threats_and_whom_words_are_meant_for() -> void:
	var mind := _mind(NPCMindConfig.LEXICON)
	check_equal(NPCMindConfig.new().sentiment_mode, NPCMindConfig.LEXICON, "the default")
	for hostile: String in [
		"I hate you", "You are no friend of mine.", "Give me your gold or die."
	]:
		check(mind.analyze_sentiment(hostile) < 0, hostile)
	for neutral: String in ["Good morning.", "He hates me.", "Do you love me?", "How much is it?"]:
		check_equal(mind.analyze_sentiment(neutral), 0, neutral)
	for friendly: String in ["Thank you.", "I do not hate you.", "You fought bravely."]:
		check(mind.analyze_sentiment(friendly) > 0, friendly)
	check(mind.analyze_sentiment("", "insulted") < 0, "the name of an action")
	check_equal(mind.analyze_sentiment("I love you.", "attacked"), -30)
	mind.config.sentiment_words = {"Moon child": 9, "Frak": -7}
	check_equal(mind.analyze_sentiment("You are a moon child."), 9)
	check_equal(mind.analyze_sentiment("You are not a moon child."), -7)
	check_equal(mind.analyze_sentiment("You frak"), -7)


func test_the_rules_are_those_of_the_table() -> void:
	var mind := _mind(NPCMindConfig.RULES)
	check_equal(mind.analyze_sentiment("I do not hate you."), -15)
	check_equal(mind.analyze_sentiment("Thanks, idiot."), 10)
	check_equal(mind.analyze_sentiment("You coward."), 0)
	check_equal(mind.analyze_sentiment("", "insulted"), 0)


func test_the_game_is_asked_on_the_main_thread() -> void:
	var mind := _mind()
	var threads: Array[bool] = []
	MemoryServer.sentiment_analyzer = func(request: Dictionary) -> float:
		threads.append(OS.get_thread_caller_id() == OS.get_main_thread_id())
		return _answer(request)
	var felt: Dictionary = await mind.perceive_async(_said("Nice weather.")).completed
	check_equal(felt["sentiment"], 12)
	check_equal(mind.get_disposition("kael")["strength"], 62.0)
	var npc_id: String = (mind.get_parent() as RAGMemory).npc_id
	check(requests[0].erase("messages") and requests[0].erase("schema"), "what a model is asked")
	check_equal(
		requests,
		[{"npc_id": npc_id, "content": "Nice weather.", "action": "spoke"}] as Array[Dictionary]
	)
	check_equal(await mind.analyze_sentiment_async("Rain.", "sang").completed, 12)
	check_equal(requests[1]["action"], "sang")
	check_equal(mind.analyze_sentiment("Rain."), 12)
	check_equal(mind.perceive(_said("Rain."))["sentiment"], 12)
	check_equal(threads, [true, true, true, true] as Array[bool])


func test_a_coroutine_is_awaited() -> void:
	var mind := _mind()
	MemoryServer.sentiment_analyzer = _answer_later
	var felt: Dictionary = await mind.perceive_async(_said("I love you.")).completed
	check_equal(felt["sentiment"], -9)
	check_equal(await mind.analyze_sentiment_async("I love you.").completed, -9)


func test_others_answer_while_the_game_thinks() -> void:
	var mind := _mind()
	var memory: RAGMemory = mind.get_parent()
	MemoryServer.sentiment_analyzer = func(request: Dictionary) -> int:
		requests.append(request)
		return await answered
	var request := mind.perceive_async(_said("Hm."))
	await until(func() -> bool: return requests.size() == 1)
	check_equal(memory.get_memory_count(), 0)
	check(not request.is_completed(), "still waiting")
	answered.emit(7)
	await until(request.is_completed)
	check_equal((request.get_result() as Dictionary)["sentiment"], 7)


func test_known_actions_and_other_modes_ask_nobody() -> void:
	for mode: int in [NPCMindConfig.RULES, NPCMindConfig.LEXICON]:
		var other := _mind(mode)
		MemoryServer.sentiment_analyzer = _answer
		check_equal(other.analyze_sentiment("Rain."), 0)
	var mind := _mind()
	MemoryServer.sentiment_analyzer = _answer
	check_equal(mind.perceive({"action": "attacked", "source_id": "kael"})["sentiment"], -30)
	check_equal(requests.size(), 0)


func test_without_an_answer_words_are_weighed_as_in_lexicon() -> void:
	var mind := _mind()
	var weighed := mind.analyze_sentiment("You are no friend of mine.")
	check(weighed < 0, "without an analyzer")
	MemoryServer.sentiment_analyzer = func(request: Dictionary) -> Variant:
		requests.append(request)
		return null
	check_equal(
		mind.analyze_sentiment("You are no friend of mine."), weighed, "it does not want to tell"
	)
	check_equal(requests.size(), 1)


func test_a_wrong_answer_is_warned_of_and_words_are_weighed() -> void:
	expect_warning(WEIGHED_WITHOUT)
	var mind := _mind()
	var wrong: Array = ["-5", {}, true, NAN, INF, self]
	MemoryServer.sentiment_analyzer = func(request: Dictionary) -> Variant:
		requests.append(request)
		return wrong[requests.size() - 1]
	for each: Variant in wrong:
		var felt: Dictionary = await mind.perceive_async(_said("Thank you.")).completed
		check((felt["sentiment"] as int) > 0, str(each))
	check_equal(requests.size(), wrong.size())
	check_equal(mind.get_interactions("kael", 10).size(), wrong.size())


func test_a_number_beyond_every_bound_is_the_strongest() -> void:
	var mind := _mind()
	MemoryServer.sentiment_analyzer = func(_request: Dictionary) -> int: return -100000
	check_equal(mind.analyze_sentiment("Hm."), -100)


func test_what_takes_too_long_is_given_up() -> void:
	expect_warning("it took longer than 0.1 s")
	var config := MemoryConfig.new()
	config.summarizer_timeout_seconds = 0.1
	var mind := _mind(NPCMindConfig.MODEL, config)
	MemoryServer.sentiment_analyzer = func(request: Dictionary) -> int:
		requests.append(request)
		return await answered
	var felt: Dictionary = await mind.perceive_async(_said("I hate you.")).completed
	check((felt["sentiment"] as int) < 0, "weighed by its words")
	answered.emit(20)
	await frames(2)
	check_equal(mind.get_interactions("kael").size(), 1, "a late answer changes nothing")


func test_a_call_that_blocks_says_how_an_answer_can_be_awaited() -> void:
	expect_warning("use the form of that call that ends in _async")
	var mind := _mind()
	MemoryServer.sentiment_analyzer = _answer_later
	check((mind.perceive(_said("I hate you."))["sentiment"] as int) < 0, "weighed by its words")
	check_equal(mind.get_interactions("kael").size(), 1)
	await get_tree().create_timer(0.1).timeout
	check_equal(mind.get_interactions("kael").size(), 1)


func test_a_function_that_cannot_be_called_is_said() -> void:
	expect_warning("it cannot be called")
	var object := Node.new()
	var gone: Callable = object.get_name
	object.free()
	for wrong: Callable in [gone, func() -> int: return 3]:
		var mind := _mind()
		MemoryServer.sentiment_analyzer = wrong
		var felt: Dictionary = await mind.perceive_async(_said("Thank you.")).completed
		check((felt["sentiment"] as int) > 0, "weighed by its words")


func test_an_analyzer_whose_object_is_freed_while_it_thinks_is_given_up() -> void:
	expect_warning("it took longer than 0.1 s")
	expect_warning("it cannot be called")
	var config := MemoryConfig.new()
	config.summarizer_timeout_seconds = 0.1
	var mind := _mind(NPCMindConfig.MODEL, config)
	var script := GDScript.new()
	script.source_code = """extends Node
signal told
var is_asked := false
func weigh(_request):
	is_asked = true
	await told
	return 5
"""
	script.reload()
	var thinker := Node.new()
	thinker.set_script(script)
	MemoryServer.sentiment_analyzer = Callable(thinker, "weigh")
	var request := mind.perceive_async(_said("You are a liar."))
	await until(func() -> bool: return thinker.get("is_asked"))
	thinker.free()
	await until(request.is_completed)
	check(((request.get_result() as Dictionary)["sentiment"] as int) < 0, "weighed by its words")
	check((await mind.analyze_sentiment_async("You are a liar.").completed as int) < 0, "and again")


func test_it_may_ask_the_memory_but_not_itself() -> void:
	allow_error("asks it again")
	var mind := _mind()
	var memory: RAGMemory = mind.get_parent()
	MemoryServer.sentiment_analyzer = func(_request: Dictionary) -> int:
		return memory.get_memory_count() + 3
	check_equal(mind.analyze_sentiment("Hm."), 3)
	MemoryServer.sentiment_analyzer = func(_request: Dictionary) -> int:
		return mind.analyze_sentiment("You are a liar.")
	check(mind.analyze_sentiment("Hm.") < 0, "the inner call was weighed by its words")
