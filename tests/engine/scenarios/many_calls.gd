# The same call again and again: says how many kilobytes the process grows by.
extends "scenario.gd"

const CALLS := 20_000


func play() -> void:
	await MemoryServer.open_save_async("many_calls").completed
	_call_often()
	var before: int = resident_memory_kb()
	_call_often()
	say("grown_kb", resident_memory_kb() - before)


func _call_often() -> void:
	for number in CALLS:
		MemoryServer.health()
