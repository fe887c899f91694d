# The game's own time.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const DAY := 86400.0

var _now := 1000.0


func test_game_time_dates_memories_and_fades_them() -> void:
	MemoryServer.set_clock(_game_time)
	var memory := make_memory()
	_now = 1000.5
	var id := memory.store("The bridge fell.")
	check_equal(memory.get_memory(id)["metadata"]["timestamp"], 1000.5)
	check_near(_recency(memory), 1.0)
	_now = 1000.5 + 7 * DAY
	check_near(_recency(memory), 0.3 + 0.7 * 0.5)
	_now = 1000.5 + 14 * DAY
	check_near(_recency(memory), 0.3 + 0.7 * 0.25)
	_now = 0.0
	check_near(_recency(memory), 1.0, "a clock set back makes nothing older")


func test_the_time_is_that_of_the_call_not_of_its_execution() -> void:
	MemoryServer.set_clock(_game_time)
	var memory := make_memory()
	var requests: Array[MemoryRequest] = []
	for number in 5:
		_now = 500.0 + number
		requests.append(memory.store_async("Event %d." % number))
	_now = 9999.0
	await until(requests[4].is_completed)
	for number in 5:
		var id: String = requests[number].get_result()
		check_equal(memory.get_memory(id)["metadata"]["timestamp"], 500.0 + number)


func test_an_int_is_a_time() -> void:
	MemoryServer.set_clock(func() -> int: return 77)
	var memory := make_memory()
	check_equal(memory.get_memory(memory.store("Now."))["metadata"]["timestamp"], 77.0)


func test_an_empty_callable_restores_the_systems_time() -> void:
	MemoryServer.set_clock(func() -> int: return 77)
	MemoryServer.set_clock(Callable())
	var memory := make_memory()
	var timestamp: float = memory.get_memory(memory.store("Now."))["metadata"]["timestamp"]
	check_near(timestamp, Time.get_unix_time_from_system(), "", 5.0)


func test_a_clock_that_returns_no_number_is_said_and_replaced() -> void:
	for wrong: Variant in [null, "noon", [], {}, self]:
		await _check_replaced(func() -> Variant: return wrong)


func test_a_clock_that_returns_no_finite_number_is_said_and_replaced() -> void:
	for wrong: float in [NAN, INF, -INF]:
		await _check_replaced(func() -> float: return wrong)


func test_a_clock_of_a_freed_object_is_said_and_replaced() -> void:
	var node := Node.new()
	var clock := Callable(node, "get_index")
	node.free()
	await _check_replaced(clock)


func test_a_clock_with_an_error_in_it_is_said_and_replaced() -> void:
	expect_script_error("Invalid call. Nonexistent function 'get_time' in base 'Nil'")
	var nothing: Variant = null
	await _check_replaced(func(): return nothing.get_time())


func test_a_clock_that_asks_the_memory_does_not_hang() -> void:
	var memory := make_memory()
	var depth: Array[int] = [0]
	MemoryServer.set_clock(
		func() -> float:
			depth[0] += 1
			return 100.0 + (memory.get_memory_count() if depth[0] < 3 else 0)
	)
	check(memory.store("Recursion.") != "", "an id")


func test_a_clock_that_always_asks_for_what_needs_the_time_is_said_and_replaced() -> void:
	allow_error("memories are kept in a save and none is open")
	var memory := make_memory()
	for clock: Callable in [
		MemoryServer.close_save,
		MemoryServer.health,
		func() -> float: return 100.0 + memory.get_memory_count(),
	]:
		expect_error("called a method of RAG Memory that needs the time itself")
		MemoryServer.set_clock(clock)
		memory.store("Recursion.")
		check(memory.get_memory_count() >= 0, "it came back")
	MemoryServer.set_clock(Callable())
	check_equal(MemoryServer.open_save("after such clocks"), OK)


func test_what_is_consolidated_in_the_background_is_dated_by_the_last_call() -> void:
	MemoryServer.set_clock(_game_time)
	_now = 100 * DAY
	var memory := make_memory("consolidated")
	var other := make_memory("freed")
	check(other.store("Hello there.") != "", "an id")
	var memories: Array[Dictionary] = []
	for number in 60:
		var text := "Rowan asked for %d loaves of bread." % number
		var data := {"event_type": "conversation", "topics": ["bread"]}
		memories.append({"text": text, "importance": 3}.merged(data))
	memory.store_batch(memories)
	_now += 600
	memory.config = MemoryConfig.new()
	memory.config.auto_consolidate = true
	memory.store("Rowan asked for no loaf.")
	other.free()  # the worker is told of it, and that has no time
	await memory.memories_consolidated
	var archived: Array[Dictionary] = memory.get_archived()
	check(archived.size() > 0, "something was put away")
	for each: Dictionary in archived:
		check_equal(each["archived"]["at"], _now)
	MemoryServer.rollback_to(_now - 1.0)
	check_equal(memory.get_memory_count(), 60, "all hold again")


func _check_replaced(clock: Callable) -> void:
	expect_error("the function given to set_clock()")
	MemoryServer.set_clock(clock)
	var memory := make_memory()
	var id := memory.store("What time is it?")
	check(id != "", "stored")
	MemoryServer.set_clock(Callable())
	var timestamp: float = memory.get_memory(id)["metadata"].get("timestamp", 0.0)
	check_near(timestamp, Time.get_unix_time_from_system(), "", 5.0)


func _game_time() -> float:
	return _now


func _recency(memory: RAGMemory) -> float:
	return memory.retrieve_scored("the bridge").back()["breakdown"]["recency"]


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())
