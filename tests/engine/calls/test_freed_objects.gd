# Functions and objects of the game that are freed while RAG Memory holds them.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const CONSOLE := preload("res://addons/rag_memory/debug/memory_debug_console.tscn")
const GAME_SECONDS := 5000.0


class Owner:
	extends Node

	func seconds() -> float:
		return GAME_SECONDS

	func seconds_after(added: float) -> float:
		return GAME_SECONDS + added

	func seconds_by_lambda() -> Callable:
		return func() -> float: return seconds()

	func write(_request: Dictionary) -> String:
		return "Written."

	func write_by_lambda() -> Callable:
		return func(request: Dictionary) -> String: return write(request)


var _stored := 0


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())
	MemoryServer.summarizer = Callable()


func test_the_games_time_goes_on_when_the_owner_of_its_clock_is_freed() -> void:
	expect_error("Put the clock into an autoload")
	for makes_clock: Callable in [
		func(owner: Owner) -> Callable: return owner.seconds,
		func(owner: Owner) -> Callable: return owner.seconds_by_lambda(),
		func(owner: Owner) -> Callable: return owner.seconds_after.bind(0.0),
	]:
		var clock_owner := Owner.new()
		MemoryServer.set_clock(makes_clock.call(clock_owner) as Callable)
		var memory := make_memory("of a freed clock")
		check_equal(_stored_at(memory), GAME_SECONDS)
		clock_owner.free()
		_fill_freed_memory()
		var first := _stored_at(memory)
		check(first >= GAME_SECONDS and first < GAME_SECONDS + 60.0, "game time, not %s" % first)
		await get_tree().create_timer(0.05).timeout
		var second := _stored_at(memory)
		check(second > first and second < first + 60.0, "it goes forward: %s, %s" % [first, second])
		MemoryServer.set_clock(Callable())


func test_a_dialogue_that_is_freed_at_once_completes_what_it_refused() -> void:
	var memory := make_memory("of a freed dialogue")
	expect_error("NPCDialogue has no memory")
	for ask: Callable in [
		func(dialogue: NPCDialogue) -> MemoryRequest: return dialogue.say(" "),
		func(dialogue: NPCDialogue) -> MemoryRequest: return dialogue.replace_answer(""),
		func(dialogue: NPCDialogue) -> MemoryRequest: return dialogue.answer_again(),
		func(dialogue: NPCDialogue) -> MemoryRequest: return dialogue.say("Hi."),
	]:
		for has_memory: bool in [true, false]:
			var dialogue := NPCDialogue.new()
			(memory if has_memory else get_tree().root as Node).add_child(dialogue)
			var request: MemoryRequest = ask.call(dialogue)
			dialogue.free()
			await until(request.is_completed)
			check(request.get_error() != "", "it says why")


func test_a_new_clock_takes_over_from_a_freed_one() -> void:
	expect_error("Put the clock into an autoload")
	var clock_owner := Owner.new()
	MemoryServer.set_clock(clock_owner.seconds)
	var memory := make_memory("of two clocks")
	_stored_at(memory)
	clock_owner.free()
	_stored_at(memory)
	MemoryServer.set_clock(func() -> float: return 7000.0)
	check_equal(_stored_at(memory), 7000.0)


func test_a_summarizer_whose_object_was_freed_is_replaced_by_the_extract() -> void:
	expect_warning("The summarizer wrote no summary")
	for makes_summarizer: Callable in [
		func(owner: Owner) -> Callable: return owner.write,
		func(owner: Owner) -> Callable: return owner.write_by_lambda(),
	]:
		var writer := Owner.new()
		MemoryServer.summarizer = makes_summarizer.call(writer) as Callable
		writer.free()
		_fill_freed_memory()
		var memory := make_memory("summarised %d" % MemoryServer.summarizer.hash())
		_store_talks(memory)
		var done: Dictionary = memory.consolidate()
		check(done["removed"] as int > 30, "merged all the same")
		_store_talks(memory)
		done = await memory.consolidate_async().completed
		check(done["removed"] as int > 30, "merged all the same, without blocking")


func test_a_summarizer_that_returns_a_freed_object_is_replaced_by_the_extract() -> void:
	expect_warning("The summarizer wrote no summary")
	var memory := make_memory("answered by nobody")
	MemoryServer.summarizer = func(_request: Dictionary) -> Variant:
		var promise := Node.new()
		var kept: Array = [promise]
		promise.free()
		_fill_freed_memory()
		return kept[0]
	_store_talks(memory)
	check(
		(await memory.consolidate_async().completed)["removed"] as int > 30, "merged all the same"
	)


func test_a_freed_object_among_the_arguments_and_values() -> void:
	allow_error("")
	var memory := make_memory("given freed objects")
	var gone: Array = [Node.new()]
	(gone[0] as Node).free()
	_fill_freed_memory()
	memory.callv("store", ["A stone fell.", 5, {"witness": gone[0]}])
	memory.callv("set_config", gone)
	check_equal(memory.config, null)
	check(memory.store("The well is dry.") != "", "stored")


func test_a_console_for_debug_builds_does_nothing_in_a_released_game() -> void:
	var console: MemoryDebugConsole = CONSOLE.instantiate()
	add_child(console)
	await console.run_command("npcs")
	await frames(2)
	check(is_instance_valid(console), "whoever holds it can still call it")
	check_equal(console.visible, false)
	check_equal(console.get_text() != "", OS.is_debug_build())


func _stored_at(memory: RAGMemory) -> float:
	_stored += 1
	return (
		memory.get_memory(memory.store("Bell number %d rang." % _stored))["metadata"]["timestamp"]
	)


func _store_talks(memory: RAGMemory) -> void:
	var talks: Array[Dictionary] = []
	for number: int in 60:
		var text := "Rowan asked for bread number %d." % number
		talks.append({"text": text, "importance": 3, "event_type": "conversation"})
	check_equal(memory.store_batch(talks).size(), 60)


# What was freed just now is written over, so that a use of it shows.
func _fill_freed_memory() -> void:
	for count: int in 50:
		var node := Node.new()
		node.set_meta("filled", "x".repeat(100))
		node.free()
