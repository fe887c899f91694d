# Nodes in scenes: shared memories, nodes that are not persistent, scene changes.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_two_nodes_with_one_npc_id_share_memories() -> void:
	var one := make_memory("twin")
	var other := make_memory("twin")
	var id := one.store("We share this.")
	check_equal(other.get_memory(id)["document"], "We share this.")
	check_equal(other.forget(id), true)
	check_equal(one.get_memory_count(), 0)


func test_signals_go_to_the_node_that_was_called() -> void:
	var one := make_memory("signal twin")
	var other := make_memory("signal twin")
	var of_one := watch(one.memory_added)
	var of_other := watch(other.memory_added)
	one.store("By one.")
	await other.store_async("By the other.").completed
	one.store("By one again.")
	check_equal(of_one.size(), 2)
	check_equal(of_other.size(), 1)


func test_two_nodes_with_one_npc_id_may_have_different_configs() -> void:
	var one := make_memory("config twin")
	var other := make_memory("config twin")
	one.config = MemoryConfig.new()
	one.config.tier_weights[2] = 5
	one.store("The dog barked.")
	for attempt in 3:
		check_equal(one.retrieve_scored("dog").back()["breakdown"]["tier_weight"], 5.0)
		check_equal(other.retrieve_scored("dog").back()["breakdown"]["tier_weight"], 1.0)


func test_a_node_may_change_its_npc_id() -> void:
	var memory := make_memory("before")
	memory.store("As before.")
	memory.npc_id = "afterwards"
	check_equal(memory.get_memory_count(), 0)
	memory.store("As after.")
	memory.npc_id = "before"
	check_equal(memory.get_recent(1)[0]["document"], "As before.")


func test_nodes_that_are_not_persistent_keep_their_memories_apart() -> void:
	var lasting := make_memory("fleeting")
	var fleeting := RAGMemory.new()
	fleeting.npc_id = "fleeting"
	fleeting.persistent = false
	add_child(fleeting)
	var id := fleeting.store("Nobody writes this down.")
	check(id != "", "an id")
	check_equal(fleeting.get_memory_count(), 1)
	check_equal(lasting.get_memory_count(), 0)
	check_equal(fleeting.retrieve_scored("writing").size(), 2)
	lasting.store("This is written down.")
	check_equal(fleeting.get_memory_count(), 1)
	var twin := RAGMemory.new()
	twin.npc_id = "fleeting"
	twin.persistent = false
	check_equal(twin.get_memory_count(), 1, "two of them share memories as well")
	twin.free()


func test_a_node_that_is_not_persistent_survives_a_change_of_saves() -> void:
	var fleeting := RAGMemory.new()
	fleeting.npc_id = "between saves"
	fleeting.persistent = false
	add_child(fleeting)
	MemoryServer.open_save("here")
	fleeting.store("In memory only.")
	MemoryServer.open_save("there")
	check_equal(fleeting.get_memory_count(), 1)


func test_a_node_that_is_not_persistent_opens_no_save() -> void:
	MemoryServer.close_save()
	var fleeting := RAGMemory.new()
	fleeting.npc_id = "no save"
	fleeting.persistent = false
	add_child(fleeting)
	fleeting.store("In memory only.")
	check_equal(MemoryServer.current_save(), "")


func test_what_needs_no_memories_opens_no_save_and_needs_no_npc_id() -> void:
	MemoryServer.close_save()
	var node := RAGMemory.new()
	add_child(node)
	check_equal(node.estimate_tokens("abcd"), 2)
	check_equal(node.is_protected({"metadata": {"slot_type": "player_name"}}), true)
	check_equal(node.format_memories(["It rained."], "dated"), PackedStringArray(["It rained."]))
	check_equal(node.calculate_importance("conversation"), 6)
	check_equal(node.get_deterministic_deltas("rumor"), {})
	check_equal(MemoryServer.current_save(), "")


func test_a_scene_change_frees_nodes_with_requests_in_flight() -> void:
	MemoryServer.open_save("scenes")
	var requests: Array[MemoryRequest] = []
	for change in 3:
		var scene := Node.new()
		for number in 10:
			var memory := RAGMemory.new()
			memory.name = "Npc%d" % number
			memory.npc_id = "in a scene %d" % number
			scene.add_child(memory)
			memory.owner = scene
		var packed := PackedScene.new()
		packed.pack(scene)
		scene.free()
		check_equal(get_tree().change_scene_to_packed(packed), OK)
		await until(func() -> bool: return get_tree().current_scene != null)
		for child: RAGMemory in get_tree().current_scene.get_children():
			requests.append(child.store_async("Change %d." % change))
			requests.append(child.retrieve_scored_async("change"))
	get_tree().unload_current_scene()
	await until(
		func() -> bool:
			return requests.all(func(each: MemoryRequest) -> bool: return each.is_completed())
	)
	for request in requests:
		check_equal(request.get_error(), "")
	for number in 10:
		check_equal(make_memory("in a scene %d" % number).get_memory_count(), 3)


func test_memories_are_there_after_the_node_is_freed() -> void:
	var memory := make_memory("comes back")
	var id := memory.store("I will be back.")
	memory.free()
	check_equal(make_memory("comes back").get_memory(id)["document"], "I will be back.")


func test_many_nodes() -> void:
	var memories: Array[RAGMemory] = []
	for number in 300:
		memories.append(make_memory("extra %d" % number))
	for memory in memories:
		memory.store_async("I am " + memory.npc_id)
	for memory in memories:
		check_equal(memory.get_memory_count(), 1)
