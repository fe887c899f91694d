# An NPCLanguageModel as the summarizer, reflector, profile_writer, extractor, debate_writer and
# sentiment_analyzer of MemoryServer.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const WORKS: Array[String] = [
	"summarizer",
	"reflector",
	"sentiment_analyzer",
	"profile_writer",
	"extractor",
	"debate_writer",
]

var _asked: Array[Dictionary] = []


func _model(answer: String) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(messages: Array, options: Dictionary) -> String:
		await get_tree().process_frame
		_asked.append({"prompt": messages[-1]["content"], "priority": options.get("priority")})
		return answer
	return model


func _let_go() -> void:
	for work in WORKS:
		MemoryServer.set(work, null)


func test_it_writes_summaries() -> void:
	MemoryServer.summarizer = _model('{"summary": "I have served the player a hundred ales."}')
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.lasting_kinds = ["fact", "reflection"]
	var batch: Array[Dictionary] = []
	for number in 60:
		var text := "The player asked for ale number %d." % number
		batch.append({"text": text, "importance": 3, "event_type": "talk"})
	await memory.store_batch_async(batch).completed
	var report: Dictionary = await memory.consolidate_async().completed
	_let_go()
	for id: String in report["summary_ids"]:
		var summary: String = memory.get_memory(id)["document_full"]
		check_equal(summary, "I have served the player a hundred ales.")
	check_contains(_asked[0]["prompt"] as String, "ale number")
	check_equal(_asked[0]["priority"], "background")


func test_it_writes_a_diary() -> void:
	MemoryServer.summarizer = _model('{"summary": "A roof at last. I could have kissed him."}')
	var memory := make_memory()
	memory.store("The player mended my roof.", 8)
	var days: Array = await memory.get_diary_async(-1, -1, {"voice": "Curt."}).completed
	_let_go()
	check_equal(days.size(), 1)
	check_equal(days[0]["text"], "A roof at last. I could have kissed him.")
	check_equal(days[0]["lines"], ["The player mended my roof."])
	check_contains(_asked[0]["prompt"] as String, "mended my roof")
	check_equal(
		memory.get_diary()[0]["text"], "The player mended my roof.", "plain without a model"
	)
	check_equal(memory.get_diary(0, 1).size(), 0, "nothing is told of other days")
	check_equal(memory.get_memory_count(), 1, "nothing of it is stored")


func test_it_finds_facts() -> void:
	MemoryServer.extractor = _model(
		'{"facts": [{"text": "The player owns a grey mule.", "importance": 99}]}'
	)
	var memory := make_memory()
	await memory.store_turn_async("My mule is grey.", "A fine animal.").completed
	_let_go()
	check_contains(_asked[0]["prompt"] as String, "My mule is grey.")
	check(memory.knows("The player owns a grey mule"), "the fact is remembered")


func test_it_draws_conclusions() -> void:
	var insight := '{"text": "The player feeds the poor.", "memories": [1, 2, 77], "stance": 1}'
	MemoryServer.reflector = _model('{"insights": [%s]}' % insight)
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	for what: String in ["bread", "a coat", "firewood", "soup"]:
		var event := {"action": "gifted", "source_id": "player", "content": what + " for the poor"}
		await mind.perceive_async(event).completed
	var found: PackedStringArray = await mind.reflect_async(true).completed
	_let_go()
	check_equal(found.size(), 1)
	check(memory.knows("The player feeds the poor"), "it is remembered")


func test_it_weighs_words() -> void:
	MemoryServer.sentiment_analyzer = _model('{"sentiment": -99}')
	var memory := make_memory()
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new()
	mind.config.sentiment_mode = NPCMindConfig.MODEL
	memory.add_child(mind)
	check_equal(await mind.analyze_sentiment_async("Nice hat.").completed, -30)
	_let_go()


func test_it_describes_people() -> void:
	MemoryServer.profile_writer = _model(
		'{"backstory": "She came from the sea.", "personality": ["calm"]}'
	)
	MemoryWorld.register_character("marla", {"name": "Marla", "role": "fisher"})
	var profile: Dictionary = await MemoryWorld.ensure_profile_async("marla").completed
	_let_go()
	check_equal(profile["backstory"], "She came from the sea.")
	check_contains(_asked[0]["prompt"] as String, "Marla")


func test_it_lets_people_debate() -> void:
	MemoryServer.debate_writer = _model(
		'{"summary": "They shouted.", "outcome": "The bridge stays."}'
	)
	var debate := {"topic": "Shall we burn the bridge?", "participants": ["marla", "osric"]}
	await MemoryWorld.record_debate_async(debate).completed
	_let_go()
	check_equal(MemoryWorld.search_debates("the bridge")[0]["outcome"], "The bridge stays.")


func test_what_it_cannot_do_is_done_without_it() -> void:
	expect_warning("A language model failed as the extractor, which works without it")
	var answers: Array[String] = ["I will not.", "Nor now.", '{"facts": "none"}']
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String:
		return answers.pop_back()
	MemoryServer.extractor = model
	var memory := make_memory()
	for thing: String in ["lantern", "rope", "candle"]:
		await memory.store_turn_async("I promise to bring you a %s." % thing, "Good.").completed
	_let_go()
	check(memory.knows("The player promised to bring a lantern"), "the rules found it")


func test_what_is_no_function_is_refused() -> void:
	expect_error(
		"MemoryServer.summarizer cannot be 3. It has to be a Callable, an NPCLanguageModel"
	)
	MemoryServer.set("summarizer", 3)
	check_equal(MemoryServer.summarizer, null)
	expect_error("MemoryServer.summarizer cannot be")
	MemoryServer.set("summarizer", MemoryConfig.new())
	check_equal(MemoryServer.summarizer, null)


func test_a_function_of_the_game_may_pass_its_request_on() -> void:
	var model := _model('{"facts": [{"text": "The player owns a grey mule.", "importance": 5}]}')
	MemoryServer.extractor = func(request: Dictionary) -> Variant:
		return await model.answer_memory_async("extractor", request).completed
	var memory := make_memory()
	await memory.store_turn_async("My mule is grey.", "A fine animal.").completed
	_let_go()
	check(memory.knows("The player owns a grey mule"), "the fact is remembered")


func test_what_is_no_request_of_the_server_is_told() -> void:
	expect_warning(
		"A language model failed as the summarizer, which works without it: the request has"
	)
	var request := _model("{}").answer_memory_async("summarizer", {"sources": []})
	check_equal(await request.completed, null)


func test_no_object_is_null() -> void:
	var freed := Node.new()
	freed.free()
	for nothing: Variant in [get_node_or_null("nobody"), freed]:
		MemoryServer.summarizer = _model("{}")
		MemoryServer.summarizer = nothing
		check_equal(MemoryServer.summarizer, null)
		MemoryServer.embedding_model = nothing
		check_equal(MemoryServer.embedding_model, null)


func test_a_model_that_only_the_server_holds_is_kept() -> void:
	MemoryServer.extractor = _model('{"facts": []}')
	await frames(3)
	var memory := make_memory()
	await memory.store_turn_async("I promise to bring a lantern.", "Good.").completed
	check_equal(_asked.size() > 0, true)
	check(
		not memory.knows("The player promised to bring a lantern"), "the model says there is none"
	)
