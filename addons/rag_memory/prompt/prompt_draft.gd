extends RefCounted
## One prompt while it is put together; ContextBuilder.build() makes it.

const ConversationTurn := preload("res://addons/rag_memory/prompt/conversation_turn.gd")
const InitialRelationship := preload("res://addons/rag_memory/prompt/initial_relationship.gd")
const PlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const PromptOptions := preload("res://addons/rag_memory/prompt/prompt_options.gd")
const PromptSection := preload("res://addons/rag_memory/prompt/prompt_section.gd")
const Wording := preload("res://addons/rag_memory/prompt/wording.gd")

## Sections in the order of the prompt. The user's message starts at FIRST_OF_USER.
const SECTIONS: Array[String] = [
	"identity",
	"relationship",
	"secrets",
	"world_facts",
	"memories",
	"interaction_types",
	"response_schema",
	"recent_turns",
	"player_input",
]
const FIRST_OF_USER := "recent_turns"
## Sections that a total budget serves first, in this order. Those after the first are of no use
## when they are cut.
const _FIXED: Array[String] = ["player_input", "response_schema", "interaction_types"]
const _MOST_EVENTS := 5
const _LONGEST_NAME := 40
const _SECONDS_PER_DAY := 86400.0
const _DIMENSIONS: Array[String] = ["trust", "affection", "fear", "respect", "familiarity"]

var memory: RAGMemory
var config: MemoryConfig
## The player's line, harmless.
var question: String
var header: Dictionary = {}
var problem := ""

var _npc: Object
var _options: Dictionary
var _budgets: Dictionary[String, int] = {}
var _sections: Dictionary[String, PromptSection] = {}
var _secrets: Array[Dictionary] = []
var _memories: Array[Dictionary] = []


func _init(npc: Object, player_input: String, options: Dictionary, budgets: Dictionary) -> void:
	_npc = npc
	_options = options
	memory = memory_of(npc)
	if memory == null:
		problem = (
			"ContextBuilder needs an NPC with a memory: pass a RAGMemory, or a node that has one as a"
			+ " child or in its property memory."
		)
		return
	problem = PromptOptions.problem_of("build()", options)
	if not problem:
		var turns: Variant = PromptOptions.given(npc, options, "recent_turns")
		problem = ConversationTurn.problem_of(turns)
	if problem:
		return
	config = config_of(npc, options)
	for word: String in Wording.replaced(config, ["turn_of_player", "turn_of_npc"]):
		PlayerText.know_role(word)
	question = PlayerText.clean(player_input)
	_budgets.assign(budgets)
	_change_budgets()


## The RAGMemory of an NPC: the object itself, its property `memory`, or its first such child.
static func memory_of(npc: Object) -> RAGMemory:
	if npc == null or npc is RAGMemory:
		return npc as RAGMemory
	if npc.get(&"memory") is RAGMemory:
		return npc.get(&"memory")
	if npc is Node:
		for child: Node in (npc as Node).get_children():
			if child is RAGMemory:
				return child
	return null


static func config_of(npc: Object, options: Dictionary) -> MemoryConfig:
	var given_config: MemoryConfig = options.get("config")
	if given_config == null:
		given_config = memory_of(npc).config
	return given_config if given_config != null else MemoryConfig.new()


## Tells the memory how the personality stands to a player she has never met. Values of a wrong type
## are left out.
static func tell_initial_relationship(npc: Object, options: Dictionary) -> void:
	var personality: NPCPersonality = PromptOptions.given(npc, options, "personality")
	if personality == null:
		return
	var relationship := personality.initial_relationship
	var problems := InitialRelationship.problems_in(relationship)
	if not problems.is_empty():
		var sentences := " ".join(PackedStringArray(problems.values()))
		push_warning("The personality of %s: %s" % [memory_of(npc).npc_id, sentences])
		relationship = relationship.duplicate()
		for key: Variant in problems:
			relationship.erase(key)
	memory_of(npc).set_initial_relationship(relationship)


## The five numbers of a relationship header; empty when the memory is none.
static func relationship_in(header_memory: Dictionary) -> Dictionary:
	var numbers: Dictionary = header_memory.get("metadata", {}).get("relationship", {})
	var relationship := {}
	for dimension: String in _DIMENSIONS:
		if numbers.has(dimension):
			relationship[dimension] = numbers[dimension]
	return relationship


## Tells the memory the initial relationship of the personality and the relationship of the options,
## which the header of the next answers shows.
func tell_relationship() -> void:
	tell_initial_relationship(_npc, _options)
	var relationship: Variant = PromptOptions.given(_npc, _options, "relationship")
	if relationship is Dictionary:
		memory.set_relationship_state(relationship as Dictionary)


## The token budget for the texts of the memories; 0 when the section has no room at all.
func memory_budget() -> int:
	return _budgets["memories"]


## `interaction_types`: what MemoryConfig.get_interaction_type_constraint_prompt() says.
func result(recalled: Array, interaction_types: String) -> Dictionary:
	_write(recalled, interaction_types)
	var total: int = PromptOptions.whole_number(_options.get("token_budget"), -1)
	if total >= 0 and _total_tokens() > total:
		_limit_total(total)
		_write(recalled, interaction_types)
	for name: String in _FIXED.slice(1):
		if _sections[name].is_empty():
			push_warning(
				(
					"The section %s does not fit into its budget of %d tokens; the prompt has none of it."
					% [name, _sections[name].budget]
				)
			)
	return _assembled()


func _change_budgets() -> void:
	var changed: Variant = _options.get("budgets")
	if changed == null:
		return
	for name: Variant in changed:
		if not _budgets.has(name):
			problem = (
				"The prompt has no section %s. The sections are %s."
				% [name, ", ".join(PackedStringArray(SECTIONS))]
			)
			return
		_budgets[name] = maxi(0, PromptOptions.whole_number(changed[name], 0))


func _write(recalled: Array, interaction_types: String) -> void:
	_secrets.clear()
	_memories.clear()
	for name: String in SECTIONS:
		_sections[name] = PromptSection.new(_told("title_" + name), _budgets[name])
	var personality: NPCPersonality = PromptOptions.given(_npc, _options, "personality")
	_write_identity(personality)
	_write_relationship()
	_write_secrets(personality)
	_write_world()
	_write_memories(recalled)
	_sections["interaction_types"].add(interaction_types)
	_sections["response_schema"].add(_schema())
	_sections["recent_turns"].add_newest(_turn_lines(personality))
	_sections["player_input"].add_shortened('%s: "%s' % [_told("turn_of_player"), question], '"')


## Budgets that together are not more than `total`, from what the sections need within their own:
## first the fixed ones, then the others, of which the small ones are whole before the large ones
## share the rest evenly.
func _limit_total(total: int) -> void:
	var left := total
	for name: String in _FIXED:
		var need := _sections[name].tokens()
		_budgets[name] = mini(need, left) if name == _FIXED[0] or need <= left else 0
		left -= _budgets[name]
	var others := SECTIONS.filter(func(name: String) -> bool: return not name in _FIXED)
	others.sort_custom(
		func(one: String, other: String) -> bool:
			return _sections[one].tokens() < _sections[other].tokens()
	)
	for index: int in others.size():
		var name: String = others[index]
		var even_share := floori(left / float(others.size() - index))
		_budgets[name] = mini(_sections[name].tokens(), even_share)
		left -= _budgets[name]


func _total_tokens() -> int:
	var total := 0
	for name: String in SECTIONS:
		total += _sections[name].tokens()
	return total


func _write_identity(personality: NPCPersonality) -> void:
	var section := _sections["identity"]
	var titles := {}
	for name: String in ["memories", "recent_turns", "player_input"] as Array[String]:
		titles[name] = _told("title_" + name)
	section.add(_told("ground_rule", titles))
	if personality == null:
		section.add(_told("you_are", {"name": PlayerText.clean(memory.npc_id)}))
		return
	for line: String in personality.get_identity_lines(config):
		section.add(line)


func _write_relationship() -> void:
	if not relationship_in(header).is_empty():
		_sections["relationship"].add(_told("you_and_player", {"header": header["document"]}))


func _write_secrets(personality: NPCPersonality) -> void:
	if personality == null:
		return
	var relationship: Variant = PromptOptions.given(_npc, _options, "relationship")
	if not relationship is Dictionary:
		relationship = relationship_in(header)
	var section := _sections["secrets"]
	var intro := _told("unlocked_secrets")
	for secret: Dictionary in personality.get_unlocked_secrets(relationship as Dictionary):
		var line := "- " + PlayerText.clean(secret["secret"] as String)
		if section.is_empty():
			line = intro + "\n" + line
		if section.add(line):
			_secrets.append(secret)


func _write_world() -> void:
	var section := _sections["world_facts"]
	var world: WorldKnowledge = PromptOptions.given(_npc, _options, "world_knowledge")
	if world != null:
		var people := PackedStringArray(world.npc_names.values().map(PlayerText.clean))
		if not people.is_empty():
			section.add(_told("people", {"names": ", ".join(people)}))
		for fact: String in world.get_facts_for(memory.npc_id, question):
			section.add("- " + PlayerText.clean(fact))
	var events: WorldEvents = PromptOptions.given(_npc, _options, "world_events")
	if events != null:
		var known := events.get_events({"known_to": memory.npc_id})
		for event: Dictionary in known.slice(-_MOST_EVENTS):
			var happened := PlayerText.clean(event["description"] as String)
			section.add("- " + _told("happened", {"event": happened}))


func _write_memories(recalled: Array) -> void:
	var section := _sections["memories"]
	var now: float = header.get("metadata", {}).get("timestamp", 0.0)
	for each: Dictionary in recalled:
		if each["id"] == memory.npc_id + "_relationship_header":
			continue
		var prefix := "- (%s) " % _age(now - (each["metadata"]["timestamp"] as float))
		if each["metadata"].get("superseded_by", ""):
			prefix += "(%s) " % _told("no_longer_holds")
		var line := prefix + PlayerText.clean(each["rendered_text"] as String)
		if not section.fits(line):
			line = prefix + PlayerText.clean(each["document_short"] as String)
		var is_taken := section.add_shortened(line) if each["protected"] else section.add(line)
		if is_taken:
			_memories.append(each)


func _turn_lines(personality: NPCPersonality) -> PackedStringArray:
	var own_names := ConversationTurn.NPC_SPEAKERS.duplicate()
	own_names.append(memory.npc_id.to_lower())
	if personality != null:
		own_names.append(personality.npc_id.to_lower())
		own_names.append(personality.display_name.to_lower())
	var lines := PackedStringArray()
	var turns: Variant = PromptOptions.given(_npc, _options, "recent_turns")
	if turns is Array or turns is PackedStringArray:
		for turn: Variant in turns:
			lines.append(_turn_line(turn, own_names))
	return lines


func _assembled() -> Dictionary:
	var total := _total_tokens()
	var sections := {}
	var system := PackedStringArray()
	var user := PackedStringArray()
	var is_user := false
	for name: String in SECTIONS:
		is_user = is_user or name == FIRST_OF_USER
		var section := _sections[name]
		sections[name] = {
			"text": section.text(),
			"tokens": section.tokens(),
			"budget": section.budget,
			"share": section.tokens() / float(maxi(1, total)),
			"dropped": section.dropped,
		}
		if not section.is_empty():
			(user if is_user else system).append(section.text())
	return {
		"prompt": "\n\n".join(system + user),
		"system": "\n\n".join(system),
		"user": "\n\n".join(user),
		"sections": sections,
		"total_tokens": total,
		"memories": _memories.duplicate(),
		"secrets": _secrets.duplicate(),
		"player_input": question,
	}


func _schema() -> String:
	var limits := {}
	for dimension: String in _DIMENSIONS:
		limits[dimension] = config.get("max_%s_change" % dimension)
	return _told("response_schema", limits)


func _told(key: String, values: Dictionary = {}) -> String:
	return Wording.told(config, key, values)


func _turn_line(turn: Variant, own_names: Array[String]) -> String:
	var speaker := ConversationTurn.speaker_of(turn)
	var text := ConversationTurn.text_of(turn)
	var name := PlayerText.shortened(PlayerText.clean(speaker), _LONGEST_NAME)
	# Cleaned once more with its colon, which the name of another role loses.
	var start := PlayerText.clean((name if name else _told("turn_of_somebody")) + ":")
	if speaker.to_lower() in ConversationTurn.PLAYER_SPEAKERS:
		start = _told("turn_of_player") + ":"
	elif name and speaker.to_lower() in own_names:
		start = _told("turn_of_npc") + ":"
	return '%s "%s"' % [start, PlayerText.clean(text)]


func _age(seconds: float) -> String:
	var days := floori(maxf(0.0, seconds) / _SECONDS_PER_DAY)
	match days:
		0:
			return _told("today")
		1:
			return _told("yesterday")
		_:
			return _told("days_ago", {"count": days})
