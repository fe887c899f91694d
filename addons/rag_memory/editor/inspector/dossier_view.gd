@tool
extends "res://addons/rag_memory/editor/inspector/text_rows.gd"
## The sections of a dossier: their text, how much of its budget that takes, and what was left out.

const _TEXT := "What the language model reads in this section, word for word"
const REASONS: Dictionary[String, String] = {
	"budget": "no room in the section",
	"duplicate": "something else says it",
	"out_ranked": "others fit better",
	"unknown_to_npc": "the NPC cannot know of it",
	"expired": "it is over",
	"secret": "not for everybody who is present",
}


## Shows what [method RAGMemory.build_dossier] returned. What was left out may have a
## [code]text[/code], which is shown in place of its id.
func show_dossier(dossier: Dictionary) -> void:
	clear()
	for section: String in dossier.sections:
		var details: Dictionary = dossier.sections[section]
		var sources: Array = dossier.sources.get(section, [])
		_add_section(section, details, sources)
	for entry: Dictionary in dossier.left_out:
		var reason: String = REASONS.get(entry.reason, entry.reason)
		var details := [entry.section, reason, entry.get("text", entry.id)]
		add_note('Left out of %s (%s): "%s"' % details).tooltip_text = entry.id
	show()


func _add_section(section: String, details: Dictionary, sources: Array) -> void:
	var caption := PackedStringArray(
		[section.capitalize(), "%d of %d tokens" % [details.tokens, details.budget]]
	)
	if not sources.is_empty():
		caption.append("1 source" if sources.size() == 1 else "%d sources" % sources.size())
	var origin := "What the section takes of its budget, and the ids of what is in it"
	var tooltip := "\n".join(PackedStringArray([origin] + sources))
	add_note(" · ".join(caption)).tooltip_text = tooltip
	var bar := ProgressBar.new()
	bar.show_percentage = false
	bar.max_value = maxf(details.budget, 1.0)
	bar.value = details.tokens
	bar.tooltip_text = tooltip
	add_child(bar)
	if details.text:
		add_text(details.text as String).tooltip_text = _TEXT
	add_child(HSeparator.new())
