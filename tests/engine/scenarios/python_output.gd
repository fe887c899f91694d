# What Python prints and logs while the runtime starts (put into the core by the test).
extends "scenario.gd"


func play() -> void:
	await MemoryServer.preload().completed
	await frames(2)
