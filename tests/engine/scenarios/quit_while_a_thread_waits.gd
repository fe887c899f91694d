# Quits while a thread of the game is blocked in a call that the test has held up.
extends "scenario.gd"

var _thread := Thread.new()


func play() -> void:
	await MemoryServer.preload().completed
	var memory := make_memory("elena")
	_thread.start(func() -> int: return memory.store_batch(sentences(200)).size())
	await held(1)
	say("waiting", _thread.is_alive())
	release(1)


func _finalize() -> void:
	listener.say(_thread.wait_to_finish(), "stored")
