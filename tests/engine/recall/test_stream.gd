# The score mode STREAM, relevance by words, kinds of memories, and when each was last recalled.
extends "res://tests/engine/case.gd"

const HOUR := 3600.0

var _now := 50_000.0 * HOUR


func _game_time() -> float:
	return _now


func _stream() -> MemoryConfig:
	var config := MemoryConfig.new()
	config.score_mode = MemoryConfig.STREAM
	config.relevance_mode = MemoryConfig.KEYWORD
	return config


func _others(answer: Array[Dictionary]) -> Array[Dictionary]:
	return answer.filter(func(memory: Dictionary) -> bool: return not memory.protected)


func test_the_score_is_the_sum_of_recency_importance_and_relevance() -> void:
	MemoryServer.set_clock(_game_time)
	var memory := make_memory()
	memory.config = _stream()
	memory.store("The wolf came to the river.", 8)
	_now += 10.0 * HOUR
	var found := _others(memory.retrieve_scored("Was a wolf at the mill?"))[0]
	check_near(found.breakdown.recency as float, pow(0.995, 10.0))
	check_near(found.breakdown.importance as float, 0.8)
	check_near(found.breakdown.relevance as float, 0.5, "wolf, and not mill")
	check_near(found.breakdown.keyword_overlap as float, 0.5)
	check_near(found.score as float, pow(0.995, 10.0) + 0.8 + 0.5)
	check_near(memory.calculate_memory_score(found), found.score as float)
	check_near(
		memory.calculate_memory_score(found, "Was a wolf at the mill?"), found.score as float
	)
	var again := _others(memory.retrieve_scored("Was a wolf at the mill?"))[0]
	check_equal(again.breakdown.recency, 1.0, "it was recalled just now")
	check_near(again.score as float, 1.0 + 0.8 + 0.5)
	_now += HOUR
	memory.config.stream_weights = [2.0, 1.0, 0.0]
	memory.config.stream_decay_per_hour = 0.5
	var weighted := _others(memory.retrieve_scored("wolf"))[0]
	check_near(weighted.score as float, 2.0 * 0.5 + 0.8)


func test_the_last_recalled_comes_first() -> void:
	MemoryServer.set_clock(_game_time)
	var memory := make_memory()
	memory.config = _stream()
	var ids: Array[String] = []
	for place: String in ["mill", "tower", "bridge"]:
		ids.append(memory.store("A wolf stood at the %s." % place))
		_now += HOUR
	for place: String in ["bridge", "mill", "tower"]:
		check_equal(memory.retrieve_relevant(place, {"limit": 1}).size(), 1)
		_now += 10.0 * HOUR
	var found: Array = _others(memory.retrieve_scored("wolf")).map(
		func(each: Dictionary) -> String: return each.id
	)
	check_equal(found, [ids[1], ids[0], ids[2]])


func test_when_a_memory_was_recalled_outlives_the_save() -> void:
	MemoryServer.set_clock(_game_time)
	check_equal(MemoryServer.open_save("stream"), OK)
	var memory := make_memory("elena")
	var wolf := memory.store("The wolf came to the river.")
	var stored := _now
	check_equal(memory.get_memory(wolf).metadata.last_accessed, stored)
	_now += HOUR
	memory.explain("wolf")
	memory.get_recent()
	check_equal(memory.get_memory(wolf).metadata.last_accessed, stored, "it was only looked at")
	check_equal(_others(memory.retrieve_scored("wolf"))[0].metadata.last_accessed, stored)
	check_equal(memory.get_memory(wolf).metadata.last_accessed, _now)
	check_equal(MemoryServer.snapshot("one"), OK)
	var recalled := _now
	_now += HOUR
	memory.retrieve_relevant("wolf")
	MemoryServer.close_save()
	check_equal(MemoryServer.open_save("stream"), OK)
	check_equal(memory.get_memory(wolf).metadata.last_accessed, _now)
	var filter := {"last_accessed": {">": recalled}}
	check_equal(memory.retrieve_relevant("", {"filter": filter}).size(), 1)
	MemoryServer.rollback_to(recalled + 1.0)
	check_equal(memory.get_memory(wolf).metadata.last_accessed, recalled + 1.0)
	check_equal(MemoryServer.restore("one"), OK)
	check_equal(memory.get_memory(wolf).metadata.last_accessed, recalled)


func test_kinds_are_kept_and_found() -> void:
	MemoryServer.set_clock(_game_time)
	var memory := make_memory()
	for kind: String in ["observation", "episode", "reflection", "fact"]:
		memory.store("This wolf is of the kind %s." % kind, 5, {"kind": kind})
	memory.store("This wolf is of no kind.")
	var found := memory.retrieve_relevant_raw("wolf", {"filter": {"kind": "reflection"}})
	check_equal(found.size(), 1)
	check_equal(found[0].metadata.kind, "reflection")
	check_equal(memory.browse({"filter": {"kind": {"in": ["fact", "episode"]}}}).total, 2)
	check_equal(memory.get_recent(1)[0].metadata.kind, "")
	expect_error("store(): kind is 'dream'")
	check_equal(memory.store("I flew.", 5, {"kind": "dream"}), "")
	var other := make_memory("tobias")
	check_equal(other.import_json(memory.export_json()), 5)
	check_equal(other.browse({"filter": {"kind": "fact"}}).total, 1)


func test_a_curve_of_stream_starts_with_the_sum() -> void:
	MemoryServer.set_clock(_game_time)
	var config := _stream()
	var curves := config.get_score_curves(2, 5, [1.0, 0.0])
	check_equal(curves["scores"][0][0], 2.5)
	check_equal(curves["scores"][1][0], 1.5)
	check_near(curves["days"][-1] as float, 28.8, "five half-lives", 0.05)
	check_near(curves["recency"][-1] as float, 1.0 / 32.0)
