extends RefCounted
## One prompt while it is put together; NPCContextBuilder.build() makes it.

## The occasion for the answer: the player's line, or a moment in which the player has said nothing.
enum RAGOccasion { LINE, GREETING, REACTION }

const RAGCalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")
const RAGConversationTurn := preload("res://addons/rag_memory/prompt/conversation_turn.gd")
const RAGDossierLines := preload("res://addons/rag_memory/prompt/dossier_lines.gd")
const RAGInitialRelationship := preload("res://addons/rag_memory/prompt/initial_relationship.gd")
const RAGListenerSection := preload("res://addons/rag_memory/prompt/listener_section.gd")
const MemoryLine := preload("res://addons/rag_memory/prompt/memory_line.gd")
const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGPromptOptions := preload("res://addons/rag_memory/prompt/prompt_options.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")
const RAGPromptSection := preload("res://addons/rag_memory/prompt/prompt_section.gd")
const RAGRelationshipWords := preload("res://addons/rag_memory/prompt/relationship_words.gd")
const RAGWorldLines := preload("res://addons/rag_memory/prompt/world_lines.gd")
const RAGWorldEvents := preload("res://addons/rag_memory/prompt/npc_world_events.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")

## The user's message starts at FIRST_OF_USER. Without a line of the player SITUATION stands in the
## place of the last section.
const FIRST_OF_USER := "recent_turns"
const SITUATION := "situation"
const _PLAYER_INPUT := "player_input"
## Sections that a total budget serves after the last one, in this order. They are of no use when
## they are cut.
const _FIXED: Array[String] = ["response_schema", "interaction_types"]
const _LONGEST_NAME := 40
const _DIMENSIONS: Array[String] = ["trust", "affection", "fear", "respect", "familiarity"]

## Whose identity was found too long. Prompts are made on the main thread.
static var _warned_of := PackedStringArray()

var memory: RAGMemory
var config: MemoryConfig
## The query for memories: the player's line, harmless, or what happens.
var question: String
var header: Dictionary = {}
## The result of RAGMemory.build_dossier(); empty without the option.
var dossier: Dictionary = {}
## The listeners; empty without the option.
var listeners: RAGListenerSection
var problem := ""

var _npc: Object
var _options: Dictionary
var _line: String
var _occasion: RAGOccasion
# The sections in the order of the prompt.
var _names: Array[String] = []
var _last: String
var _player_turn: String
var _own_turn: String
var _turns: Array[PackedStringArray] = []
var _stored_turns: Array[Dictionary] = []
var _budgets: Dictionary[String, int] = {}
var _sections: Dictionary[String, RAGPromptSection] = {}
var _secrets: Array[Dictionary] = []
var _memories: Array[Dictionary] = []


## `said`: the player's line, or what happens.
func _init(
	npc: Object, said: String, options: Dictionary, budgets: Dictionary, occasion: RAGOccasion
) -> void:
	_npc = npc
	_options = options
	_occasion = occasion
	_last = _PLAYER_INPUT if occasion == RAGOccasion.LINE else SITUATION
	_names.assign(budgets.keys())
	_names[-1] = _last
	memory = memory_of(npc)
	if memory == null:
		problem = (
			"NPCContextBuilder needs an NPC with a memory: pass a RAGMemory, or a node that has one as a"
			+ " child or in its property memory."
		)
		return
	problem = RAGPromptOptions.problem_of("build()", options)
	if not problem:
		var turns: Variant = RAGPromptOptions.given(npc, options, "recent_turns")
		problem = RAGConversationTurn.problem_of(turns)
	if problem:
		return
	listeners = RAGListenerSection.new(npc, memory, options)
	problem = listeners.problem
	if problem:
		return
	config = config_of(npc, options)
	for word: String in RAGWording.replaced(config, ["turn_of_player", "turn_of_npc"]):
		RAGPlayerText.know_role(word)
	_player_turn = _wording("turn_of_player") + ":"
	_own_turn = _wording("turn_of_npc") + ":"
	_line = RAGPlayerText.clean(said)
	question = _wording("greeting_question") if occasion == RAGOccasion.GREETING else _line
	_budgets.assign(budgets)
	if _last != _PLAYER_INPUT:
		_budgets[_last] = _budgets[_PLAYER_INPUT]
		_budgets.erase(_PLAYER_INPUT)
	_change_budgets()
	var option: Variant = RAGPromptOptions.given(npc, options, "dossier")
	if option is Dictionary:
		dossier = option


## The RAGMemory of an NPC: the object itself, its property `memory`, or its first such child.
static func memory_of(npc: Object) -> RAGMemory:
	if npc == null or npc is RAGMemory:
		return npc as RAGMemory
	var own: Variant = npc.get(&"memory")
	if is_instance_valid(own) and own is RAGMemory:
		return own
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
	var personality: RAGNPCPersonality = RAGPromptOptions.given(npc, options, "personality")
	if personality == null:
		return
	var relationship := personality.initial_relationship
	if relationship == RAGNPCPersonality.new().initial_relationship:
		relationship = relationship.merged({"yields_to_profile": true})
	var problems := RAGInitialRelationship.problems_in(relationship)
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
	var relationship: Variant = RAGPromptOptions.given(_npc, _options, "relationship")
	if relationship is Dictionary:
		memory.set_relationship_state(relationship as Dictionary)


## The token budget for the texts of the memories; 0 when the section has no room at all.
func memory_budget() -> int:
	return _budgets["memories"]


## Returns what NPCMind.build_listener_context() is asked.
func asked_of_mind() -> Array:
	var section := RAGPromptSection.new(_wording("title_listeners"), _budgets["listeners"])
	return [listeners.ids, question, section.room(), false]


## Returns whether the prompt is made of a dossier.
func has_dossier() -> bool:
	return not dossier.is_empty() or needs_dossier()


## Returns whether RAGMemory.build_dossier() has to be asked.
func needs_dossier() -> bool:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "dossier")
	return option is NPCDossierConfig or (option is bool and option)


## Returns what RAGMemory.build_dossier() is asked.
func asked_of_dossier() -> Array:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "dossier")
	var personality: RAGNPCPersonality = RAGPromptOptions.given(_npc, _options, "personality")
	var scene := RAGDossierLines.scene_of(personality, _state(), _location(), listeners.ids)
	return [question, scene, option if option is NPCDossierConfig else null]


## A section that the game gives no room is not wanted.
func _asked_budget(name: String) -> int:
	var budgets: Dictionary = _options.get("budgets", {})
	return RAGPromptOptions.whole_number(budgets.get(name), -1)


## `interaction_types`: what MemoryConfig.get_interaction_type_constraint_prompt() says.
func result(recalled: Array, interaction_types: String) -> Dictionary:
	if not dossier.is_empty():
		_make_room_for_dossier()
	_write(recalled, interaction_types)
	var total: int = RAGPromptOptions.whole_number(_options.get("token_budget"), -1)
	if total >= 0 and _total_tokens() > total:
		_limit_total(total)
		_write(recalled, interaction_types)
	for name: String in _FIXED:
		if _sections[name].is_empty() and _asked_budget(name) != 0:
			push_warning(
				(
					"The section %s does not fit into its budget of %d tokens; the prompt has none of it."
					% [name, _sections[name].budget]
				)
			)
	_warn_of_lost_identity(total)
	return _assembled()


## Once for each NPC, unless the prompt as a whole was limited.
func _warn_of_lost_identity(total: int) -> void:
	var section := _sections["identity"]
	if total >= 0 or section.dropped + section.cut == 0 or memory.npc_id in _warned_of:
		return
	_warned_of.append(memory.npc_id)
	push_warning(
		(
			(
				"Who %s is does not fit into the section identity: %d lines were cut and %d left out of"
				+ " a prompt with %d tokens for it. Shorten the personality, or set the option"
				+ ' {"budgets": {"identity": ...}}.'
			)
			% [memory.npc_id, section.cut, section.dropped, section.budget]
		)
	)


func _change_budgets() -> void:
	var changed: Variant = _options.get("budgets")
	if changed == null:
		return
	for key: Variant in changed:
		# The same options may serve a prompt without a line of the player.
		var name: Variant = _last if key is String and key == _PLAYER_INPUT else key
		if not _budgets.has(name):
			var words := "The prompt has no section %s. The sections are %s."
			problem = words % [name, ", ".join(PackedStringArray(_names))]
			return
		_budgets[name] = maxi(0, RAGPromptOptions.whole_number(changed[key], 0))


func _write(recalled: Array, interaction_types: String) -> void:
	_secrets.clear()
	_memories.clear()
	for name: String in _names:
		_sections[name] = RAGPromptSection.new(_wording("title_" + name), _budgets[name])
	var personality := _described()
	_write_identity(personality)
	_write_relationship()
	_write_listeners()
	_write_secrets(personality)
	_write_world()
	_write_memories(recalled)
	_sections["interaction_types"].add(interaction_types)
	_sections["response_schema"].add(_schema())
	_turns = _turns_of(personality)
	_sections["recent_turns"].add_newest(
		PackedStringArray(_turns.map(func(turn: PackedStringArray) -> String: return turn[1]))
	)
	_write_last()


## Budgets that together are not more than `total`, from what the sections need within their own:
## first the fixed ones, then the others, of which the small ones are whole before the large ones
## share the rest evenly.
func _limit_total(total: int) -> void:
	var left := total
	var first: Array[String] = [_last]
	first.append_array(_FIXED)
	for name: String in first:
		var need := _sections[name].tokens()
		_budgets[name] = mini(need, left) if name == _last or need <= left else 0
		left -= _budgets[name]
	var others := _names.filter(func(name: String) -> bool: return not name in first)
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
	for name: String in _names:
		total += _sections[name].tokens()
	return total


## Her personality, with what her profile says where it is silent; null without either.
func _described() -> RAGNPCPersonality:
	var personality: RAGNPCPersonality = RAGPromptOptions.given(_npc, _options, "personality")
	var profile: Variant = RAGPromptOptions.given(_npc, _options, "profile")
	if not profile:
		return personality
	var described: RAGNPCPersonality
	if personality == null:
		described = RAGNPCPersonality.new()
		described.npc_id = memory.npc_id
	else:
		described = personality.duplicate()
	described.fill_in(profile as Dictionary)
	return described


func _write_identity(personality: RAGNPCPersonality) -> void:
	var section := _sections["identity"]
	var titles := {}
	for name: String in ["memories", "recent_turns", "player_input"] as Array[String]:
		titles[name] = _wording("title_" + name)
	section.add(_wording("ground_rule", titles))
	if personality != null:
		for line: String in personality.get_identity_lines(_hour(), _relationship(), config):
			section.add_beginning(line)
	elif dossier.is_empty():
		section.add(_wording("you_are", {"name": RAGPlayerText.clean(memory.npc_id)}))
	_write_dossier("identity")


func _write_relationship() -> void:
	var numbers := relationship_in(header)
	if numbers.is_empty():
		return
	_sections["relationship"].add(_wording("you_and_player", {"header": header["document"]}))
	for sentence: String in RAGRelationshipWords.of(numbers, config):
		_sections["relationship"].add(sentence)
	for sentence: String in RAGRelationshipWords.guidance(
		header["metadata"]["relationship"] as Dictionary, config
	):
		_sections["guidance"].add(sentence)


func _write_listeners() -> void:
	var section := _sections["listeners"]
	if not listeners.context.is_empty():
		var titles := {"relationship": _wording("title_relationship")}
		var has_header := not _sections["relationship"].is_empty()
		listeners.write(section, _wording("now_and_always", titles) if has_header else "")


func _write_secrets(personality: RAGNPCPersonality) -> void:
	if personality == null:
		return
	var section := _sections["secrets"]
	var intro := _wording("unlocked_secrets")
	for secret: Dictionary in personality.get_unlocked_secrets(_relationship()):
		var line := "- " + RAGPlayerText.clean(secret["secret"] as String)
		if section.is_empty():
			line = intro + "\n" + line
		if section.add(line):
			_secrets.append(secret)


func _relationship() -> Dictionary:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "relationship")
	return option if option is Dictionary else relationship_in(header)


## The hour of the day: what the game says, or what follows from its time.
func _hour() -> float:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "hour")
	var now: float = header.get("metadata", {}).get("timestamp", 0.0)
	return option if option != null else RAGCalendarText.hour_of(now)


func _write_world() -> void:
	var location := _location()
	_write_dossier("world_state")
	if _sections["world_state"].is_empty():
		for line: String in RAGWorldLines.of_state(_state(), location, config):
			_sections["world_state"].add(line)
	var section := _sections["world_facts"]
	var world: RAGWorldKnowledge = RAGPromptOptions.given(_npc, _options, "world_knowledge")
	if world != null:
		var lines := RAGWorldLines.of_knowledge(world, memory.npc_id, question, location, config)
		for line: String in lines:
			section.add(line)
	var events: RAGWorldEvents = RAGPromptOptions.given(_npc, _options, "world_events")
	if events != null and dossier.is_empty():
		for line: String in RAGWorldLines.of_events(events, memory.npc_id, config):
			section.add(line)
	_write_dossier("world_facts")


## Adds the lines of the dossier to a section, without those that stand there already.
func _write_dossier(name: String) -> void:
	if not dossier.is_empty():
		for line: String in RAGDossierLines.of(dossier, name, _sections[name].lines()):
			_sections[name].add(line)


## A dossier keeps its own budgets: it has room in the sections whose budgets the game leaves open.
func _make_room_for_dossier() -> void:
	var changed: Variant = _options.get("budgets")
	var own: Dictionary = changed if changed is Dictionary else {}
	for name: String in RAGDossierLines.PARTS:
		if not own.has(name):
			_budgets[name] += RAGDossierLines.tokens_of(dossier, name, _wording("title_" + name))


func _location() -> String:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "location")
	return str(option) if option != null else ""


func _state() -> Dictionary:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "world_state")
	return option if option is Dictionary else {}


func _write_memories(recalled: Array) -> void:
	var section := _sections["memories"]
	var now: float = header.get("metadata", {}).get("timestamp", 0.0)
	for candidate: Dictionary in recalled:
		if candidate["id"] == memory.npc_id + "_relationship_header":
			continue
		if not listeners.may_hear(candidate):
			continue
		var line := MemoryLine.of(candidate, "rendered_text", now, config)
		if not section.fits(line):
			line = MemoryLine.of(candidate, "document_short", now, config)
		var is_taken := section.add_shortened(line) if candidate["protected"] else section.add(line)
		if is_taken:
			_memories.append(candidate)
	_write_dossier("memories")


func _write_last() -> void:
	var section := _sections[_last]
	match _occasion:
		RAGOccasion.LINE:
			section.add_shortened(_player_turn + ' "' + _line, '"')
		RAGOccasion.GREETING:
			var relationship: Dictionary = header.get("metadata", {}).get("relationship", {})
			section.add(
				_wording("greeting" if relationship.get("met", false) else "first_greeting")
			)
		RAGOccasion.REACTION:
			var around := RAGWording.sentence(config, "reaction").split("{event}", true, 1)
			section.add_shortened(around[0] + _line, around[1])


## Returns whether the game leaves it to the memory what was said last.
func needs_turns() -> bool:
	return RAGPromptOptions.given(_npc, _options, "recent_turns") == null


## Takes the result of [method RAGMemory.get_turns], for a game that passes no recent turns. What
## she said for want of a model is no example for one.
func tell_turns(turns: Array) -> void:
	for turn: Dictionary in turns:
		if turn.get("from_memory", false):
			continue
		for speaker: String in ["player", "npc"] as Array[String]:
			var said: String = turn[speaker + "_message"]
			if said:
				_stored_turns.append({"speaker": speaker, "text": said})


## The recent turns: for each who speaks, as the prompt calls them, and the line.
func _turns_of(personality: RAGNPCPersonality) -> Array[PackedStringArray]:
	var own_names := RAGConversationTurn.NPC_SPEAKERS.duplicate()
	own_names.append(memory.npc_id.to_lower())
	if personality != null:
		own_names.append(personality.npc_id.to_lower())
		own_names.append(personality.display_name.to_lower())
	var pairs: Array[PackedStringArray] = []
	var turns: Variant = RAGPromptOptions.given(_npc, _options, "recent_turns")
	if turns == null:
		turns = _stored_turns
	if turns is Array or turns is PackedStringArray:
		for turn: Variant in turns:
			var start := _start_of_turn(RAGConversationTurn.speaker_of(turn), own_names)
			var said := RAGPlayerText.clean(RAGConversationTurn.text_of(turn))
			pairs.append(PackedStringArray([start, '%s "%s"' % [start, said]]))
	return pairs


## The prompt for a chat: the turns that have room are messages of their own. Neighbours with the
## same role are one message, because some language models refuse two.
func _messages(system: String) -> Array[Dictionary]:
	var messages: Array[Dictionary] = [{"role": "system", "content": system}]
	var turn_lines := _sections["recent_turns"].lines()
	var first := _turns.size() - turn_lines.size()
	for index: int in turn_lines.size():
		var start := _turns[first + index][0]
		var content := turn_lines[index]
		if start == _player_turn or start == _own_turn:
			content = content.trim_prefix(start + ' "').trim_suffix('"')
		_append_message(messages, "assistant" if start == _own_turn else "user", content)
	_append_message(messages, "user", _sections[_last].text())
	return messages


static func _append_message(messages: Array[Dictionary], role: String, content: String) -> void:
	if not content:
		return
	if messages[-1]["role"] == role:
		messages[-1]["content"] += "\n" + content
	else:
		messages.append({"role": role, "content": content})


func _assembled() -> Dictionary:
	var total := _total_tokens()
	var sections := {}
	var system := PackedStringArray()
	var user := PackedStringArray()
	var is_user := false
	for name: String in _names:
		is_user = is_user or name == FIRST_OF_USER
		var section := _sections[name]
		sections[name] = {
			"text": section.text(),
			"tokens": section.tokens(),
			"budget": section.budget,
			"share": section.tokens() / float(maxi(1, total)),
			"dropped": section.dropped,
			"cut": section.cut,
		}
		if not section.is_empty():
			(user if is_user else system).append(section.text())
	return {
		"prompt": "\n\n".join(system + user),
		"system": "\n\n".join(system),
		"messages": _messages("\n\n".join(system)),
		"user": "\n\n".join(user),
		"sections": sections,
		"total_tokens": total,
		"memories": _memories.duplicate(),
		"secrets": _secrets.duplicate(),
		"player_input": _line if _occasion == RAGOccasion.LINE else "",
		"dossier": dossier,
	}


func _schema() -> String:
	var limits := {}
	for dimension: String in _DIMENSIONS:
		limits[dimension] = config.get("max_%s_change" % dimension)
	return _wording("response_schema", limits)


func _wording(key: String, values: Dictionary = {}) -> String:
	return RAGWording.text(config, key, values)


func _start_of_turn(speaker: String, own_names: Array[String]) -> String:
	if speaker.to_lower() in RAGConversationTurn.PLAYER_SPEAKERS:
		return _player_turn
	var name := RAGPlayerText.shortened(RAGPlayerText.clean(speaker), _LONGEST_NAME)
	if name and speaker.to_lower() in own_names:
		return _own_turn
	# Cleaned once more with its colon, which the name of another role loses.
	return RAGPlayerText.clean((name if name else _wording("turn_of_somebody")) + ":")
