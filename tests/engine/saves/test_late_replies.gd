# A function of the game replies after the game was loaded: nothing is written anywhere. Every
# function with every way of loading.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

signal replied(reply: Variant)

const FUNCTIONS: Dictionary[String, Variant] = {
	"summarizer": "A LATE summary.",
	"reflector": [{"text": "A LATE conclusion about bread."}],
	"sentiment_analyzer": -30,
	"profile_writer": {"backstory": "A LATE life."},
	"extractor": [{"text": "A LATE fact about bread.", "importance": 9}],
	"debate_writer": {"summary": "A LATE quarrel.", "outcome": "LATE bread."},
	"task_validator": {"accepted": true, "reason": "LATE"},
}
const LOADINGS: Array[String] = [
	"open_save", "close_save", "restore", "rollback_to", "copy back", "import"
]

var _asked := 0
var _memory: RAGMemory
var _mind: NPCMind
var _mark := ""
var _exported := ""


func _exit_tree() -> void:
	_let_go()
	MemoryServer.set_clock(Callable())
	MemoryServer.close_save()


func _let_go() -> void:
	for function: String in FUNCTIONS:
		MemoryServer.set(function, Callable() if function == "task_validator" else null)


func _reply(_request: Dictionary) -> Variant:
	_asked += 1
	return await replied


func _fill() -> void:
	MemoryServer.set_clock(func() -> float: return 1e9)  # moods fade with time
	var is_new := not MemoryServer.has_save("late start")
	check_equal(MemoryServer.open_save("late start"), OK)
	_memory = make_memory("late mira")
	_mind = NPCMind.new()
	_mind.config = NPCMindConfig.new()
	_mind.config.sentiment_mode = NPCMindConfig.MODEL
	_memory.add_child(_mind)
	if is_new:
		_store_memories()
	_exported = _memory.export_json()
	check_equal(MemoryServer.close_save(), OK)


func _store_memories() -> void:
	var batch: Array[Dictionary] = []
	for number in 60:
		var data := {"importance": 3, "event_type": "conversation", "source_id": "player"}
		batch.append({"text": "The player asked for loaf number %d." % number}.merged(data))
	_memory.store_batch(batch)
	MemoryWorld.register_character("late mira", {"name": "Mira", "role": "baker"})
	MemoryWorld.register_character("osric", {"name": "Osric"})
	check_equal(MemoryServer.snapshot("before"), OK)


func _begin(function: String) -> MemoryRequest:
	var event := {"action": "spoke", "content": "Nice bread.", "source_id": "player"}
	var debate := {"topic": "bread", "participants": ["late mira", "osric"]}
	var beginnings: Dictionary[String, Callable] = {
		"summarizer": _memory.consolidate_async,
		"reflector": _mind.reflect_async.bind(true),
		"sentiment_analyzer": _mind.perceive_async.bind(event),
		"profile_writer": MemoryWorld.ensure_profile_async.bind("late mira"),
		"extractor": _memory.store_turn_async.bind("I owe you bread.", "You do."),
		"debate_writer": MemoryWorld.record_debate_async.bind(debate),
		"task_validator":
		MemoryWorld.add_task_async.bind({"assignee": "late mira", "summary": "Bake."}),
	}
	return beginnings[function].call()


func _load(way: String) -> void:
	match way:
		"open_save":
			check_equal(MemoryServer.open_save("late other"), OK)
		"close_save":
			check_equal(MemoryServer.close_save(), OK)
			check_equal(MemoryServer.open_save("late game"), OK)
		"restore":
			check_equal(MemoryServer.restore("before"), OK)
		"rollback_to":
			MemoryServer.rollback_to(_mark)
		"copy back":
			MemoryServer.close_save()
			check_equal(MemoryServer.delete_save("late game"), OK)
			check_equal(MemoryServer.copy_save("late start", "late game"), OK)
			check_equal(MemoryServer.open_save("late game"), OK)
		"import":
			_memory.clear_all_memories()
			_memory.import_json(_exported)


# Everything that could have been written, as text.
func _state() -> String:
	var parts: Array = [_memory.export_json(), MemoryWorld.export_json(), _memory.get_turns(50)]
	parts.append([_mind.get_interactions(), _mind.get_emotion(), _mind.get_dispositions()])
	return var_to_str(parts)


func _begin_game() -> void:
	MemoryServer.close_save()
	if MemoryServer.has_save("late game"):
		MemoryServer.delete_save("late game")
	check_equal(MemoryServer.copy_save("late start", "late game"), OK)
	check_equal(MemoryServer.open_save("late game"), OK)
	_mark = MemoryServer.mark()


func test_a_summarizer() -> void:
	await _check_all("summarizer", LOADINGS)


func test_a_reflector() -> void:
	await _check_all("reflector", LOADINGS)


func test_a_sentiment_analyzer() -> void:
	await _check_all("sentiment_analyzer", LOADINGS)


func test_a_profile_writer() -> void:
	await _check_all("profile_writer", LOADINGS)


func test_an_extractor() -> void:
	await _check_all("extractor", LOADINGS)


# An import replaces what an NPC knows, not what the world does.
func test_a_debate_writer() -> void:
	await _check_all("debate_writer", LOADINGS.slice(0, -1))


func test_a_task_validator() -> void:
	await _check_all("task_validator", LOADINGS.slice(0, -1))


func _check_all(function: String, ways: Array[String]) -> void:
	_fill()
	allow_error("the game was loaded while the")
	for way: String in ways:
		await _check(function, way)
	_let_go()


func _check(function: String, way: String) -> void:
	var what := "%s after %s" % [function, way]
	_begin_game()
	_asked = 0
	MemoryServer.set(function, _reply)
	var request := _begin(function)
	await until(func() -> bool: return _asked > 0)
	_load(way)
	var loaded := _state()
	replied.emit(FUNCTIONS[function])
	await until(request.is_completed)
	await frames(5)
	check_equal(_state(), loaded, what)
	check(not "LATE" in loaded, what)
	if way == "import":
		check_contains(request.get_error(), "the game was loaded", what)
	_let_go()
