# The village, played by somebody else. Says how it stands whenever that changes, and where on the
# screen what can be clicked is. It names no class of the addon, so that it runs without it.
extends Node

const VILLAGE := "res://demo/village/play.tscn"
const SECONDS_BETWEEN := 0.1

var _said := ""
var _chunks := 0
var _answers := 0


func _ready() -> void:
	var played: Node = (load(VILLAGE) as PackedScene).instantiate()
	add_child(played)
	for villager in get_tree().get_nodes_in_group(&"villagers"):
		villager.dialogue.chunk.connect(func(_text: String) -> void: _chunks += 1)
		villager.dialogue.finished.connect(func(_answer: Dictionary) -> void: _answers += 1)
	while true:
		var state := JSON.stringify(_state(played))
		if state != _said:
			_said = state
			print("@state ", state)
		await get_tree().create_timer(SECONDS_BETWEEN).timeout


func _state(played: Node) -> Dictionary:
	if not played.has_node("Village"):
		return {"ready": false, "message": played.get_node("Problem").text}
	var village := played.get_node("Village")
	var player: Node2D = village.get_node("%Player")
	var answer: Dictionary = village.last_answer
	return {
		"ready": village.is_ready(),
		"message": village.get_node("%Status/%Message").text,
		"is_told": village.get_node("%Status/%Below").modulate.a > 0.0,
		"hint": village.get_node("%Talk/%Hint").text,
		"date": village.get_node("%Status/%Date").text.left(6),
		"partner": village.partner.memory.npc_id if village.partner else "",
		"talk": village.get_node("%Talk/%History").get_parsed_text(),
		"title": village.get_node("%Talk/%Title").text,
		"line": village.get_node("%Talk/%Line").text,
		"panel": _texts(village.get_node("%Memories")),
		"scrolled": roundi(village.get_node("%Talk/%History").get_v_scroll_bar().value),
		"is_shown_whole": village.get_node("%Talk").is_shown_whole(),
		"prompt": village.get_node("%Prompt").visible,
		"console": village.get_node("MemoryDebugConsole").visible,
		"from_memory": answer.get("from_memory"),
		"response": answer.get("response"),
		"chunks": _chunks,
		"answers": _answers,
		"player": [roundi(player.position.x), roundi(player.position.y)],
		"walks": player.get_node("Figure").is_walking,
		"places": _places(village),
		"cut": _cut(village),
	}


func _texts(panel: Node) -> String:
	var labels := panel.find_children("*", "Label", true, false)
	var shown := labels.filter(func(each: Label) -> bool: return each.is_visible_in_tree())
	return "\n".join(shown.map(func(each: Label) -> String: return each.text))


# The middles of the visible buttons by their text, and of the villagers by their id.
func _places(village: Node) -> Dictionary:
	var places := {}
	for button: Button in village.find_children("*", "Button", true, false):
		if button.is_visible_in_tree():
			places[button.text] = _whole(button.get_global_rect().get_center())
	for villager: Node2D in get_tree().get_nodes_in_group(&"villagers"):
		if villager.visible:
			var middle := villager.get_global_transform_with_canvas().origin - Vector2(0, 16)
			places[villager.memory.npc_id] = _whole(middle)
	return places


# The texts of labels and buttons that have less room than they need, or leave the window.
func _cut(village: Node) -> Array[String]:
	var cut: Array[String] = []
	var window := Rect2(Vector2.ZERO, get_viewport().get_visible_rect().size)
	for control: Control in village.get_node("Screen").find_children("*", "Control", true, false):
		if not (control is Label or control is Button) or not control.is_visible_in_tree():
			continue
		var is_scrolled := village.get_node("%Memories/%Scroll").is_ancestor_of(control) as bool
		var needed := control.get_combined_minimum_size()
		var is_narrow := control.size.x + 0.5 < needed.x or control.size.y + 0.5 < needed.y
		var lines := control as Label
		var is_short := lines != null and lines.get_visible_line_count() < lines.get_line_count()
		if is_narrow or is_short or not (is_scrolled or window.encloses(control.get_global_rect())):
			cut.append(control.text)
	for panel: Control in [village.get_node("%Talk"), village.get_node("%Status")]:
		if panel.get_global_rect().intersects(village.get_node("%Memories").get_global_rect()):
			cut.append(panel.name)
	return cut


func _whole(point: Vector2) -> Array:
	return [roundi(point.x), roundi(point.y)]
