# Runs typed and untyped.
# Runs without the model.
# What a game may do wrong with a mind: thousands of random values, threads, nodes that go.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const KEYS: Array[String] = [
	"action",
	"content",
	"source_id",
	"source_name",
	"outcome",
	"description",
	"location",
	"entities"
]
const MORE_KEYS: Array[String] = [
	"importance", "health_before", "health_after", "timestamp", "secret", "known_to", "kind", "own"
]
const PYTHON_WORDS: Array[String] = [
	"NoneType", "Traceback", "<class", "TypeError", "ValueError", "KeyError", " None", "dict)"
]

var _random := RandomNumberGenerator.new()
var _errors: Array[String] = []


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


func _note(error: String) -> void:
	_errors.append(error)


func _mind(npc_id := "") -> NPCMind:
	var memory: RAGMemory = make_memory(npc_id)
	var mind: NPCMind = NPCMind.new()
	memory.add_child(mind)
	mind.failed.connect(_note)
	return mind


func _value(depth := 0) -> Variant:
	var plain: Array = [
		null,
		true,
		-(1 << 62),
		0.5,
		NAN,
		-INF,
		"",
		"kael",
		"\u202e🗡️ e\u0301 \u0007 line\nbreak",
		&"rowan",
		NodePath("a/b:c"),
		Vector2(1, NAN),
		PackedByteArray([1, 2, 3]),
		PackedStringArray(["kael", ""]),
		Callable(self, "_note"),
		7,
		"x".repeat(30000),
		self,
		RefCounted.new(),
		PackedFloat64Array([NAN, INF]),
	]
	if depth < 3 and _random.randi() % 4 == 0:
		if _random.randi() % 2:
			return [_value(depth + 1), _value(depth + 1)]
		return {_value(depth + 1): _value(depth + 1), "a": _value(depth + 1)}
	return plain[_random.randi() % plain.size()]


func _event() -> Dictionary:
	var event: Dictionary = {"action": "attacked", "source_id": "kael"}
	for key: String in KEYS + MORE_KEYS:
		if _random.randi() % 8 == 0:
			event[key] = _value()
	return event


func _check_state(mind: NPCMind) -> void:
	var interactions: Array = mind.get_interactions("", 10000)
	var strengths: Dictionary = {}
	for position: int in range(interactions.size() - 1, -1, -1):
		var each: Dictionary = interactions[position]
		check_type(each.action, TYPE_STRING)
		if each.source_id:
			var felt: float = strengths.get(each.source_id, 50.0) + each.sentiment
			strengths[each.source_id] = clampf(felt, 0.0, 100.0)
	var dispositions: Dictionary = mind.get_dispositions()
	for id: String in dispositions:
		var strength: float = dispositions[id].strength
		check(strength >= 0.0 and strength <= 100.0, "%s: %s" % [id, strength])
	for id: String in strengths:
		check_equal(dispositions[id].strength, strengths[id], id)
	var memory: RAGMemory = mind.get_parent()
	for each: Dictionary in interactions:
		if each.memory_id:
			check_equal(memory.get_memory(each.memory_id).get("id"), each.memory_id)


func _check_errors() -> void:
	check(not _errors.is_empty(), "nothing failed")
	for error: String in _errors:
		for word: String in PYTHON_WORDS:
			check(not word in error, error.left(300))
		check(error.length() < 600, "%d characters: %s" % [error.length(), error.left(200)])


func test_events_of_random_values_are_carried_out_or_refused() -> void:
	expect_error("perceive()")
	allow_error("cannot be stored")
	_random.seed = 19
	_errors.clear()
	var mind: NPCMind = _mind()
	var taken: int = 0
	for number: int in 1500:
		var before: int = _errors.size()
		var felt: Dictionary = mind.perceive(_event())
		check_equal(_errors.size() - before, 0 if felt else 1)
		taken += 1 if felt else 0
	check(taken > 100, "taken: %d" % taken)
	check_equal(mind.get_interactions("", 10000).size() >= mini(taken, 500), true)
	_check_errors()
	if taken <= 500:
		_check_state(mind)


func test_every_call_with_random_values() -> void:
	allow_error("")
	_random.seed = 20
	_errors.clear()
	var mind: NPCMind = _mind()
	var calls: Dictionary = {
		"perceive": 1,
		"adjust_disposition": 3,
		"feel": 4,
		"learn_fact": 2,
		"get_facts": 1,
		"get_disposition": 1,
		"get_interactions": 2,
		"build_listener_context": 3,
		"analyze_sentiment": 2,
		"set_nearby": 1,
		"reflect": 1,
	}
	for number: int in 1500:
		var name: String = calls.keys()[_random.randi() % calls.size()]
		var arguments: Array = []
		for argument: int in calls[name]:
			arguments.append(_value())
		# A wrong type of an argument is an error of the engine.
		if _fits(mind, name, arguments):
			mind.callv(name, arguments)
	mind.set_nearby([])
	check_equal(mind.perceive({"action": "waved", "source_id": "last"}).disposition.strength, 50.0)
	check(mind.get_emotion().has("mood"), "no mood")
	for felt: Dictionary in mind.get_dispositions().values():
		check(felt.strength >= 0.0 and felt.strength <= 100.0, str(felt).left(200))
	_check_errors()


func _fits(mind: NPCMind, name: String, arguments: Array) -> bool:
	for method: Dictionary in mind.get_method_list():
		if method.name == name:
			for position: int in arguments.size():
				if typeof(arguments[position]) != method.args[position].type:
					if _random.randi() % 4:
						arguments[position] = type_convert(
							_value(3), method.args[position].type as int
						)
					else:
						return false
	return true


func test_unusual_texts_come_back() -> void:
	var mind: NPCMind = _mind()
	for text: String in [
		"🗡️👩‍👩‍👧", "שלום", "\u202eabc", "ｆｕｌｌ", "e\u0301", "'; DROP TABLE npcs", "%s"
	]:
		var event: Dictionary = {"action": "spoke", "content": text, "source_id": text}
		var felt: Dictionary = mind.perceive(event)
		# Ids are compared in one form of their letters; texts stay as they are.
		var id := "\u00e9" if text == "e\u0301" else text
		check_equal(felt.disposition.character_id, id)
		check_equal(mind.get_interactions(text, 1)[0].content, text)
		check_contains(mind.get_parent().get_memory(felt.memory_id).document_full, text)
		mind.build_listener_context([text], text)
		mind.feel("sad", 10.0, text)
		check_equal(mind.get_emotion().reason, text)


func test_ten_megabytes_are_refused() -> void:
	expect_error("characters")
	_errors.clear()
	var mind: NPCMind = _mind()
	var long: String = "x".repeat(10000000)
	check_equal(mind.perceive({"action": "spoke", "content": long}), {})
	check_equal(mind.perceive({"action": "spoke", "own": {"note": long}}), {})
	check_equal(mind.adjust_disposition("kael", 5.0, long), {})
	mind.feel("sad", 5.0, long)
	check_type(mind.analyze_sentiment(long), TYPE_INT)
	mind.build_listener_context(["kael"], long)
	check_equal(mind.get_dispositions(), {})
	check_equal(mind.get_emotion().reason, "")
	check_equal(mind.get_interactions(), [] as Array[Dictionary])
	_check_errors()


func test_threads_write_at_once_and_nothing_is_lost() -> void:
	var mind: NPCMind = _mind()
	mind.get_emotion()
	var threads: Array[Thread] = []
	for number: int in 4:
		var thread: Thread = Thread.new()
		thread.start(
			func() -> void:
				for time: int in 50:
					var who: String = "c%d" % number
					mind.perceive({"action": "waved", "content": str(time), "source_id": who})
					mind.adjust_disposition(who, 0.5)
					mind.get_dispositions()
		)
		threads.append(thread)
	for thread: Thread in threads:
		while thread.is_alive():
			await get_tree().process_frame
		thread.wait_to_finish()
	for number: int in 4:
		check_equal(mind.get_disposition("c%d" % number).strength, 75.0)
		check_equal(mind.get_interactions("c%d" % number, 100).size(), 50)


func test_nodes_that_go_in_mid_await_are_quiet() -> void:
	var mind: NPCMind = _mind("who goes")
	for number: int in 20:
		mind.perceive_async({"action": "attacked", "content": str(number), "source_id": "kael"})
		mind.build_listener_context_async(["kael"])
		mind.reflect_async(true)
	mind.free()
	await frames(5)
	mind = _mind("who goes")
	mind.perceive_async({"action": "attacked", "source_id": "kael"})
	mind.get_parent().free()
	await frames(5)
	mind = _mind("who goes")
	check_equal(mind.get_disposition("kael").strength, 0.0)
	check_equal(mind.get_interactions("kael", 100).size(), 21)


func test_a_memory_that_goes_leaves_its_mind_an_error() -> void:
	expect_error("does not know whose mind it is")
	_errors.clear()
	var memory: RAGMemory = make_memory("who leaves")
	var mind: NPCMind = NPCMind.new()
	add_child(mind)
	mind.memory = memory
	mind.failed.connect(_note)
	mind.perceive({"action": "gifted", "source_id": "kael"})
	memory.queue_free()
	await frames(2)
	# Other tests' memories are beside it.
	for child: Node in get_children():
		if child is RAGMemory:
			child.free()
	check_equal(mind.get_disposition("kael"), {})
	check_equal(_errors.size(), 1)
	mind.memory = make_memory("who leaves")
	check_equal(mind.get_disposition("kael").strength, 70.0)


func test_another_npc_id_is_another_mind() -> void:
	var mind: NPCMind = _mind("first of two")
	var memory: RAGMemory = mind.get_parent()
	mind.perceive({"action": "gifted", "source_id": "kael"})
	memory.npc_id = "second of two"
	check_equal(mind.get_disposition("kael").strength, 50.0)
	mind.perceive({"action": "attacked", "source_id": "kael"})
	memory.npc_id = "first of two"
	check_equal(mind.get_disposition("kael").strength, 70.0)
	memory.persistent = false
	check_equal(mind.get_disposition("kael").strength, 50.0)
	mind.feel("sad", 50.0)
	memory.persistent = true
	check_equal(mind.get_emotion().mood, "grateful")


func test_two_minds_on_one_memory_feel_the_same_by_their_own_configs() -> void:
	var first: NPCMind = _mind("one of two minds")
	var second: NPCMind = NPCMind.new()
	first.get_parent().add_child(second)
	second.config = NPCMindConfig.new()
	second.config.action_sentiments = {"gifted": 1.0}
	second.config.friendly_from = 60.0
	second.get_emotion()
	var heard: Array = [watch(first.emotion_changed), watch(second.emotion_changed)]
	for number: int in 5:
		check_equal(first.perceive({"action": "gifted", "source_id": "a%d" % number}).sentiment, 20)
		check_equal(second.perceive({"action": "gifted", "source_id": "a%d" % number}).sentiment, 1)
		check_equal(second.get_disposition("a%d" % number), first.get_disposition("a%d" % number))
	check_equal(second.get_interactions("", 99), first.get_interactions("", 99))
	first.adjust_disposition("b", 15.0)
	check_equal(first.get_disposition("b").feeling, "neutral")
	check_equal(second.get_disposition("b").feeling, "friendly")
	await frames(2)
	check_equal(heard[0], heard[1])
	check(not heard[0].is_empty(), "nothing heard")


func test_one_source_has_its_last_name() -> void:
	var mind: NPCMind = _mind()
	mind.perceive({"action": "waved", "source_id": "p1", "source_name": "a stranger"})
	mind.perceive({"action": "waved", "source_id": "p1", "source_name": "Rowan"})
	mind.perceive({"action": "gifted", "source_id": "p1"})
	check_equal(mind.get_disposition("p1").name, "Rowan")
	check_equal(mind.get_dispositions().size(), 1)


func test_an_event_of_nobody_moves_her_and_no_disposition() -> void:
	var mind: NPCMind = _mind()
	var felt: Dictionary = mind.perceive({"action": "attacked", "source_name": "Somebody"})
	check_equal(felt.disposition.is_known, false)
	check_equal(felt.emotion.mood, "angry")
	check_equal(mind.get_dispositions(), {})
	check_equal(mind.get_interactions()[0].source_name, "Somebody")


func test_time_may_go_backwards() -> void:
	expect_warning("later than the game's clock")
	var mind: NPCMind = _mind()
	mind.config = NPCMindConfig.new()
	mind.config.disposition_half_life_days = 1.0
	var now: Array = [1000000.0]
	MemoryServer.set_clock(func() -> float: return now[0])
	mind.perceive({"action": "attacked", "source_id": "kael"})
	now[0] = 10.0
	check_equal(mind.get_emotion().mood, "angry")
	check_equal(mind.get_disposition("kael").strength, 20.0)
	mind.perceive({"action": "gifted", "source_id": "kael", "timestamp": 5.0})
	mind.perceive({"action": "gifted", "source_id": "kael", "timestamp": 99.0})
	check_equal(mind.get_disposition("kael").strength, 60.0)
	check_equal(mind.get_interactions("kael")[0].timestamp, 10.0)
	check_equal(mind.get_interactions("kael")[1].timestamp, 5.0)
	now[0] = 1000000.0
	check_equal(mind.get_emotion().mood, "neutral")
	check(mind.get_disposition("kael").strength < 60.0, "it has faded")
	MemoryServer.set_clock(Callable())


func test_a_config_with_huge_tables() -> void:
	var mind: NPCMind = _mind()
	var config: NPCMindConfig = NPCMindConfig.new()
	var rules: Array[Dictionary] = []
	var actions: Dictionary = {}
	for number: int in 5000:
		rules.append({"action": "act%d" % number, "kind": "episode", "importance": number % 10 + 1})
		actions["act%d" % number] = float(number % 50)
	config.encoding_rules = rules
	config.action_sentiments = actions
	config.sentiment_words = actions
	mind.config = config
	check_equal(mind.perceive({"action": "act4999", "source_id": "a"}).importance, 10)
	check_equal(mind.perceive({"action": "act49", "source_id": "a"}).disposition.strength, 100.0)
