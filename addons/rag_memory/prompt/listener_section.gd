extends RefCounted
## The feelings of an NPC towards those who listen: the section listeners of a prompt.

const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGPromptOptions := preload("res://addons/rag_memory/prompt/prompt_options.gd")
const RAGPromptSection := preload("res://addons/rag_memory/prompt/prompt_section.gd")
const _LISTENER := "- "
const _DETAIL := "  "
const _PLAYER := "player"

var problem := ""
var mind: NPCMind
var ids: PackedStringArray
## The result of NPCMind.build_listener_context().
var context: Dictionary = {}


func _init(npc: Object, memory: RAGMemory, options: Dictionary) -> void:
	var option: Variant = RAGPromptOptions.given(npc, options, "listeners")
	if option != null:
		ids = PackedStringArray(Array(option))
	if ids.is_empty():
		return
	mind = RAGPromptOptions.given(npc, options, "mind")
	if mind == null:
		mind = RAGNearNodes.mind_near(memory)
	if mind == null and options.has("listeners"):
		problem = (
			"The option listeners needs an NPCMind, and %s has none. Add one below her RAGMemory, or"
			+ " pass it as the option mind."
		)
		problem = problem % memory.npc_id
	if mind == null:
		ids.clear()
		return
	var own := RAGNearNodes.memory_of(mind)
	if own != null and own.npc_id != memory.npc_id:
		var words := "The option mind is the mind of %s, but the prompt is for %s."
		problem = words % [own.npc_id, memory.npc_id]


func is_empty() -> bool:
	return ids.is_empty()


## Returns whether everybody who listens, or is near, may hear of a memory.
func may_hear(memory: Dictionary) -> bool:
	var metadata: Dictionary = memory.get("metadata", {})
	if is_empty():
		return memory.get("may_be_told", true)
	if not metadata.get("secret", false):
		return true
	var known_to: Variant = metadata.get("known_to", [])
	var knowing: Array = [metadata.get("source_id", "")]
	if known_to is Array or known_to is PackedStringArray:
		knowing.append_array(Array(known_to))
	# Without an answer of the mind nobody can tell who is near.
	var is_told := context.has("nearby")
	var hearing := Array(ids) + Array(context.get("nearby", []))
	return is_told and hearing.all(func(id: String) -> bool: return id in knowing)


## Writes the lines that fit: first whom she speaks to, then how she feels and what is asked of her,
## then details, of each listener in turns. `of_player`: what is said first when the player listens.
func write(section: RAGPromptSection, of_player: String) -> void:
	var lines := _lines()
	if of_player and _PLAYER in ids:
		lines.insert(0, of_player)
	var order: Array = range(lines.size())
	var ranks := _ranks_of(lines)
	order.sort_custom(
		func(one: int, other: int) -> bool:
			return ranks[one] < ranks[other] or (ranks[one] == ranks[other] and one < other)
	)
	var trial := RAGPromptSection.new(section.title, section.budget)
	var taken: Array[int] = []
	for index: int in order:
		if trial.add(lines[index]):
			taken.append(index)
	taken.sort()
	for index: int in taken:
		section.add(lines[index])
	section.dropped += trial.dropped


## Every line made harmless, without what it begins with: that says what kind of line it is.
func _lines() -> PackedStringArray:
	var lines := PackedStringArray()
	for line: String in str(context.get("text", "")).split("\n", false):
		var start := ""
		for prefix: String in [_LISTENER, _DETAIL]:
			if line.begins_with(prefix):
				start = prefix
		lines.append(start + RAGPlayerText.clean(line.substr(start.length())))
	return lines


func _ranks_of(lines: PackedStringArray) -> Array[int]:
	var ranks: Array[int] = []
	var details := 0
	for line: String in lines:
		details = details + 1 if line.begins_with(_DETAIL) else 0
		ranks.append(0 if line.begins_with(_LISTENER) else 1 + details)
	return ranks
