# Says what the project settings make of a game that calls nothing before it is told to.
extends "res://tests/engine/scenarios/scenario.gd"


func play() -> void:
	say("state", MemoryServer.get_activity()["state"])
	var memory := make_memory("elena")
	say("stored", memory.store("Rowan promised to mend the roof.", 10))
	say("recalled", memory.retrieve_scored("roof")[1]["breakdown"]["tier_weight"])
	memory.config = MemoryConfig.new()
	say("own_config", memory.retrieve_scored("roof")[1]["breakdown"]["tier_weight"])
	var health := MemoryServer.health()
	say("folder", health["saves_folder"])
	say("vector_index", health["save"]["vector_index"])
	say("has_loaded_a_model", "onnxruntime" in health["versions"] or "model" in health)
