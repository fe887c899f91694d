# Values that contain themselves, that are shared at every level, or that are huge: each call says
# so at once. The engine follows every path of such a value, of which there may be 2 to the 60.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const ValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const LEVELS := 60

var _cyclic: Array[Dictionary] = []


# A dictionary that holds itself twice. Emptied at the end: it would never be freed.
func _twice() -> Dictionary:
	var value := {}
	value["a"] = value
	value["b"] = [value]
	_cyclic.append(value)
	return value


# Dictionaries and arrays, each of which holds the next one twice.
func _shared() -> Dictionary:
	var inner: Variant = "end"
	for level: int in LEVELS / 2:
		var list := [inner, inner]
		inner = {"a": list, "b": list}
	return inner


func _huge() -> Dictionary:
	var list := []
	list.resize(5_000_000)
	return {"list": list}


func _values() -> Array[Dictionary]:
	return [_twice(), _shared()]


func _exit_tree() -> void:
	for value: Dictionary in _cyclic:
		value.clear()


# The engine makes a text of what lies in an Array that is passed in place of texts.
func test_an_array_in_place_of_texts_is_refused() -> void:
	allow_error("Cannot convert argument")
	var memory := make_memory()
	var server: Variant = MemoryServer
	var calls: Array[Callable] = [
		func(list: Array) -> Variant: return server.callv("register_names", [list]),
		func(list: Array) -> Variant:
			return (memory as Variant).callv("recall_best", ["Who?", list]),
		func(list: Array) -> Variant: return (memory as Variant).callv("capture_memories", [list]),
	]
	for value: Dictionary in _values():
		for call: Callable in calls:
			check_equal(call.call([value]), null)
			check_equal(call.call([[value], "text"]), null)


func test_what_is_sent_to_the_worker_is_refused() -> void:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	expect_error("nested too deeply or contain themselves, or have more than 4 million values")
	for value: Dictionary in _values() + ([_huge()] as Array[Dictionary]):
		var inside := {"k": value}
		check_equal(memory.store("A thing.", 5, inside), "")
		check_equal(memory.store("A thing.", 5, value), "")
		check_equal(await memory.store_async("A thing.", 5, inside).completed, "")
		check_equal(memory.store_batch([{"text": "A thing.", "k": value}]), PackedStringArray())
		check_equal(memory.retrieve_relevant_raw("What?", inside).size(), 0)
		check_equal(mind.perceive({"action": "helped", "k": value}), {})
		check_equal(MemoryWorld.record_event(inside), "")
		check(MemoryWorld.set_flags(inside) != OK, "flags")
		check(MemoryWorld.set_facts(inside) != OK, "facts")
		check(MemoryWorld.set_player_info(inside) != OK, "the player")
	check_equal(memory.get_memory_count(), 0)
	var shallow := [0, 1]
	var list := []
	for index: int in 2000:
		list.append(shallow)
	check(memory.store("Much is shared, and little is there.", 5, {"list": list}) != "", "shared")


func test_a_part_that_lies_deeper_elsewhere_is_refused() -> void:
	var memory := make_memory()
	var part := []
	for level: int in 55:
		part = [part]
	var deeper := part
	for level: int in 55:
		deeper = [deeper]
	var list := []
	for index: int in 2000:
		list.append([index])
	expect_error("nested too deeply or contain themselves, or have more than 4 million values")
	check_equal(memory.store("A thing.", 5, {"list": list + [part, deeper]}), "")
	check_equal(memory.store("A thing.", 5, {"list": list + [{"part": part}, {"k": deeper}]}), "")
	check(memory.store("As deep as before.", 5, {"list": list + [part, part]}) != "", "shared")


func test_a_long_array_with_such_values_is_refused() -> void:
	var memory := make_memory()
	expect_error("nested too deeply or contain themselves")
	for value: Dictionary in _values():
		var batch: Array[Dictionary] = []
		for index: int in 2000:
			batch.append({"text": "Thing %d." % index})
		batch[1500]["k"] = value
		var request := memory.store_batch_async(batch)
		check_equal(await request.completed, PackedStringArray())
		check_contains(request.get_error(), "nested too deeply")
	check_equal(memory.get_memory_count(), 0)


func test_properties_and_functions_of_the_game() -> void:
	var config := MemoryConfig.new()
	var memory := make_memory()
	memory.config = config
	for value: Dictionary in _values():
		expect_error("A property of this object or of its config is nested too deeply")
		expect_warning("MemoryConfig.wording is set to a value that is nested too deeply")
		config.wording = {"today": value}
		check_equal(memory.store("What is it?"), "")
		check_equal(await memory.store_async("What is it?").completed, "")
		config.wording = {}
		check(memory.store("All is well again.") != "", "stored")
	# What a function returns is named in the error that follows from it.
	expect_error("set_clock")
	MemoryServer.set_clock(func() -> Dictionary: return _cyclic[0])
	memory.store("When is it?")
	MemoryServer.set_clock(Callable())
	expect_warning("nested too deeply, contains itself or is too large")
	MemoryServer.summarizer = func(_request: Dictionary) -> Dictionary: return _cyclic[0]
	for index: int in 12:
		memory.store("The player bought %d loaves of bread." % index, 2)
	await memory.consolidate_async().completed
	MemoryServer.summarizer = Callable()


func test_a_node_that_comes_with_such_a_property_says_so() -> void:
	var memory := make_memory()
	for value: Dictionary in _values():
		var mind := NPCMind.new()
		mind.config = NPCMindConfig.new()
		mind.config.encoding_rules = [value]
		expect_error("NPCMind: A property of this object or of its config is nested too deeply")
		memory.add_child(mind)
		mind.config.encoding_rules = []
		check(mind.perceive({"action": "helped"}) != {}, "all is well again")
		mind.free()


func test_the_log_of_the_world() -> void:
	for is_saved: bool in [false, true]:
		if is_saved:
			check_equal(MemoryServer.open_save("nested"), OK)
		else:
			MemoryServer.close_save()
		var events := NPCWorldEvents.new()
		for value: Dictionary in _values():
			expect_error("nested too deeply or contain themselves")
			check_equal(events.append("fire", "The inn burned.", {"k": value}), -1)
			expect_error("nested too deeply or contain themselves")
			check(MemoryWorld.set_player_info({"k": value}) != OK, "what is known of the player")
			check_equal(events.get_events({"location": value}).size(), 0)
		check_equal(events.get_count(), 0)


func test_the_knowledge_of_the_world() -> void:
	MemoryServer.close_save()
	var world := NPCWorldKnowledge.new()
	world.define_flag("met", false)
	for value: Dictionary in _values():
		expect_error('add_fact(): the option "topics" has')
		world.add_fact("well", "The well is dry.", {"topics": [value]})
		expect_error('add_establishment(): the option "sells" has')
		world.add_establishment("inn", "The Inn", {"sells": [value]})
		expect_error("nested too deeply or contain themselves")
		check(world.set_flag("met", value) != OK, "the flag")
		expect_error("cannot be of type Dictionary")
		check(world.define_flag("other", value) != OK, "another flag")
		check_equal(world.check_memory("A thing.", {"participants": [value]})["accepted"], false)
	check_equal(world.facts.size() + world.establishments.size(), 0)


func test_prompts() -> void:
	MemoryServer.open_save("nested")
	var memory := make_memory()
	var personality := NPCPersonality.new()
	for value: Dictionary in _values():
		for option: String in ["world_state", "relationship", "profile", "budgets", "dossier"]:
			expect_error("The option %s of build()" % option)
			check_equal(NPCContextBuilder.build(memory, "Hi.", {option: value}), {}, option)
		expect_error("The option recent_turns of build()")
		check_equal(NPCContextBuilder.build(memory, "Hi.", {"recent_turns": [value]}), {})
		expect_error("The answer given to record_interaction()")
		check_equal(NPCContextBuilder.record_interaction(memory, "Hi.", value), {})
		expect_error("format_tiered_memories(): tiered")
		check_equal(NPCContextBuilder.format_tiered_memories(value), "")
		check_equal(NPCContextBuilder.describe_relationship(value), PackedStringArray())
		personality.schedule = [{"from": 0, "to": 24, "activity": value}]
		check_equal(personality.get_activity(5), {})
		personality.schedule = []
		personality.secrets = [{"secret": "It is me.", "unlock_trust": 1, "k": value}]
		check_equal(personality.get_unlocked_secrets({"trust": 50}).size(), 0)


func test_language_models() -> void:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> Variant: return _cyclic[0]
	var dialogue := NPCDialogue.new()
	dialogue.model = model
	make_memory().add_child(dialogue)
	for value: Dictionary in _values():
		expect_error("the option json_schema ")
		var request := model.generate_async(_question(), {"json_schema": value})
		check_equal(await request.completed, {})
		check(request.get_error() != "", "the schema")
		expect_error("the list of messages ")
		request = model.generate_async([{"role": "user", "content": value}])
		check_equal(await request.completed, "")
		request = model.generate_async(_question())
		check_equal(await request.completed, "")
		check_contains(request.get_error(), "returned a value that")
		request = model.answer_memory_async("summarizer", {"sources": [value]})
		expect_warning("A language model failed as the summarizer")
		check_equal(await request.completed, null)
		expect_error("The option world_state of begin_exchange()")
		check_equal(await dialogue.say("Hi.", {"world_state": value}).completed, {})


func _question() -> Array:
	return [{"role": "user", "content": "Hello."}]


func test_limits() -> void:
	check_equal(ValueLimits.fault_of(null), "")
	check_equal(ValueLimits.fault_of({"a": [{}, [1, 2], {"b": PackedByteArray()}]}), "")
	var deep: Variant = 1
	for level: int in 64:
		deep = [deep]
	check_equal(ValueLimits.fault_of(deep), "")
	check_contains(ValueLimits.fault_of([[[deep]]]), "more than 64 levels")
	var many := []
	many.resize(100_001)
	check_contains(ValueLimits.fault_of(many), "more than 100000 values")
	check_equal(ValueLimits.shown([1]), "[1]")
