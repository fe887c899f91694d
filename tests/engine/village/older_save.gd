# A game that was saved before the village had a goal goes on: says which events it has then.
extends Node

const Goal := preload("res://demo/village/goal.gd")


func _ready() -> void:
	MemoryServer.open_save("older")
	var goal := Goal.new()
	add_child(goal)
	goal.resume()
	await goal.changed
	var request := MemoryWorld.get_events_async()
	var events: Array = await request.completed
	var ids := events.map(func(event: Dictionary) -> String: return event["id"])
	print("@events ", JSON.stringify(ids))
	get_tree().quit()
