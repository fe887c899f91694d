# Runs typed and untyped.
# Runs without the model.
# What an NPC concludes: by herself, when she is told to, and by a function of the game.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

signal answered

var _requests: Array[Dictionary] = []


func _exit_tree() -> void:
	MemoryServer.reflector = Callable()


func _mind(npc_id := "") -> NPCMind:
	_requests.clear()
	var memory: RAGMemory = make_memory(npc_id)
	var mind: NPCMind = NPCMind.new()
	memory.add_child(mind)
	return mind


func _helped(mind: NPCMind, how: String, more := {}) -> Dictionary:
	var event: Dictionary = {"action": "helped", "content": how}
	event.merge({"source_id": "kael", "source_name": "Kael"})
	event.merge(more)
	return mind.perceive(event)


func _text(mind: NPCMind, id: String) -> String:
	return mind.get_parent().get_memory(id).document_full


func test_reflecting_waits_for_the_threshold() -> void:
	var mind: NPCMind = _mind()
	mind.config = NPCMindConfig.new()
	mind.config.auto_reflect = false
	check_equal(mind.reflect(true), PackedStringArray(), "nothing to reflect upon")
	for how: String in ["the roof", "the well", "the fence", "the gate"]:
		_helped(mind, how)
	check_near(mind.get_importance_since_reflection(), 2.8)
	check_equal(mind.reflect(), PackedStringArray())
	_helped(mind, "the barn")
	check_near(mind.get_importance_since_reflection(), 3.5)
	var ids: PackedStringArray = mind.reflect()
	check_equal(
		_text(mind, ids[0]), "Kael has helped me five times in one day; I can rely on Kael."
	)
	check_equal(_text(mind, ids[1]), "I owe Kael a favour.")
	var told: Dictionary = mind.get_parent().get_memory(ids[0]).metadata
	check_equal(told.event_type, "reflection")
	check_equal(told.importance, 8)
	check_equal(told.evidence.size(), 5)
	check_equal(mind.get_importance_since_reflection(), 0.0)
	check_equal(mind.reflect(), PackedStringArray())
	check_equal(mind.get_facts("kael").size(), 1)
	var found: Array = mind.get_parent().retrieve_scored("Can I rely on Kael?")
	check(found.any(func(each: Dictionary) -> bool: return each.id == ids[0]), "not found")


func test_she_reflects_by_herself_and_says_so() -> void:
	var mind: NPCMind = _mind()
	var heard: Array[Array] = watch(mind.reflected)
	for number: int in 5:
		var event: Dictionary = {"action": "helped", "content": "fence %d" % number}
		await mind.perceive_async(event.merged({"source_id": "kael"})).completed
	await until(func() -> bool: return not heard.is_empty())
	var ids: PackedStringArray = heard[0][0]
	check(ids.size() >= 1, "no insights")
	check_contains(_text(mind, ids[0]), "kael has helped me")
	check(mind.get_importance_since_reflection() < 3.0, "it has not begun anew")
	await frames(20)
	check_equal(heard.size(), 1)


func test_the_same_is_strengthened_and_the_opposite_replaces_it() -> void:
	var mind: NPCMind = _mind()
	var memory: RAGMemory = mind.get_parent()
	_helped(mind, "the roof")
	_helped(mind, "the well")
	var first: String = mind.reflect(true)[0]
	_helped(mind, "the fence")
	check_equal(mind.reflect(true)[0], first)
	check_equal(memory.get_memory(first).metadata.evidence.size(), 3)
	check_contains(_text(mind, first), "three times")
	for how: String in ["a knife", "a stone", "a torch"]:
		mind.perceive({"action": "attacked", "content": how, "source_id": "kael"})
	mind.config = NPCMindConfig.new()
	mind.config.reflection_memories = 3
	var superseded: Array[Array] = watch(memory.memory_superseded)
	var second: String = mind.reflect(true)[0]
	await frames(2)
	check_contains(_text(mind, second), "beware")
	check_equal(memory.get_memory(first).metadata.superseded_by, second)
	check_equal(superseded, [[first, second]] as Array[Array])


func test_the_game_draws_the_conclusions() -> void:
	var mind: NPCMind = _mind()
	var ids: Array = [_helped(mind, "the roof").memory_id, _helped(mind, "the well").memory_id]
	var threads: Array[bool] = []
	MemoryServer.reflector = func(request: Dictionary) -> Array:
		threads.append(OS.get_thread_caller_id() == OS.get_main_thread_id())
		_requests.append(request)
		return [
			{"text": "Kael is a carpenter.", "about": ["kael"], "evidence": ids},
			"I like visitors.",
		]
	var found: PackedStringArray = mind.reflect(true)
	check_equal(_text(mind, found[0]), "Kael is a carpenter.")
	check_equal(_text(mind, found[1]), "I like visitors.")
	check(threads == [true], "not on the main thread, or not once")
	check_equal(_requests[0].npc_id, mind.get_parent().npc_id)
	check_equal(_requests[0].insights, 2)
	check_equal(_requests[0].memories.map(func(each: Dictionary) -> String: return each.id), ids)
	check_contains(_requests[0].memories[0].text, "roof")
	check_equal(mind.get_parent().get_memory(found[1]).metadata.evidence, ids)


func test_it_may_await() -> void:
	var mind: NPCMind = _mind()
	_helped(mind, "the roof")
	_helped(mind, "the well")
	MemoryServer.reflector = _draw_later
	var drawn: PackedStringArray = await mind.reflect_async(true).completed
	check_equal(_text(mind, drawn[0]), "Kael is slow.")


func test_a_reflection_that_blocks_waits_for_nobody() -> void:
	expect_warning("The reflector drew no conclusions")
	var mind: NPCMind = _mind()
	_helped(mind, "the roof")
	_helped(mind, "the well")
	MemoryServer.reflector = _draw_later
	check_contains(_text(mind, mind.reflect(true)[0]), "Kael has helped me twice")
	await get_tree().create_timer(0.2).timeout


func _draw_later(_request: Dictionary) -> Array:
	await get_tree().process_frame
	await get_tree().create_timer(0.05).timeout
	return ["Kael is slow."]


func _draw_nothing(_request: Dictionary) -> Variant:
	return null


func _draw_never(_request: Dictionary) -> Array:
	await answered
	return ["Never."]


func test_wrong_answers_are_told_and_she_reflects_herself() -> void:
	for answer: Variant in [
		7,
		"text",
		{"text": "x"},
		[7],
		[{}],
		[{"text": 3}],
		[{"text": "x", "evidence": ["nobody"]}],
		[{"text": "x", "evidence": [[]]}],
		[{"text": "x", "stance": 5}],
		[{"text": "x", "about": "kael"}],
		[RefCounted.new()],
		NAN,
		PackedByteArray([1]),
		[""],
		Vector2.ONE,
		[null]
	]:
		expect_warning("The reflector drew no conclusions")
		allow_error("reflector")
		var mind: NPCMind = _mind("wrong answers %s" % hash(str(answer)))
		_helped(mind, "the roof")
		_helped(mind, "the well")
		MemoryServer.reflector = func(_request: Dictionary) -> Variant: return answer
		var found: PackedStringArray = mind.reflect(true)
		check_contains(_text(mind, found[0]), "Kael has helped me twice", str(answer))


func test_nothing_is_an_answer_too() -> void:
	var mind: NPCMind = _mind()
	_helped(mind, "the roof")
	_helped(mind, "the well")
	MemoryServer.reflector = _draw_nothing
	check_contains(_text(mind, mind.reflect(true)[0]), "Kael has helped me twice")
	MemoryServer.reflector = func(_request: Dictionary) -> Array: return []
	_helped(mind, "the fence")
	check_equal(mind.reflect(true).size(), 1, "the favour alone")


func test_a_reflector_that_is_gone() -> void:
	allow_error("reflector")
	var mind: NPCMind = _mind()
	_helped(mind, "the roof")
	_helped(mind, "the well")
	var node: Node = Node.new()
	node.set_script(load("res://tests/engine/mind/reflector_node.gd"))
	MemoryServer.reflector = node.draw
	node.free()
	check_contains(_text(mind, mind.reflect(true)[0]), "Kael has helped me twice")


func test_a_reflector_that_never_answers_is_not_waited_for() -> void:
	expect_warning("took longer")
	var mind: NPCMind = _mind()
	var memory: RAGMemory = mind.get_parent()
	memory.config = MemoryConfig.new()
	memory.config.summarizer_timeout_seconds = 0.2
	_helped(mind, "the roof")
	_helped(mind, "the well")
	MemoryServer.reflector = _draw_never
	var found: PackedStringArray = await mind.reflect_async(true).completed
	check_contains(_text(mind, found[0]), "Kael has helped me twice")


func test_what_follows_from_a_secret_is_told_to_those_who_know_it() -> void:
	var mind: NPCMind = _mind()
	var told: Array = [{"secret": true, "known_to": ["lena"]}]
	_helped(mind, "hid me from the guard", told[0])
	_helped(mind, "forged my papers", told[0])
	var ids: PackedStringArray = mind.reflect(true)
	var scene: String = "Has Kael helped?"
	check_contains(mind.build_listener_context(["kael", "lena"], scene).text, "helped me twice")
	var both: Dictionary = mind.build_listener_context(["kael", "guard"], scene)
	check(not "helped me" in str(both) and not ids[0] in str(both), str(both))
	mind.set_nearby(["guard"])
	both = mind.build_listener_context(["kael"], scene)
	check(not "helped me" in str(both), str(both))
