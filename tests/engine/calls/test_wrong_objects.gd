# Objects that are null, or were freed: in an argument, in a property, inside a container. A debug
# build hides what a release build crashes of.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


class Npc:
	extends Node

	var memory: Variant


func _freed(node: Node) -> Variant:
	node.free()
	return node


func test_an_empty_entry_among_personalities() -> void:
	var world := NPCWorldKnowledge.new()
	var mira := NPCPersonality.new()
	mira.npc_id = "mira"
	mira.display_name = "Mira"
	expect_error("NPCWorldKnowledge.add_personalities(): one of them is null")
	world.add_personalities([null, mira])
	check_equal(world.is_known_npc("Mira"), true)


func test_prompts_for_nobody() -> void:
	var gone := Npc.new()
	add_child(gone)
	gone.memory = _freed(RAGMemory.new())
	expect_error("NPCContextBuilder needs an NPC with a memory")
	for npc: Object in [null, gone, RefCounted.new(), Npc.new()]:
		check_equal(NPCContextBuilder.build(npc, "Hi."), {})
		check_equal(NPCContextBuilder.build_greeting(npc), {})
		check_equal(NPCContextBuilder.build_reaction(npc, "It rains."), {})
		check_equal(await NPCContextBuilder.new(npc).build_prompt_async("Hi.").completed, {})
		expect_error("record_interaction() needs an NPC with a memory")
		check_equal(NPCContextBuilder.record_interaction(npc, "Hi.", {}), {})
		check_equal(await NPCContextBuilder.new(npc).record_exchange_async("Hi.", {}).completed, {})
		var builder := NPCContextBuilder.new(npc, {})
		check_equal(await builder.build_prompt_async("Hi.").completed, {})
		check_equal((await builder.read_answer_async("Hi.").completed)["response"], "Hi.")
		if npc is Node and npc != gone:
			(npc as Node).free()
	check_equal(NPCContextBuilder.parse_response("Hi.", null)["response"], "Hi.")
	check_equal(NPCContextBuilder.describe_relationship({}, null).size(), 0)
	check_equal(NPCContextBuilder.format_tiered_memories({}, NAN, null), "")


func test_options_that_were_freed() -> void:
	var memory := make_memory()
	expect_error("The option mind of build() cannot be <Freed Object>")
	check_equal(NPCContextBuilder.build(memory, "Hi.", {"mind": _freed(NPCMind.new())}), {})
	expect_error("The option location of build() cannot be <Freed Object>")
	check_equal(NPCContextBuilder.build(memory, "Hi.", {"location": _freed(Node.new())}), {})
	check(not NPCContextBuilder.build(memory, "Hi.", {"mind": null}).is_empty(), "null is none")
	var absent := get_node_or_null("Nobody")
	check(not NPCContextBuilder.build(memory, "Hi.", {"mind": absent}).is_empty(), "nor is this")


func test_a_dialogue_whose_nodes_were_freed_ends_with_an_error() -> void:
	var memory := make_memory()
	var dialogue := NPCDialogue.new()
	memory.add_child(dialogue)
	var failed := watch(dialogue.failed)
	var mind := NPCMind.new()
	memory.add_child(mind)
	dialogue.mind = mind
	mind.free()
	expect_error("NPCDialogue.mind was freed, so the NPC cannot speak.")
	for request: MemoryRequest in [
		dialogue.say("Hi."), dialogue.greet(), dialogue.react("It rains.")
	]:
		check_equal(await request.completed, {})
		check_contains(request.get_error(), "mind was freed")
	check_equal(failed.size(), 3)
	check_equal(dialogue.is_speaking(), false)
	dialogue.mind = null
	check(not (await dialogue.say("Hi.").completed).is_empty(), "without one she speaks")
	var other := make_memory("other")
	dialogue.memory = other
	other.free()
	expect_error("NPCDialogue.memory was freed, so the NPC cannot speak.")
	check_equal(await dialogue.say("Hi.").completed, {})
	dialogue.memory = null
	check(not (await dialogue.say("Hi.").completed).is_empty(), "with that beside it she speaks")


func test_a_dialogue_whose_mind_is_freed_while_she_speaks_ends() -> void:
	for frames_before: int in 4:
		var memory := make_memory("mind %d" % frames_before)
		var mind := NPCMind.new()
		memory.add_child(mind)
		var dialogue := NPCDialogue.new()
		memory.add_child(dialogue)
		dialogue.mind = mind
		var request := dialogue.say("Hi.")
		await frames(frames_before)
		allow_error("The option mind of")
		mind.free()
		await until(request.is_completed)
		check(request.is_completed(), "after %d frames" % frames_before)


func test_options_of_a_dialogue_of_another_type() -> void:
	var dialogue := NPCDialogue.new()
	make_memory().add_child(dialogue)
	var wrong := {
		"world_knowledge": RefCounted.new(),
		"personality": Resource.new(),
		"budgets": 5,
		"mind": _freed(NPCMind.new()),
		"config": Resource.new(),
	}
	for option: String in wrong:
		expect_error("The option %s of begin_exchange() cannot be" % option)
		var request := dialogue.say("Hi.", {option: wrong[option]})
		check_equal(await request.completed, {}, option)
		check_contains(request.get_error(), option)
	dialogue.analysis = false
	for option: String in wrong:
		check(
			not (await dialogue.say("Hi.", {option: null}).completed).is_empty(), option + " null"
		)


func test_native_calls_with_null() -> void:
	var memory := make_memory()
	memory.config = null
	check(memory.store("A thing.") != "", "the defaults")
	var mind := NPCMind.new()
	add_child(mind)
	mind.memory = null
	mind.config = null
	check(MemoryServer.health() is Dictionary, "still there")
