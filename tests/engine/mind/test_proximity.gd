# Runs typed and untyped.
# Runs without the model.
# NPCMind.proximity_area in a running scene: who is near, by real physics.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const FAR := 10000.0
const PATHS := 'node_paths=PackedStringArray("memory", "proximity_area")'
const SCENE := """[gd_scene load_steps=3 format=3]

[sub_resource type="CircleShape2D" id="near"]
radius = 50.0

[sub_resource type="NPCMindConfig" id="mind"]
friendly_from = 55.0
action_sentiments = { "bowed": 6.0 }

[node name="Mira" type="CharacterBody2D"]

[node name="Mind" type="NPCMind" parent="." PATHS]
memory = NodePath("../Brain/Memory")
config = SubResource("mind")
proximity_area = NodePath("../Area")

[node name="Shape" type="CollisionShape2D" parent="."]
shape = SubResource("near")

[node name="Area" type="Area2D" parent="."]

[node name="Shape" type="CollisionShape2D" parent="Area"]
shape = SubResource("near")

[node name="Brain" type="Node" parent="."]

[node name="Memory" type="RAGMemory" parent="Brain"]
npc_id = "mira of the scene"
"""

var _room := 0.0


func _steps(count := 4) -> void:
	for step: int in count:
		await get_tree().physics_frame


func _shape(is_flat: bool) -> Node:
	if is_flat:
		var flat: CollisionShape2D = CollisionShape2D.new()
		flat.shape = CircleShape2D.new()
		flat.shape.radius = 5.0
		return flat
	var solid: CollisionShape3D = CollisionShape3D.new()
	solid.shape = SphereShape3D.new()
	solid.shape.radius = 5.0
	return solid


# Every test has a place of its own, so that none meets the bodies of another.
func _place(node: Node, offset: float, is_flat: bool) -> Node:
	if is_flat:
		node.position = Vector2(_room + offset, 0.0)
	else:
		node.position = Vector3(_room + offset, 0.0, 0.0)
	return node


func _body(type: StringName, offset: float, npc_id := "") -> Node:
	var body: Node = ClassDB.instantiate(type)
	body.add_child(_shape(String(type).ends_with("2D")))
	if npc_id:
		body.set_meta("npc_id", npc_id)
	_place(body, offset, String(type).ends_with("2D"))
	add_child(body)
	return body


func _remembering(type: StringName, offset: float, npc_id: String) -> Node:
	var body: Node = _body(type, offset)
	var memory: RAGMemory = RAGMemory.new()
	memory.npc_id = npc_id
	body.add_child(memory)
	return body


func _mind(area: Node) -> NPCMind:
	_room += FAR
	var memory: RAGMemory = make_memory("mira %d %d" % [int(_room), get_instance_id()])
	var mind: NPCMind = NPCMind.new()
	memory.add_child(mind)
	if area:
		area.add_child(_shape(area is Area2D))
		_place(area, 0.0, area is Area2D)
		add_child(area)
		mind.proximity_area = area
	return mind


# get_nearby() and build_listener_context(), blocking and not, have to agree.
func _check_near(mind: NPCMind, expected: Array, message := "") -> void:
	var near: Array = Array(mind.get_nearby())
	near.sort()
	check_equal(near, expected, message)
	var told: Array = Array(mind.build_listener_context(["player"]).nearby)
	told.sort()
	check_equal(told, expected, "told, " + message)
	var later: Dictionary = await mind.build_listener_context_async(["player"]).completed
	told = Array(later.nearby)
	told.sort()
	check_equal(told, expected, "told later, " + message)


func _check_area(area: Node, end: String) -> void:
	var mind: NPCMind = _mind(area)
	var tom: Node = _body("CharacterBody" + end, 1.0, "tom")
	var lena: Node = _body("Area" + end, 2.0, "lena")
	var aria: Node = _remembering("StaticBody" + end, 3.0, "aria")
	var player: Node = _body("RigidBody" + end, 0.5)
	player.freeze = true
	_remembering("Area" + end, -2.0, mind.get_parent().npc_id)
	_body("Area" + end, FAR / 2.0, "far")
	await _check_near(mind, [], "before physics has run")
	await _steps()
	await _check_near(mind, ["aria", "lena", "tom"], "who has come")
	mind.set_nearby(["bard", "tom"])
	await _check_near(mind, ["aria", "bard", "lena", "tom"], "who was told, too")
	mind.set_nearby([])
	player.set_meta("npc_id", "player")
	tom.set_meta("npc_id", 42)
	var near: Array = Array(mind.get_nearby())
	near.sort()
	check_equal(near, ["42", "aria", "lena", "player"])
	check_equal(Array(mind.build_listener_context(["player"]).nearby).has("player"), false)
	player.remove_meta("npc_id")
	_place(tom, FAR / 3.0, end == "2D")
	aria.free()
	await _check_near(mind, ["42", "lena"], "freed")
	await _steps()
	await _check_near(mind, ["lena"], "who has left")
	lena.queue_free()
	await _steps()
	await _check_near(mind, [], "nobody")
	_place(tom, 0.0, end == "2D")
	await _steps()
	await _check_near(mind, ["42"], "who came back")
	area.monitoring = false
	await _check_near(mind, [], "without monitoring")
	area.monitoring = true
	await _steps()
	await _check_near(mind, ["42"], "with monitoring again")
	remove_child(area)
	await _check_near(mind, [], "outside of the tree")
	add_child(area)
	await _steps()
	await _check_near(mind, ["42"], "in the tree again")
	area.free()
	await _check_near(mind, [], "without its area")
	check(mind.proximity_area == null, "freed")
	mind.perceive({"action": "gifted", "source_id": "tom"})
	check_equal(mind.get_disposition("tom").strength, 70.0)


func test_an_area_2d() -> void:
	await _check_area(Area2D.new(), "2D")


func test_an_area_3d() -> void:
	await _check_area(Area3D.new(), "3D")


func test_the_npcs_own_body_is_not_near() -> void:
	_room += FAR
	var own: Node = _remembering("CharacterBody2D", 0.0, "mira with a body")
	var area: Area2D = Area2D.new()
	area.add_child(_shape(true))
	own.add_child(area)
	var mind: NPCMind = NPCMind.new()
	own.add_child(mind)
	mind.proximity_area = area
	_body("CharacterBody2D", 1.0, "mira with a body")
	_body("CharacterBody2D", 1.0, "tom")
	await _steps()
	await _check_near(mind, ["tom"])


func test_two_minds_in_one_scene_see_each_other() -> void:
	_room += FAR
	var minds: Array = []
	for npc_id: String in ["aria of two", "kael of two"]:
		var own: Node = _remembering("CharacterBody3D", 0.0, npc_id)
		var area: Area3D = Area3D.new()
		area.add_child(_shape(false))
		own.add_child(area)
		var mind: NPCMind = NPCMind.new()
		own.add_child(mind)
		mind.proximity_area = area
		minds.append(mind)
	await _steps()
	await _check_near(minds[0], ["kael of two"])
	await _check_near(minds[1], ["aria of two"])


func test_a_node_that_is_no_area_is_an_error_or_nobody() -> void:
	allow_error("proximity_area")
	var mind: NPCMind = _mind(null)
	for wrong: Node in [Node.new(), Timer.new(), make_memory("no area")]:
		mind.set("proximity_area", wrong)
		check_equal(Array(mind.get_nearby()), [], wrong.get_class())
		check_equal(Array(mind.build_listener_context(["player"]).get("nearby", [])), [])
		if not wrong is RAGMemory:
			wrong.free()
	for wrong: Variant in [3, "Area2D", NodePath("x"), RefCounted.new()]:
		mind.set("proximity_area", wrong)
		check_equal(Array(mind.get_nearby()), [])


func test_a_secret_is_kept_while_somebody_walks_by() -> void:
	var mind: NPCMind = _mind(Area2D.new())
	mind.perceive(
		{"action": "spoke", "content": "I stole the ring.", "source_id": "rowan", "secret": true}
	)
	check_contains(mind.build_listener_context(["rowan"]).text, "stole the ring")
	var kael: Node = _body("CharacterBody2D", 0.0, "kael")
	await _steps()
	check(not "stole the ring" in mind.build_listener_context(["rowan"]).text, "kael hears it")
	kael.free()
	await _steps()
	check_contains(mind.build_listener_context(["rowan"]).text, "stole the ring")


func test_threads_may_ask_who_is_near() -> void:
	var mind: NPCMind = _mind(Area2D.new())
	_body("CharacterBody2D", 0.0, "tom")
	await _steps()
	check_equal(Array(mind.get_nearby()), ["tom"])
	var thread: Thread = Thread.new()
	thread.start(func() -> Array: return Array(mind.build_listener_context(["a"]).nearby))
	while thread.is_alive():
		await get_tree().process_frame
	check_equal(thread.wait_to_finish(), ["tom"])


func test_a_packed_scene_keeps_memory_area_and_config() -> void:
	var path := "user://mira.tscn"
	var file: FileAccess = FileAccess.open(path, FileAccess.WRITE)
	file.store_string(SCENE.replace("PATHS", PATHS))
	file.close()
	for round: int in 2:
		var packed: PackedScene = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
		var scene: Node = packed.instantiate()
		var mind: NPCMind = scene.get_node("Mind")
		check_equal(mind.memory, scene.get_node("Brain/Memory"))
		check_equal(mind.proximity_area, scene.get_node("Area"))
		check_equal(mind.config.friendly_from, 55.0)
		# Right after loading, before it is in the tree.
		var felt: Dictionary = mind.perceive({"action": "bowed", "source_id": "round %d" % round})
		check_equal(felt.disposition.feeling, "friendly")
		check_equal(mind.get_dispositions().size(), round + 1)
		_room += FAR
		_place(scene, 0.0, true)
		add_child(scene)
		check_equal(Array(mind.get_nearby()), [])
		_body("CharacterBody2D", 10.0, "tom of round %d" % round)
		await _steps()
		await _check_near(mind, ["tom of round %d" % round])
		var again: PackedScene = PackedScene.new()
		check_equal(again.pack(scene), OK)
		path = "user://mira_again.tscn"
		check_equal(ResourceSaver.save(again, path), OK)
		scene.free()
	var text: String = FileAccess.get_file_as_string(path)
	check_contains(text, 'memory = NodePath("../Brain/Memory")')
	check_contains(text, 'proximity_area = NodePath("../Area")')
	check_contains(text, 'type="NPCMindConfig"')
