@tool
extends EditorPlugin
# Plays the script of tests/engine/editor/scenarios/ that is named after -- on the command line,
# once the editor has scanned the project. Nothing here awaits: the first scan reloads this script.

const _QUIET_FRAMES := 10

var _quiet_frames := 0


func _process(_delta: float) -> void:
	if EditorInterface.get_resource_filesystem().is_scanning():
		_quiet_frames = 0
		return
	_quiet_frames += 1
	if _quiet_frames == _QUIET_FRAMES:
		set_process(false)
		var name := OS.get_cmdline_user_args()[0]
		var script: GDScript = load("res://tests/engine/editor/scenarios/%s.gd" % name)
		var scenario: Node = script.new()
		add_child(scenario)
		scenario.call_deferred(&"play_to_the_end")
