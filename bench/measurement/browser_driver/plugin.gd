@tool
extends EditorPlugin
# Once the editor has scanned the project, plays bench/measurement/browse_save.gd. Nothing here
# awaits: the first scan reloads this script.

const _QUIET_FRAMES := 10

var _quiet_frames := 0


func _process(_delta: float) -> void:
	if EditorInterface.get_resource_filesystem().is_scanning():
		_quiet_frames = 0
		return
	_quiet_frames += 1
	if _quiet_frames == _QUIET_FRAMES:
		var script: GDScript = load("res://bench/measurement/browse_save.gd")
		var measurement: Node = script.new()
		add_child(measurement)
		measurement.call_deferred(&"measure")
