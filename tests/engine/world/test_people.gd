# Runs typed and untyped.
# Who the NPCs are, what they are to do, and what they debate: profiles, tasks and debates.
extends "res://tests/engine/case.gd"

const ANNA := {"name": "Anna", "faction": "millers", "traits": ["proud"]}

var _asked := 0
var _seconds := 86400.0


func _exit_tree() -> void:
	_stop_asking()


func _stop_asking() -> void:
	MemoryServer.profile_writer = Callable()
	MemoryServer.debate_writer = Callable()
	MemoryServer.task_validator = Callable()


func _open(save_id: String) -> void:
	_asked = 0
	_seconds = 86400.0
	MemoryServer.set_clock(func() -> float: return _seconds)
	check_equal(MemoryServer.open_save(save_id), OK)


func _write_later(request: Dictionary) -> Dictionary:
	_asked += 1
	var number: int = _asked
	await frames(3)
	var story: String = "Life %d of %s." % [number, request["npc_id"]]
	return {"backstory": story, "relationship_seed": {"trust": 15, "respect": 20, "suspicion": 5}}


func _trust(memory: RAGMemory) -> int:
	return memory.generate_relationship_header()["metadata"]["relationship"]["trust"]


func test_two_calls_at_once_get_one_profile_of_an_awaited_writer() -> void:
	_open("two at once")
	var created: Array[Array] = watch(MemoryWorld.profile_created)
	MemoryServer.profile_writer = _write_later
	var first: MemoryRequest = MemoryWorld.ensure_profile_async("anna", ANNA)
	var second: MemoryRequest = MemoryWorld.ensure_profile_async("anna")
	var profile: Dictionary = await first.completed
	await until(func() -> bool: return second.is_completed())
	check_equal(second.get_result(), profile)
	check_equal(profile["backstory"], "Life 1 of anna.")
	check_equal(profile["personality"], ["proud"], "what the writer leaves out")
	check_equal(_asked, 1)
	check_equal(created, [["anna"]] as Array[Array])
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("two at once"), OK)
	check_equal(await MemoryWorld.ensure_profile_async("anna").completed, profile, "once per save")
	check_equal(_asked, 1)
	_stop_asking()


func test_a_call_that_blocks_does_not_wait_for_an_await() -> void:
	_open("blocking")
	MemoryServer.profile_writer = _write_later
	expect_warning("The profile_writer wrote no profile of anna")
	var profile: Dictionary = MemoryWorld.ensure_profile("anna", ANNA)
	check_contains(profile["backstory"] as String, "Anna")
	check_equal(MemoryWorld.regenerate_profile_async("anna") is MemoryRequest, true)
	await until(
		func() -> bool: return MemoryWorld.get_profile("anna")["backstory"] != profile["backstory"]
	)
	check_equal(MemoryWorld.get_profile("anna")["backstory"], "Life 2 of anna.")
	_stop_asking()


func test_a_call_that_blocks_ends_the_waiting_of_another_for_the_same() -> void:
	_open("blocking beside")
	MemoryServer.profile_writer = _write_later
	var awaited: MemoryRequest = MemoryWorld.ensure_profile_async("anna", ANNA)
	await until(func() -> bool: return _asked == 1)
	expect_warning("another call that waits for the same blocks the game")
	var profile: Dictionary = MemoryWorld.ensure_profile("anna")
	check_contains(profile["backstory"] as String, "Anna")
	await until(func() -> bool: return awaited.is_completed())
	check_equal(awaited.get_result(), profile)
	await frames(4)
	check_equal(MemoryWorld.get_profile("anna"), profile, "what comes late is not taken")
	_stop_asking()


func test_a_profile_says_how_she_stands_to_a_stranger() -> void:
	_open("seed")
	var memory: RAGMemory = make_memory("anna")
	var before: int = _trust(memory)
	check_equal(
		MemoryWorld.set_profile("anna", {"relationship_seed": {"trust": 80, "suspicion": 10}}), OK
	)
	check_equal(_trust(memory), 70)
	var personality: NPCPersonality = NPCPersonality.new()
	personality.secrets.assign([{"secret": "The key lies under the mat.", "unlock_trust": 60}])
	var options: Dictionary = {"personality": personality}
	check_equal(NPCContextBuilder.build(memory, "Hello.", options)["secrets"].size(), 1)
	check_equal(_trust(memory), 70, "a new resource says nothing of it")
	personality.initial_relationship = {"trust": 5}
	check_equal(NPCContextBuilder.build(memory, "Hello.", options)["secrets"].size(), 0)
	check_equal(_trust(memory), 5, "the designer's word comes first")
	memory.set_initial_relationship({})
	check_equal(_trust(memory), 70)
	check_equal(before, 50)


func test_a_prompt_has_the_profile_where_the_personality_is_silent() -> void:
	_open("prompt")
	var memory: RAGMemory = make_memory("anna")
	var profile: Dictionary = {
		"backstory": "Anna was born at the mill.",
		"fears": ["rats"],
		"goals": ["a new roof"],
		"personality": 3
	}
	var personality: NPCPersonality = NPCPersonality.new()
	personality.display_name = "Anna"
	personality.fears.assign(["fire"])
	var prompt: String = (
		NPCContextBuilder
		. build(memory, "Hello.", {"personality": personality, "profile": profile})["prompt"]
	)
	check_contains(prompt, "Your past: Anna was born at the mill.")
	check_contains(prompt, "You fear: fire.")
	check_contains(prompt, "You want: a new roof.")
	check(not "rats" in prompt, "the designer's word comes first")
	check_equal(personality.background, "", "the resource stays as it is")
	check_contains(
		NPCContextBuilder.build(memory, "Hello.", {"profile": profile})["prompt"] as String,
		"You fear: rats."
	)
	expect_error("The option profile of build() cannot be 3. It has to be a Dictionary")
	check_equal(NPCContextBuilder.build(memory, "Hello.", {"profile": 3}), {})


func test_a_wrong_profile_is_refused() -> void:
	_open("wrong profile")
	expect_error("MemoryWorld.set_profile(): goals is")
	check_equal(MemoryWorld.set_profile("anna", {"goals": "peace"}), ERR_INVALID_PARAMETER)
	check_equal(MemoryWorld.get_profile("anna"), {})


func test_the_life_of_a_task() -> void:
	_open("task")
	var changed: Array[Array] = watch(MemoryWorld.task_changed)
	var anna: RAGMemory = make_memory("anna")
	var id: String = MemoryWorld.add_task(
		{"assignee": "anna", "issuer": "player", "summary": "Mend the roof", "due_day": 3}
	)
	expect_error(
		"is proposed and cannot become completed: from proposed it can become active or rejected"
	)
	check_equal(MemoryWorld.update_task(id, "completed"), ERR_INVALID_PARAMETER)
	check_equal(MemoryWorld.update_task(id, "active"), OK)
	check_equal(await MemoryWorld.update_task_async(id, "completed", {"nails": 40}).completed, OK)
	var task: Dictionary = MemoryWorld.get_tasks({"involves": "player"})[0]
	check_equal(task["status"], "completed")
	check_equal(task["result"], {"nails": 40})
	check_equal(changed, [[id, "proposed"], [id, "active"], [id, "completed"]] as Array[Array])
	var memory: Dictionary = anna.get_recent(1)[0]
	check_equal(memory["document_full"], "I did what the player asked of me: Mend the roof.")
	check_equal(memory["metadata"]["task_id"], id)


func test_a_task_expires_and_a_rollback_brings_it_back() -> void:
	_open("due")
	var anna: RAGMemory = make_memory("anna")
	var task: Dictionary = {"assignee": "anna", "summary": "Mend the roof", "status": "active"}
	task["due_day"] = 2.5
	MemoryWorld.add_task(task)
	var before: float = _seconds
	_seconds = 5 * 86400.0
	check_equal(MemoryWorld.get_tasks({"status": "active"}), [] as Array[Dictionary])
	check_equal(MemoryWorld.get_tasks()[0]["completed_day"], 2.5)
	check_equal(anna.get_memory_count(), 1)
	MemoryServer.rollback_to(before)
	_seconds = before
	check_equal(MemoryWorld.get_tasks({"status": "active"}).size(), 1)
	check_equal(anna.get_memory_count(), 0)


func test_people_who_are_registered_do_not_keep_tasks_and_debates_from_being_remembered() -> void:
	_open("registered")
	MemoryServer.register_names(["Rowan"], true)
	var task: Dictionary = {"assignee": "ulf", "summary": "Bring Gerda home", "status": "active"}
	check_equal(MemoryWorld.update_task(MemoryWorld.add_task(task), "completed"), OK)
	var debate: Dictionary = {
		"topic": "Gerda the Wise", "participants": ["ulf"], "outcome": "She stays."
	}
	check(not MemoryWorld.record_debate(debate).is_empty(), "it is recorded")
	check_equal(make_memory("ulf").get_memory_count(), 2)


func test_a_debate_is_held_by_what_the_participants_feel() -> void:
	_open("debate")
	for npc_id: String in ["anna", "bert"]:
		var memory: RAGMemory = make_memory(npc_id)
		var mind: NPCMind = NPCMind.new()
		memory.add_child(mind)
		mind.adjust_disposition("Carrow", 20.0)
	var debate: Dictionary = {"topic": "Peace with Carrow", "participants": ["anna", "bert"]}
	var id: String = MemoryWorld.record_debate(debate)
	var found: Array[Dictionary] = MemoryWorld.search_debates("Carrow", {"npc_id": "bert"})
	check_equal(found[0]["id"], id)
	check_equal(found[0]["outcome"], 'All were for this: "Peace with Carrow".')
	check_equal(found[0]["positions"], {"anna": "for", "bert": "for"})
	check_equal(MemoryWorld.search_debates("Carrow", {"npc_id": "tom"}), [] as Array[Dictionary])
	check_equal(MemoryWorld.get_events({"event_type": "debate"})[0]["known_by"], ["anna", "bert"])


func test_a_language_model_may_hold_a_debate() -> void:
	_open("held")
	MemoryServer.debate_writer = func(request: Dictionary) -> Dictionary:
		await frames(2)
		return {
			"outcome": "They will ask %s." % request["participants"][0]["id"], "summary": "Long."
		}
	var debate: Dictionary = {"topic": "The well", "participants": ["anna", "bert"]}
	await MemoryWorld.record_debate_async(debate).completed
	check_equal(MemoryWorld.search_debates("the well")[0]["outcome"], "They will ask anna.")
	_stop_asking()
