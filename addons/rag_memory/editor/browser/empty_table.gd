@tool
extends RefCounted
## The sentence in the table of memories while it has no rows, and the button for what to do next.

const RAGFilterBar := preload("res://addons/rag_memory/editor/browser/filter_bar.gd")
const RAGNpcList := preload("res://addons/rag_memory/editor/browser/npc_list.gd")

const ADD := "Add memory …"
const CLEAR := "Clear the filters"
const _NO_NPC := "Choose an NPC on the left."
const _NOBODY := (
	"No NPC of this save remembers anything yet. Play the game, drop a file with memories here, or "
	+ "add one."
)
const _NO_MEMORIES := "%s remembers nothing yet. Play the game, or add a memory."
const _NO_ARCHIVE := "Nothing is archived. Replaced, edited and merged memories appear here."
const _NO_MATCH := "No memory matches the search and the filters."


## Returns the sentence and the caption of the button, "" for no button, in an open save.
static func words(npcs: RAGNpcList, filters: RAGFilterBar) -> PackedStringArray:
	if not npcs.npc_id:
		return [_NOBODY, ADD] if npcs.npc_ids().is_empty() else [_NO_NPC, ""]
	if not filters.is_empty():
		return [_NO_MATCH, CLEAR]
	return [_NO_ARCHIVE, ""] if filters.is_archive() else [_NO_MEMORIES % npcs.npc_id, ADD]
