@tool
extends Tree
## The NPCs of a running game: how often each was called, and below it what it feels.

const _COLORS: Dictionary[String, StringName] = {
	"friendly": &"success_color", "hostile": &"error_color"
}


## Shows NPCs as [code]debug/live_report.gd[/code] sends them. Rows that stay keep their place on
## the screen.
func show_npcs(npcs: Array) -> void:
	var root := get_root() if get_root() != null else create_item()
	for index in npcs.size():
		var npc: Dictionary = npcs[index]
		var item := _child(root, index)
		var failed: int = npc.get("failed", 0)
		item.set_text(0, npc.npc_id if npc.npc_id else "(no npc_id)")
		item.set_tooltip_text(0, npc.path)
		item.set_text(1, str(npc.get("calls", 0)) + (" (%d failed)" % failed if failed > 0 else ""))
		item.set_text(2, "%.1f ms" % npc.latency_ms if npc.has("calls") else "–")
		_show_mind(item, npc)
	_trim(root, npcs.size())


func _show_mind(item: TreeItem, npc: Dictionary) -> void:
	var feelings: Array = npc.get("feelings", [])
	if not npc.has("mood"):
		_trim(item, 0)
		return
	_show_line(_child(item, 0), "Mood: %s" % npc.mood, "")
	for index in feelings.size():
		var feeling: Array = feelings[index]
		_show_line(_child(item, index + 1), feeling[0] as String, feeling[1] as String)
	_trim(item, feelings.size() + 1)


func _show_line(item: TreeItem, text: String, feeling: String) -> void:
	item.set_text(0, text)
	item.set_tooltip_text(0, text)
	item.set_expand_right(0, true)
	var color := get_theme_color(&"font_color", &"Tree")
	if _COLORS.has(feeling):
		# Towards the colour of text, which stands out on any theme.
		color = get_theme_color(_COLORS[feeling], &"Editor").lerp(color, 0.25)
	item.set_custom_color(0, color)


func _child(of: TreeItem, index: int) -> TreeItem:
	return of.get_child(index) if index < of.get_child_count() else create_item(of)


func _trim(item: TreeItem, count: int) -> void:
	while item.get_child_count() > count:
		item.get_child(count).free()
