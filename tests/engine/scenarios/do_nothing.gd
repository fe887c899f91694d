# A game with the addon that never uses it.
extends "scenario.gd"


func play() -> void:
	var memory := RAGMemory.new()
	memory.config = MemoryConfig.new()
	memory.free()
	say("state", MemoryServer.health()["state"])
