# Runs typed and untyped.
# MemoryServer: saves, health, preloading.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_health_is_idle_before_the_first_use() -> void:
	var health: Dictionary = MemoryServer.health()
	check_equal(health["state"], "idle")
	check_equal(health["last_error"], "")
	check_equal(health["current_save"], "")
	check_equal(health["pending_requests"], 0)
	check_equal(MemoryServer.current_save(), "")


func test_preload_completes_with_true_and_emits_runtime_ready_once() -> void:
	var ready_emissions: Array[Array] = watch(MemoryServer.runtime_ready)
	var failed_emissions: Array[Array] = watch(MemoryServer.runtime_failed)
	var request: MemoryRequest = MemoryServer.preload()
	check(not request.is_completed(), "a request never completes at once")
	var result: Variant = await request.completed
	check_equal(result, true)
	result = await MemoryServer.preload().completed
	check_equal(result, true, "a second time")
	check_equal(ready_emissions, [[]] as Array[Array])
	check_equal(failed_emissions, [] as Array[Array])


func test_health_tells_versions_model_and_save() -> void:
	check_equal(MemoryServer.open_save("health"), OK)
	var memory: RAGMemory = make_memory()
	memory.store("The mill burned down.")
	var health: Dictionary = MemoryServer.health()
	check_equal(health["state"], "ready")
	check_equal(health["current_save"], "health")
	var file: String = "res://addons/rag_memory/models/default/model.json"
	var model: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(file))
	check_equal(health["model"], model["name"])
	check_equal(health["dimension"], int(model["dimension"]))
	check_equal(health["model_is_fallback"], false)
	check_equal(health["last_error"], "")
	check_type(health["versions"], TYPE_DICTIONARY)
	for name: String in ["python", "sqlite", "numpy", "onnxruntime"]:
		check_type(health["versions"].get(name), TYPE_STRING, name)
	check_equal(health["save"]["memory_count"], 1)
	check_equal(health["save"]["npc_count"], 1)


func test_a_search_index_is_completed_once_nobody_asks_even_while_health_is_polled() -> void:
	check_equal(MemoryServer.open_save("settling"), OK)
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.relevance_mode = MemoryConfig.DENSE
	memory.config.exact_search_limit = 10
	var memories: Array[Dictionary] = []
	for number: int in 20:
		memories.append({"text": "The smith shod horse number %d." % number})
	memory.store_batch(memories)
	memory.retrieve_scored("Who shod the horses?")
	await until(func() -> bool: return MemoryServer.health()["save"]["pending_vectors"] == 0)
	check_equal(memory.retrieve_relevant_raw("horses", {"limit": 50}).size(), 20)


func test_health_tells_timings() -> void:
	var health: Dictionary = MemoryServer.health()
	check(health.has("timings"), "api.md promises timings; there are %s" % [health.keys()])


func test_open_save_creates_a_file_and_emits_save_opened() -> void:
	var opened: Array[Array] = watch(MemoryServer.save_opened)
	var error: Error = MemoryServer.open_save("first slot")
	check_equal(error, OK)
	check_equal(MemoryServer.current_save(), "first slot")
	check(FileAccess.file_exists("user://rag_memory/first slot.sqlite3"), "the documented file")
	check_equal(opened, [["first slot"]] as Array[Array])
	check_equal(MemoryServer.open_save("first slot"), OK, "the open one again")
	check_equal(opened.size(), 1, "nothing was opened the second time")


func test_open_save_closes_the_save_that_was_open() -> void:
	check_equal(MemoryServer.open_save("one"), OK)
	var closed: Array[Array] = watch(MemoryServer.save_closed)
	check_equal(MemoryServer.open_save("two"), OK)
	check_equal(closed, [["one"]] as Array[Array])
	check_equal(MemoryServer.current_save(), "two")


func test_close_save_emits_save_closed_once() -> void:
	check_equal(MemoryServer.open_save("closing"), OK)
	var closed: Array[Array] = watch(MemoryServer.save_closed)
	var error: Error = MemoryServer.close_save()
	check_equal(error, OK)
	check_equal(MemoryServer.current_save(), "")
	check_equal(MemoryServer.close_save(), OK, "none is open")
	check_equal(closed, [["closing"]] as Array[Array])


func test_every_save_has_its_own_memories() -> void:
	var memory: RAGMemory = make_memory("elena")
	MemoryServer.open_save("summer")
	memory.store("It was hot.")
	memory.store("The well was dry.")
	MemoryServer.open_save("winter")
	check_equal(memory.get_memory_count(), 0)
	memory.store("It was cold.")
	MemoryServer.open_save("summer")
	check_equal(memory.get_memory_count(), 2)
	check_equal(memory.get_recent(1)[0]["document"], "The well was dry.")


func test_after_close_save_a_call_fails_and_says_what_closed_the_save() -> void:
	check_equal(MemoryServer.open_save("left"), OK)
	check_equal(MemoryServer.close_save(), OK)
	expect_error('close_save() closed the save "left"')
	_check_that_nothing_is_kept('close_save() closed the save "left"')
	check_equal(MemoryServer.list_snapshots(), PackedStringArray(), "nothing went wrong")
	check_equal(MemoryServer.close_save(), OK, "a second time")
	_check_that_nothing_is_kept('close_save() closed the save "left"')


func test_after_a_failed_open_save_calls_fail_until_a_save_is_open() -> void:
	MemoryServer.close_save()
	FileAccess.open("user://rag_memory/portrait.sqlite3", FileAccess.WRITE).store_string("GIF89a;")
	expect_error('open_save("portrait") failed')
	expect_error("is damaged")
	check(MemoryServer.open_save("portrait") != OK, "it is no save")
	var reason: String = MemoryServer.health()["last_error"]
	_check_that_nothing_is_kept('open_save("portrait") failed: ' + reason)
	check_equal(MemoryServer.list_snapshots(), PackedStringArray())
	check_contains(MemoryServer.health()["last_error"], 'open_save("portrait") failed')
	check_equal(MemoryServer.list_npcs(), [] as Array[Dictionary])
	check_contains(MemoryServer.health()["last_error"], "list_npcs() needs a save")
	check_equal(MemoryServer.open_save("landscape"), OK)
	var memory: RAGMemory = make_memory()
	check(memory.store("The bell rang.") != "", "a save is open")
	MemoryServer.rollback_to(0.0)
	check_equal(memory.get_memory_count(), 0)


func test_after_the_open_save_was_deleted_calls_fail() -> void:
	check_equal(MemoryServer.open_save("deleted"), OK)
	check_equal(MemoryServer.delete_save("deleted"), OK)
	expect_error('delete_save() closed the save "deleted"')
	_check_that_nothing_is_kept('delete_save() closed the save "deleted"')
	check(not "deleted" in MemoryServer.list_saves(), "it does not come back")


func test_a_failed_open_save_leaves_the_open_one_open() -> void:
	check_equal(MemoryServer.open_save("kept open"), OK)
	expect_error("cannot be the id of a save")
	check_equal(MemoryServer.open_save("a/b"), ERR_INVALID_PARAMETER)
	var memory: RAGMemory = make_memory()
	check(memory.store("The bell rang.") != "", "it is open")
	MemoryServer.rollback_to(0.0)
	check_equal(memory.get_memory_count(), 0)


func _check_that_nothing_is_kept(reason: String) -> void:
	var memory: RAGMemory = make_memory()
	var failed: Array[Array] = watch(memory.failed)
	check_equal(memory.store("The bell rang."), "")
	check_equal(memory.retrieve_scored("Who rang?"), [] as Array[Dictionary])
	check_equal(memory.get_memory_count(), 0)
	check_equal(failed.size(), 3, "each call said so")
	for emission: Array in failed:
		check_contains(emission[0], reason)
		check_contains(emission[0], "open_save() with a save that can be opened", "what to do")
	check_equal(MemoryServer.rollback_to(0.0), 0)
	check_contains(MemoryServer.health()["last_error"], "rollback_to() needs a save")
	check_equal(MemoryServer.snapshot("a"), ERR_FILE_NOT_FOUND)
	check_contains(MemoryServer.health()["last_error"], reason)
	check_equal(MemoryServer.current_save(), "")
	var fleeting: RAGMemory = make_memory()
	fleeting.persistent = false
	check(fleeting.store("In memory only.") != "", "that needs no save")
	check(not "default" in MemoryServer.list_saves(), "and nothing went elsewhere")


func test_list_saves_is_sorted_and_typed() -> void:
	MemoryServer.open_save("zebra")
	MemoryServer.open_save("ant")
	var saves: PackedStringArray = MemoryServer.list_saves()
	check_type(saves, TYPE_PACKED_STRING_ARRAY)
	check("ant" in saves and "zebra" in saves, str(saves))
	var sorted_saves: PackedStringArray = saves.duplicate()
	sorted_saves.sort()
	check_equal(saves, sorted_saves)


func test_delete_save_removes_its_files() -> void:
	MemoryServer.open_save("doomed")
	make_memory().store("Nobody will know.")
	check_equal(MemoryServer.delete_save("doomed"), OK, "while it is open")
	check_equal(MemoryServer.current_save(), "")
	check(not "doomed" in MemoryServer.list_saves(), "it is not listed")
	for file: String in DirAccess.get_files_at("user://rag_memory"):
		check(not file.begins_with("doomed"), file + " is left")
	for folder: String in DirAccess.get_directories_at("user://rag_memory"):
		check(not folder.begins_with("doomed"), folder + " is left")


func test_delete_save_of_an_unknown_save_says_so() -> void:
	expect_error("there is no save 'nowhere'")
	check_equal(MemoryServer.delete_save("nowhere"), ERR_FILE_NOT_FOUND)
	check_contains(MemoryServer.health()["last_error"], "there is no save 'nowhere'")


func test_delete_save_with_a_file_that_stays_says_which_and_can_be_repeated() -> void:
	MemoryServer.open_save("stuck")
	MemoryServer.close_save()
	# A file where the folder of the snapshots would be: it cannot be deleted as one.
	var blocker: String = "user://rag_memory/stuck.snapshots"
	FileAccess.open(blocker, FileAccess.WRITE).close()
	expect_error("The save 'stuck' could not be deleted")
	check_equal(MemoryServer.delete_save("stuck"), FAILED)
	var reason: String = MemoryServer.health()["last_error"]
	check_contains(reason, "stuck.snapshots", "the file is named")
	check_contains(reason, "delete it again", "and what to do")
	check("stuck" in MemoryServer.list_saves(), "it is still there")
	check_equal(DirAccess.remove_absolute(blocker), OK)
	check_equal(MemoryServer.delete_save("stuck"), OK)
	check(not "stuck" in MemoryServer.list_saves(), "it is gone")


func test_a_save_id_that_is_no_file_name_is_refused() -> void:
	MemoryServer.open_save("stays open")
	expect_error("cannot be the id of a save")
	var long_id: String = "x".repeat(300)
	for id: String in [
		"", " ", ".", "..", "../up", "a/b", "a\\b", "a:b", " a", "a.", ".hidden", "a\nb", long_id
	]:
		check_equal(
			MemoryServer.open_save(id), ERR_INVALID_PARAMETER, "open_save(%s)" % var_to_str(id)
		)
		check_equal(
			MemoryServer.delete_save(id), ERR_INVALID_PARAMETER, "delete_save(%s)" % var_to_str(id)
		)
	check_equal(MemoryServer.current_save(), "stays open")


func test_an_unknown_option_of_open_save_is_refused() -> void:
	expect_error("there is no option 'colour'")
	check_equal(MemoryServer.open_save("options", {"colour": 1}), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.open_save("options", {}), OK)


func test_search_indexes_of_all_npcs_stay_within_the_vector_cache() -> void:
	expect_error("vector_cache_mib is 0")
	check_equal(MemoryServer.open_save("cache", {"vector_cache_mib": 0}), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.open_save("cache", {"vector_cache_mib": 1}), OK)
	var memories: Array[Dictionary] = []
	for number: int in 300:
		memories.append({"text": "Sack number %d was sold." % number})
	for npc_id: String in ["mira", "tomas"]:
		var memory: RAGMemory = make_memory(npc_id)
		memory.store_batch(memories)
	for round: int in 2:
		for npc_id: String in ["mira", "tomas"]:
			var found: Array = make_memory(npc_id).retrieve_relevant_raw("Sack number 7 was sold.")
			check_equal(found[0]["document_full"], "Sack number 7 was sold.")
			var used: int = MemoryServer.health()["save"]["vector_cache_bytes"]
			check(used > 300 * 384 * 4 and used <= 1 << 20, "%d bytes" % used)


func test_npcs_that_are_asked_and_told_at_once_share_little_room() -> void:
	const COUNT: int = 8
	check_equal(MemoryServer.open_save("little room", {"vector_cache_mib": 1}), OK)
	var nodes: Array[RAGMemory] = []
	for number: int in COUNT:
		nodes.append(make_memory("npc %d" % number))
		var memories: Array[Dictionary] = []
		for sack: int in 200:
			memories.append({"text": "NPC %d sold sack number %d." % [number, sack]})
		nodes[number].store_batch(memories)
	for round: int in 3:
		var text: String = "A heron came, for time number %d." % round
		var requests: Array[MemoryRequest] = []
		for number: int in COUNT:
			var node: RAGMemory = nodes[number]
			var question: String = "NPC %d sold sack number 17." % number
			requests.append(node.retrieve_relevant_raw_async(question))
			requests.append(node.store_async(text))
			requests.append(node.retrieve_relevant_raw_async(text))
		await until(
			func() -> bool:
				return requests.all(func(each: MemoryRequest) -> bool: return each.is_completed())
		)
		for number: int in COUNT:
			var found: Array = requests[3 * number].get_result()
			check_equal(found[0]["document_full"], "NPC %d sold sack number 17." % number)
			found = requests[3 * number + 2].get_result()
			check_equal(found[0]["id"], requests[3 * number + 1].get_result())
		var used: int = MemoryServer.health()["save"]["vector_cache_bytes"]
		check(used > 0 and used <= 1 << 20, "%d bytes" % used)
	for node: RAGMemory in nodes:
		check_equal(node.get_memory_count(), 203)


func test_npcs_asked_at_once_are_all_answered_when_there_is_no_room_for_both() -> void:
	check_equal(MemoryServer.open_save("little room"), OK)
	var nodes: Array[RAGMemory] = []
	for count: int in [470, 40, 40]:
		nodes.append(make_memory("keeper of %d, number %d" % [count, nodes.size()]))
		var memories: Array[Dictionary] = []
		for sack: int in count:
			memories.append({"text": "Sack number %d was sold." % sack})
		nodes[-1].store_batch(memories)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("little room", {"vector_cache_mib": 1}), OK)
	var answered: Array[int] = []
	var given_up: MemoryRequest
	for number: int in nodes.size():
		var node: RAGMemory = nodes[number]
		var request: MemoryRequest = node.retrieve_relevant_raw_async("Sack number 7 was sold.")
		if number == 1:
			given_up = request
		request.completed.connect(
			func(found: Array) -> void:
				if request != given_up:
					check_equal(found[0]["document_full"], "Sack number 7 was sold.")
					answered.append(number)
		)
	given_up.cancel()
	await until(func() -> bool: return answered.size() == 2)
	answered.sort()
	check_equal(str(answered), "[0, 2]", "all but the one that was given up")
	check_equal(MemoryServer.open_save("after it"), OK)


func test_async_forms_complete_with_the_same_results() -> void:
	var error: Variant = await MemoryServer.open_save_async("async").completed
	check_equal(error, OK)
	check_equal(MemoryServer.current_save(), "async")
	var saves: Variant = await MemoryServer.list_saves_async().completed
	check_type(saves, TYPE_PACKED_STRING_ARRAY)
	check("async" in saves, str(saves))
	error = await MemoryServer.close_save_async().completed
	check_equal(error, OK)
	error = await MemoryServer.delete_save_async("async").completed
	check_equal(error, OK)
	expect_error("there is no save 'async'")
	error = await MemoryServer.delete_save_async("async").completed
	check_equal(error, ERR_FILE_NOT_FOUND)


func test_register_names_returns_nothing_and_is_remembered_by_later_saves() -> void:
	MemoryServer.register_names(PackedStringArray(["Elena", "Ravenford"]))
	MemoryServer.register_names([])
	check_equal(MemoryServer.open_save("names"), OK)
	var memory: RAGMemory = make_memory()
	memory.store("Elena came from Ravenford.")
	check_equal(memory.retrieve_relevant_raw("Where does Elena come from?").size(), 1)


func test_npc_is_the_node_of_the_scene_or_one_of_the_server() -> void:
	var smith := MemoryServer.npc("smith")
	check_equal(smith.npc_id, "smith")
	check_equal(smith.is_inside_tree(), false)
	check(MemoryServer.npc("smith") == smith, "one for each NPC")
	check(MemoryServer.npc("miller") != smith, "another NPC")
	check(smith.store("The forge burned down.") != "", "stored without a scene")
	var node := make_memory("smith")
	check(MemoryServer.npc("smith") == node, "the node of the scene")
	check_equal(node.get_memory_count(), 1)
	check_equal(await MemoryServer.npc("smith").get_memory_count_async().completed, 1)
	node.free()
	check(MemoryServer.npc("smith") == smith, "after the scene is gone")
	expect_error("npc(): npc_id is empty")
	check(MemoryServer.npc("") == null, "nobody")


func test_a_node_of_the_server_may_be_freed_renamed_and_added_to_a_scene() -> void:
	var freed := MemoryServer.npc("freed by the game")
	freed.free()
	check_equal(MemoryServer.npc("freed by the game").npc_id, "freed by the game")
	var renamed := MemoryServer.npc("renamed by the game")
	renamed.npc_id = "another name"
	var fresh := MemoryServer.npc("renamed by the game")
	check(fresh != renamed, "not the renamed one")
	renamed.free()
	add_child(fresh)
	check(MemoryServer.npc("renamed by the game") == fresh, "still the same")
	fresh.free()


func test_another_thread_gets_the_memory_of_an_npc() -> void:
	var thread := Thread.new()
	thread.start(func() -> int: return MemoryServer.npc("of a thread").get_instance_id())
	var id: int = thread.wait_to_finish()
	check_equal(MemoryServer.npc("of a thread").get_instance_id(), id)
