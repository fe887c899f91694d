@tool
# The base of the scripts that tests/engine/editor/test_*.py let the editor driver play: says what
# happened, line by line.
extends Node

const PLUGIN := "res://addons/rag_memory/plugin.cfg"

var arguments := OS.get_cmdline_user_args().slice(1)


func play_to_the_end() -> void:
	var tree := get_tree()
	await play()
	queue_free()
	tree.quit.call_deferred()


# What the scenario does; it may await.
func play() -> void:
	pass


# Prints a line that the test reads.
func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


func frames(count: int) -> void:
	for frame in count:
		await get_tree().process_frame
