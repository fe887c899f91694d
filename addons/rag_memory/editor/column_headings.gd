@tool
extends RefCounted
## The headings of the panels' tables, and the tooltip that says what a column means.

const _MEANINGS: Dictionary[String, String] = {
	"When": "When it happened, by the game's clock",
	"Tier": "How firmly it is kept in mind: pinned, important or regular",
	"Imp.": "Importance, 1 to 10: how much it mattered",
	"Event": "What happened; in the list of memories, your game's word for the kind of event",
	"Memory": "What the NPC remembers. The tooltip of a row has the whole text.",
	"Similar": "How close the memory's meaning is to what you search, 0 to 1",
	"Archived": "When it was archived",
	"Why": "Why it was archived",
	"Where": "Where it happened",
	"Who learns of it": "Who gets to know of the event",
	"Rumor": "What is said",
	"How sure": "How much the rumor is believed, in percent",
	"Due": "Until when",
	"Task": "What is to be done",
	"Whose": "Who has to do it",
	"Status": "How far the task is",
	"Matter": "What is open: a promise, a debt, an appointment, a threat, a question or a task",
	"Between": "Who has to do something, and for whom",
	"State": "How it stands now",
	"Id": "By which name your game asks for it",
	"Fact": "What is true in the world",
	"About": "The topics of the fact",
	"Who knows it": "Who may speak of the fact",
	"Flag": "A switch of the game, set with MemoryWorld.set_flags()",
	"Value": "What the flag is set to",
	"Source": "The file that the text comes from",
	"Chunks": "Into how many pieces the file is cut; each is searched by itself",
	"Words": "How many words the file has",
	"Relevance": "How well it fits the question, 0 to 1",
	"Heading": "The heading above the text in its file",
	"NPC": "Whose memory it is",
	"Call": "What the game asked of the memory",
	"Calls": "How many calls the game has made for the NPC",
	"Last": "How long the last call of the NPC took",
	"Latency": "How long the game waited for the answer, in milliseconds: wait and work",
	"Wait": "How long the call waited for earlier ones, in milliseconds",
	"Work": "How long the answer took to make, in milliseconds",
	"Result": "What the call returned, or its error",
}


## Sets the heading of a column; [param more] stands behind it.
static func set_heading(tree: Tree, column: int, title: String, more := "") -> void:
	tree.set_column_title(column, title + more)
	tree.set_column_title_alignment(column, HORIZONTAL_ALIGNMENT_LEFT)
	if tree.has_method(&"set_column_title_tooltip_text"):  # new in Godot 4.5
		tree.call(&"set_column_title_tooltip_text", column, _MEANINGS.get(title, ""))
