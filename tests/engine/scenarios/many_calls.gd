# The same call again and again: says how many kilobytes the process grows by.
extends "scenario.gd"

const CALLS := 20_000


func play() -> void:
	await MemoryServer.open_save_async("many_calls").completed
	_call_often()
	var before: int = _resident_kb()
	_call_often()
	say("grown_kb", _resident_kb() - before)


func _call_often() -> void:
	for number in CALLS:
		MemoryServer.health()


func _resident_kb() -> int:
	var file: FileAccess = FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line: String = file.get_line()
		if line.begins_with("VmRSS:"):
			return line.trim_prefix("VmRSS:").strip_edges().to_int()
	return 0
