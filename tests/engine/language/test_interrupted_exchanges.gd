# A request of NPCDialogue completes, whatever is freed, loaded or closed while the model answers.
extends "res://tests/engine/case.gd"
# Passes objects and callables: its twins always run.

const ScriptedServer := preload("scripted_server.gd")
const FREED := "was freed"
const OCCASIONS: Array[String] = ["line", "greeting", "reaction", "again"]


# What takes part in one exchange, and the model's answer that is waited for.
class Scene:
	signal released
	var root := Node.new()
	var memory := RAGMemory.new()
	var mind := NPCMind.new()
	var dialogue := NPCDialogue.new()
	var model := NPCCallableLanguageModel.new()
	var is_asked := false
	var is_released := false

	func _init(npc_id: String) -> void:
		memory.npc_id = npc_id
		model.callable = func(_messages: Array, _options: Dictionary) -> String:
			is_asked = true
			if not is_released:
				await released
			return "I promise to wait for you here."
		dialogue.model = model
		memory.add_child(mind)
		root.add_child(memory)
		root.add_child(dialogue)
		dialogue.memory = memory
		dialogue.mind = mind

	func release() -> void:
		is_released = true
		released.emit()


# An exchange of the occasion whose model has been asked.
func _begun(scene: Scene, occasion: String) -> MemoryRequest:
	add_child(scene.root)
	var request: MemoryRequest
	match occasion:
		"line":
			request = scene.dialogue.say("I promise to mend your roof.")
		"greeting":
			request = scene.dialogue.greet()
		"reaction":
			request = scene.dialogue.react("The player draws a sword.")
		"again":
			var first := scene.dialogue.say("I promise to mend your roof.")
			await until(func() -> bool: return scene.is_asked)
			scene.release()
			await first.completed
			scene.is_asked = false
			scene.is_released = false
			request = scene.dialogue.answer_again()
	await until(func() -> bool: return scene.is_asked or request.is_completed())
	check(not request.is_completed(), "%s: the model is asked" % occasion)
	return request


func _scene(occasion: String) -> Scene:
	return Scene.new("%s of test %d" % [occasion, Time.get_ticks_usec()])


func _release_and_free(scene: Scene) -> void:
	scene.release()
	await frames(3)
	if scene.model != null:
		scene.model.callable = Callable()
	if is_instance_valid(scene.root):
		scene.root.queue_free()
	await frames(1)


func test_the_memory_is_freed() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		scene.memory.queue_free()
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), FREED, occasion)
		await _release_and_free(scene)


func test_the_mind_is_freed() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		scene.mind.free()
		scene.release()
		var answer: Dictionary = await request.completed
		check_equal(answer.get("response"), "I promise to wait for you here.", occasion)
		check_equal(request.get_error(), "", occasion)
		await _release_and_free(scene)


func test_the_dialogue_is_freed() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		var before := scene.memory.get_turns().size()
		scene.dialogue.free()
		scene.release()
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), "cancelled", occasion)
		await frames(3)
		check_equal(scene.memory.get_turns().size(), before, occasion)
		await _release_and_free(scene)


func test_everything_is_freed_in_one_frame() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		scene.root.free()
		check_equal(await request.completed, {}, occasion)
		check(not request.get_error().is_empty(), occasion)
		await _release_and_free(scene)


func test_nobody_has_the_model_any_more() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		scene.dialogue.model = null
		scene.model = null
		scene.release()
		var answer: Dictionary = await request.completed
		check_equal(answer.get("response"), "I promise to wait for you here.", occasion)
		await _release_and_free(scene)


func test_it_leaves_the_tree() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		remove_child(scene.root)
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), "cancelled", occasion)
		scene.root.queue_free()
		await _release_and_free(scene)


func test_the_game_is_paused() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		get_tree().paused = true
		scene.release()
		var answer: Dictionary = await request.completed
		get_tree().paused = false
		check_equal(answer.get("response"), "I promise to wait for you here.", occasion)
		await _release_and_free(scene)


func test_it_begins_while_the_game_is_paused() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		scene.release()
		get_tree().paused = true
		add_child(scene.root)
		var request := scene.dialogue.greet()
		var answer: Dictionary = await request.completed
		get_tree().paused = false
		check_equal(answer.get("from_memory"), false, occasion)
		await _release_and_free(scene)


func test_the_save_is_closed() -> void:
	for occasion in OCCASIONS:
		var save_id := "closed %s" % occasion
		MemoryServer.open_save(save_id)
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		var turns := scene.memory.get_turns().size()
		MemoryServer.close_save()
		scene.release()
		expect_error("closed")
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), "closed the save", occasion)
		var is_said := (
			'The line "I promise to mend your roof." is not remembered.' in request.get_error()
		)
		check_equal(is_said, occasion in ["line", "again"], occasion)
		MemoryServer.open_save(save_id)
		check_equal(scene.memory.get_turns().size(), turns, occasion)
		await _release_and_free(scene)


func test_the_save_is_closed_and_opened_again() -> void:
	for occasion in OCCASIONS:
		var save_id := "reopened %s" % occasion
		MemoryServer.open_save(save_id)
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		var turns := scene.memory.get_turns().size()
		MemoryServer.close_save()
		MemoryServer.open_save(save_id)
		scene.release()
		expect_error("the game was loaded")
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), "the game was loaded", occasion)
		check_equal(scene.memory.get_turns().size(), turns, occasion)
		await _release_and_free(scene)


func test_another_save_is_opened() -> void:
	for occasion in OCCASIONS:
		var save_id := "left %s" % occasion
		MemoryServer.open_save(save_id)
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		var turns := scene.memory.get_turns().size()
		MemoryServer.open_save("entered %s" % occasion)
		scene.release()
		expect_error("the game was loaded")
		check_equal(await request.completed, {}, occasion)
		check_contains(request.get_error(), "the game was loaded", occasion)
		check_equal(scene.memory.get_memory_count(), 0, occasion)
		MemoryServer.open_save(save_id)
		check_equal(scene.memory.get_turns().size(), turns, occasion)
		await _release_and_free(scene)


# Asks for what the occasion needs, without waiting for the model.
func _asked(scene: Scene, occasion: String) -> MemoryRequest:
	add_child(scene.root)
	match occasion:
		"line":
			return scene.dialogue.say("I promise to mend your roof.")
		"greeting":
			return scene.dialogue.greet()
	return scene.dialogue.react("The player draws a sword.")


func test_freed_at_any_frame() -> void:
	for occasion: String in ["line", "greeting", "reaction"]:
		for part: String in ["memory", "mind", "dialogue", "root"]:
			for count in 5:
				var what := "%s without %s after %d frames" % [occasion, part, count]
				var scene := _scene(occasion)
				scene.release()
				var request := _asked(scene, occasion)
				await frames(count)
				(scene.get(part) as Node).free()
				var answer: Dictionary = await request.completed
				check(not answer.is_empty() or not request.get_error().is_empty(), what)
				if part == "mind" and request.get_error():
					check_equal(request.get_error(), "", what)
				await _release_and_free(scene)


func test_freed_at_any_frame_without_a_model() -> void:
	for occasion: String in ["line", "greeting", "reaction"]:
		for part: String in ["memory", "mind", "dialogue", "root"]:
			for count in 4:
				var what := "%s without %s after %d frames" % [occasion, part, count]
				var scene := _scene(occasion)
				scene.dialogue.model = null
				var request := _asked(scene, occasion)
				await frames(count)
				(scene.get(part) as Node).free()
				var answer: Dictionary = await request.completed
				check(not answer.is_empty() or not request.get_error().is_empty(), what)
				await _release_and_free(scene)


func test_the_scene_is_changed() -> void:
	for occasion in OCCASIONS:
		var scene := _scene(occasion)
		var request := await _begun(scene, occasion)
		var tree := get_tree()
		var current := tree.current_scene
		scene.root.reparent(tree.root)
		request = scene.dialogue.say("Stay with me.")
		await frames(2)
		tree.current_scene = scene.root
		tree.unload_current_scene()
		tree.current_scene = current
		check_equal(await request.completed, {}, occasion)
		check(not request.get_error().is_empty(), occasion)
		await _release_and_free(scene)


func test_a_server_answers_while_the_game_is_paused() -> void:
	var event := JSON.stringify({"choices": [{"delta": {"content": "I will wait for you."}}]})
	var server := ScriptedServer.new(
		[ScriptedServer.OK_HEAD + "data: %s\n\ndata: [DONE]\n\n" % event]
	)
	var scene := _scene("line")
	scene.dialogue.model = server.model()
	get_tree().paused = true
	var request := _asked(scene, "line")
	var answer: Dictionary = await request.completed
	get_tree().paused = false
	server.close()
	check_equal(answer.get("response"), "I will wait for you.")
	await _release_and_free(scene)


func test_no_line_of_another_game_is_answered_again() -> void:
	for replaces: bool in [false, true]:
		MemoryServer.open_save("first game %s" % replaces)
		var scene := _scene("line")
		scene.release()
		await _asked(scene, "line").completed
		MemoryServer.open_save("second game %s" % replaces)
		expect_error("cannot be undone")
		var dialogue := scene.dialogue
		var request := dialogue.replace_answer("No.") if replaces else dialogue.answer_again()
		check_equal(await request.completed, {})
		check_contains(request.get_error(), "cannot be undone")
		check(scene.memory.get_turns().is_empty(), "nothing was said in this game")
		await _release_and_free(scene)
