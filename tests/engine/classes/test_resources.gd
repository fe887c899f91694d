# MemoryConfig as a Resource: saved, loaded, shared, loaded on another thread.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const PATH := "user://elena.tres"


func test_a_saved_config_loads_with_its_values() -> void:
	check_equal(ResourceSaver.save(_unusual_config(), PATH), OK)
	_check_unusual(ResourceLoader.load(PATH, "", ResourceLoader.CACHE_MODE_IGNORE) as MemoryConfig)


func test_the_file_holds_only_what_differs_from_the_defaults() -> void:
	ResourceSaver.save(_unusual_config(), PATH)
	var text := FileAccess.get_file_as_string(PATH)
	check_contains(text, '[gd_resource type="MemoryConfig"')
	check_contains(text, "semantic_top_k = 40")
	check(not "recency_floor" in text, text)
	ResourceSaver.save(MemoryConfig.new(), PATH)
	text = FileAccess.get_file_as_string(PATH)
	check(not "tier_weights" in text, text)


func test_a_binary_resource_loads_with_its_values() -> void:
	check_equal(ResourceSaver.save(_unusual_config(), "user://elena.res"), OK)
	_check_unusual(
		(
			ResourceLoader.load("user://elena.res", "", ResourceLoader.CACHE_MODE_IGNORE)
			as MemoryConfig
		)
	)


func test_a_config_loads_on_a_thread() -> void:
	ResourceSaver.save(_unusual_config(), PATH)
	for attempt in 5:
		check_equal(
			ResourceLoader.load_threaded_request(
				PATH, "MemoryConfig", true, ResourceLoader.CACHE_MODE_IGNORE
			),
			OK
		)
		await until(
			func() -> bool:
				return (
					ResourceLoader.load_threaded_get_status(PATH)
					== ResourceLoader.THREAD_LOAD_LOADED
				)
		)
		var config: MemoryConfig = ResourceLoader.load_threaded_get(PATH)
		_check_unusual(config)
		var memory := make_memory()
		memory.config = config
		memory.store("The dog barked.")
		check_equal(memory.retrieve_scored("the dog").back()["breakdown"]["tier_weight"], 1.5)


func test_a_scene_with_a_node_and_its_config_loads_on_a_thread() -> void:
	var memory := RAGMemory.new()
	memory.name = "Memory"
	memory.npc_id = "packed"
	memory.persistent = false
	memory.config = _unusual_config()
	var scene := PackedScene.new()
	check_equal(scene.pack(memory), OK)
	check_equal(ResourceSaver.save(scene, "user://npc.tscn"), OK)
	memory.free()
	ResourceLoader.load_threaded_request(
		"user://npc.tscn", "PackedScene", true, ResourceLoader.CACHE_MODE_IGNORE
	)
	var loaded: PackedScene = ResourceLoader.load_threaded_get("user://npc.tscn")
	var node: RAGMemory = loaded.instantiate()
	add_child(node)
	check_equal(node.npc_id, "packed")
	check_equal(node.persistent, false)
	_check_unusual(node.config)
	check(node.store("I came from a scene.") != "", "an id")


func test_nodes_made_and_freed_on_a_thread() -> void:
	var thread := Thread.new()
	thread.start(
		func() -> int:
			for number in 50:
				var memory := RAGMemory.new()
				memory.npc_id = "npc %d" % number
				memory.config = MemoryConfig.new()
				memory.config.tier_weights[0] = number
				memory.free()
			return 50
	)
	await until(func() -> bool: return not thread.is_alive())
	check_equal(thread.wait_to_finish(), 50)


func test_a_config_is_freed_with_its_last_reference() -> void:
	var config := MemoryConfig.new()
	var memory := make_memory()
	memory.config = config
	memory.store("The dog barked.")
	var reference: WeakRef = weakref(config)
	config = null
	check(reference.get_ref() != null, "the node holds it")
	memory.config = null
	check(reference.get_ref() == null, "nobody holds it")


func test_a_request_is_freed_with_its_last_reference() -> void:
	var memory := make_memory()
	var request := memory.get_memory_count_async()
	var reference: WeakRef = weakref(request)
	await request.completed
	request = null
	await frames(2)
	check(reference.get_ref() == null, "nobody holds it")


func test_the_inspector_sees_groups_ranges_and_enums() -> void:
	var groups: Array[String] = []
	var hints: Dictionary = {}
	for property: Dictionary in ClassDB.class_get_property_list("MemoryConfig", true):
		if property["usage"] & PROPERTY_USAGE_GROUP:
			groups.append(property["name"])
		else:
			hints[property["name"]] = [property["hint"], property["hint_string"]]
	check_equal(
		groups,
		(
			[
				"Essentials",
				"Context Budget",
				"Score-Based Selection",
				"Dual Representation",
				"Bounded Collection",
				"Protected Memories",
				"Milestones",
				"Tier Rules",
				"Response Analysis",
				"Importance Signals",
				"Action Emotions",
				"Memory Consolidation",
				"Schema Constraints",
				"Delta Clamping",
				"Conflict Resolution",
				"Size Limits",
				"Relevance",
				"Search",
				"Wording",
				"Inheritance",
			]
			as Array[String]
		)
	)
	check_equal(hints["recency_floor"], [PROPERTY_HINT_RANGE, "0,1,0.01"])
	check_equal(hints["score_mode"], [PROPERTY_HINT_ENUM, "Product:0,Balanced:1,Stream:2"])
	check_equal(hints["relevance_mode"], [PROPERTY_HINT_ENUM, "Hybrid:0,Dense:1,Keyword:2"])
	check_equal(hints["tier_weights"][0], PROPERTY_HINT_ARRAY_TYPE)


func _unusual_config() -> MemoryConfig:
	var config := MemoryConfig.new()
	config.semantic_top_k = 40
	config.score_mode = MemoryConfig.PRODUCT
	config.tier_weights = [9, 4.5, 1.5]
	config.recency_half_life_days = 30.25
	config.use_dual_representation = false
	config.slot_types = ["player_name", "größe"]
	config.supersession_pairs = {"door_opened": "door_closed"}
	config.exact_search_limit = 5
	return config


func _check_unusual(config: MemoryConfig) -> void:
	check_equal(config.semantic_top_k, 40)
	check_equal(config.score_mode, MemoryConfig.PRODUCT)
	check_equal(config.tier_weights, [9.0, 4.5, 1.5] as Array[float])
	check_equal(config.recency_half_life_days, 30.25)
	check_equal(config.use_dual_representation, false)
	check_equal(config.slot_types, ["player_name", "größe"] as Array[String])
	check_equal(config.supersession_pairs, {"door_opened": "door_closed"})
	check_equal(config.exact_search_limit, 5)


func test_another_resource_is_no_config() -> void:
	var memory: RAGMemory = make_memory("no config")
	memory.set("config", Gradient.new())
	check_equal(memory.config, null)
	check(memory.store("The mill burned down.") != "", "the node works")
