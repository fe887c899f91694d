# Quits while an embedding model of the game computes, longer than quitting waits for the core.
extends "res://tests/engine/scenarios/scenario.gd"

const LONG_MSEC := 12_000


class Slow:
	extends MemoryEmbeddingModel

	static var is_slow := false
	static var computes := false

	func embed(texts: PackedStringArray) -> Variant:
		var vectors: Array[PackedFloat32Array] = []
		if is_slow:
			computes = true
			var end := Time.get_ticks_msec() + LONG_MSEC
			while Time.get_ticks_msec() < end:
				OS.delay_msec(1)
		for text: String in texts:
			vectors.append(PackedFloat32Array([text.length(), 1.0]))
		return vectors


func play() -> void:
	MemoryServer.embedding_model = Slow.new()
	MemoryServer.open_save("default")
	Slow.is_slow = true
	make_memory("elena").store_async("A dragon burned the barn.")
	while not Slow.computes:
		await process_frame
	say("computes", true)
