@tool
extends "res://addons/rag_memory/editor/inspector/text_rows.gd"
## What a dossier has in each section, how much of its budget that takes, and what was left out.

const REASONS: Dictionary[String, String] = {
	"budget": "There is no room for it in its section.",
	"duplicate": "Something else says it already.",
	"out_ranked": "Others fit better.",
	"unknown_to_npc": "The NPC cannot know of it.",
	"expired": "It is over.",
	"secret": "Not everybody who is present may hear of it.",
}


## Shows what [method RAGMemory.build_dossier] returned. What was left out may have a
## [code]text[/code], which is shown in place of its id.
func show_dossier(dossier: Dictionary) -> void:
	clear()
	for section: String in dossier.sections:
		var told: Dictionary = dossier.sections[section]
		var sources: Array = dossier.sources.get(section, [])
		_add_section(section, told, sources)
	for each: Dictionary in dossier.left_out:
		var reason: String = REASONS.get(each.reason, each.reason)
		var told := [each.section, each.get("text", each.id), reason]
		add_note('Left out of %s: "%s". %s' % told).tooltip_text = each.id
	show()


func _add_section(section: String, told: Dictionary, sources: Array) -> void:
	var caption := PackedStringArray(
		[section.capitalize(), "%d of %d tokens" % [told.tokens, told.budget]]
	)
	if not sources.is_empty():
		caption.append("1 source" if sources.size() == 1 else "%d sources" % sources.size())
	add_note(" · ".join(caption)).tooltip_text = "\n".join(PackedStringArray(sources))
	var bar := ProgressBar.new()
	bar.show_percentage = false
	bar.max_value = maxf(told.budget, 1.0)
	bar.value = told.tokens
	add_child(bar)
	if told.text:
		add_text(told.text as String)
	add_child(HSeparator.new())
