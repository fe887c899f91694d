@tool
# Says what the Scene dock warns of, for minds of an edited scene.
extends "res://tests/engine/editor/scenarios/warnings.gd"


func play() -> void:
	EditorInterface.open_scene_from_path(SCENE)
	await frames(5)
	var root := EditorInterface.get_edited_scene_root()
	var mind: NPCMind = root.get_node("Elena/Mind")
	await _say_warnings("fine", mind)
	var lonely: NPCMind = root.get_node("Inn/Lonely")
	await _say_warnings("lonely", lonely)
	lonely.memory = root.get_node("Elena")
	await _say_warnings("memory_set", lonely)
	lonely.proximity_area = root.get_node("Inn/Place")
	await _say_warnings("no_area", lonely)
	lonely.proximity_area = root.get_node("Inn/Area")
	await _say_warnings("area", lonely)
	lonely.memory = null
	await _say_warnings("lonely_again", lonely)
	lonely.reparent(root)
	await _say_warnings("moved", lonely)
	mind.config = NPCMindConfig.new()
	mind.config.emotion_intensity = 200.0
	mind.config.encoding_rules = [{"action": "waved", "kind": "gesture"}] as Array[Dictionary]
	await _say_warnings("broken_config", mind)
	mind.config = NPCMindConfig.new()
	await _say_warnings("new_config", mind)
	say("state", MemoryServer.health()["state"])
