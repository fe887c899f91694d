@tool
# Does what docs/quick_start.md tells: waits for the addon's folder, enables the plugin, builds the
# scene with the document's script, and plays it until the file "stop" is there.
#
# It takes a step each time it may and never awaits: the scan that finds the addon reloads this
# script, and what awaits then never goes on.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const SCENE := "res://mira.tscn"
const SCRIPT := "res://mira.gd"
const STOP := "res://stop"
const QUIET_FRAMES := 20

var _step := -1
var _quiet_frames := 0


func play_to_the_end() -> void:
	say("waiting", not FileAccess.file_exists(PLUGIN))
	_step = 0


func _process(_delta: float) -> void:
	var files := EditorInterface.get_resource_filesystem()
	if _step == 0 and FileAccess.file_exists(PLUGIN):
		if not ClassDB.class_exists(&"RAGMemory"):
			files.scan()
		_step = 1
	elif _step == 1 and _is_quiet(ClassDB.class_exists(&"RAGMemory") and not files.is_scanning()):
		EditorInterface.set_plugin_enabled(PLUGIN, true)
		_step = 2
	elif _step == 2 and EditorInterface.is_plugin_enabled(PLUGIN):
		say("saved", _save_scene())
		EditorInterface.open_scene_from_path(SCENE)
		_step = 3
	elif _step == 3:
		EditorInterface.play_custom_scene(SCENE)
		_step = 4
	elif _step == 4 and FileAccess.file_exists(STOP):
		EditorInterface.stop_playing_scene()
		get_tree().quit()
		_step = 5


# In the frame in which the editor loads the extension, scripts take MemoryServer for the class, not
# for the singleton. Nobody is quick enough to enable the plugin in it.
func _is_quiet(condition: bool) -> bool:
	_quiet_frames = _quiet_frames + 1 if condition else 0
	return _quiet_frames > QUIET_FRAMES


func _save_scene() -> int:
	var mira := Node.new()
	mira.name = "Mira"
	var memory: Node = ClassDB.instantiate(&"RAGMemory")
	memory.name = "RAGMemory"
	memory.set(&"npc_id", "mira")
	mira.add_child(memory)
	memory.owner = mira
	mira.set_script(load(SCRIPT))
	var scene := PackedScene.new()
	scene.pack(mira)
	mira.free()
	return ResourceSaver.save(scene, SCENE)
