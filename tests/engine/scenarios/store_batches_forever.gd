# Stores one long batch after the other until it is killed.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	var winter := 0
	while true:
		await memory.store_batch_async(sentences(5000, winter)).completed
		winter += 1
