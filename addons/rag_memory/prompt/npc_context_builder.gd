@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCContextBuilder
extends RefCounted
## Makes the prompt for an NPC's answer, reads the answer, and stores the exchange.
##
## Three calls make a conversation; the language model between them is the game's own:
## [codeblock]
## var options := {"personality": personality, "world_knowledge": world}
## var builder := NPCContextBuilder.new(mira, options)
## var prompt: Dictionary = await builder.build_prompt_async(line).completed
## var text: String = await my_language_model.ask(prompt["system"], prompt["user"])
## var answer: Dictionary = await builder.read_answer_async(text).completed
## await builder.record_exchange_async(line, answer).completed
## [/codeblock]
## [method build], [method parse_response] and [method record_interaction] do the same for any NPC,
## and block until they are done.[br]
## The prompt consists of sections. Each has a hard token budget of its own. What the player says,
## and every memory of it, becomes harmless first: it cannot open or close a section, pass for a
## memory or for a line of the system, or carry invisible characters.[br]
## The text around the game's words is in the language of the game, as far as that translates
## the sentences of [code]addons/rag_memory/wording.pot[/code], or in the words of
## [member MemoryConfig.wording].

const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const _RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")
const _RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")

const _NO_MEMORY := (
	"NPCContextBuilder needs an NPC with a memory: pass a RAGMemory, or a node that has one as a"
	+ " child or in its property memory."
)

var _npc: Object
var _options: Dictionary


## A builder for one NPC: [param npc] and [param options] are those of [method build] and of
## [method record_interaction] together.
func _init(npc: Object = null, options: Dictionary = {}) -> void:
	_npc = npc
	_options = options


## As [method build], without making the game wait.
func build_prompt_async(player_input: String) -> MemoryRequest:
	return _begun("line", player_input)


## As [method build_greeting], without making the game wait.
func greeting_async() -> MemoryRequest:
	return _begun("greeting", "")


## As [method build_reaction], without making the game wait.
func reaction_async(event: String) -> MemoryRequest:
	return _begun("reaction", event)


## As [method parse_response], without making the game wait.
func read_answer_async(text: String) -> MemoryRequest:
	var memory := _RAGSentOptions.memory_of(_object(_npc))
	var given: Variant = _options.get("config")
	var config: MemoryConfig = given if given is MemoryConfig else null
	if config == null and memory != null:
		config = memory.config
	var rules := config if config != null else MemoryConfig.new()
	return rules.read_answer_async(text, {"names": speaker_names()})


## As [method record_interaction], without making the game wait. When the NPC is freed before the
## exchange is being stored, nothing is stored, and the result is empty.
func record_exchange_async(player_input: String, answer: Dictionary) -> MemoryRequest:
	var npc := _object(_npc)
	var memory := _RAGSentOptions.memory_of(npc)
	var problem := _problem_of_recording(memory, answer)
	if problem:
		return _failed(problem)
	var defaults := _RAGSentOptions.defaults_of(npc, memory, _options)
	var options := _RAGSentOptions.of(_options)
	return memory.record_exchange_async(player_input, answer, options, defaults)


## Returns the names by which a language model may say that the NPC speaks.
func speaker_names() -> PackedStringArray:
	var names := PackedStringArray()
	var npc := _object(_npc)
	var memory := _RAGSentOptions.memory_of(npc)
	if memory != null:
		names.append(memory.npc_id)
	var property: Variant = npc.get("personality") if npc != null else null
	var personality: Variant = _options.get("personality", property)
	if personality is _RAGNPCPersonality:
		names.append((personality as _RAGNPCPersonality).display_name)
	return names


## Returns the prompt for the answer of [param npc] to [param player_input]. [param npc] is a
## [RAGMemory], or a node with one as a child or in its property [code]memory[/code]. Properties of
## such a node that are called like an option are used, too.[br]
## Keys of [param options]:[br]
## [code]personality[/code]: an [NPCPersonality].[br]
## [code]profile[/code]: what [method MemoryWorld.ensure_profile] returned. It says who the NPC is
## where the personality is silent, see [method NPCPersonality.fill_in].[br]
## [code]world_knowledge[/code]: an [NPCWorldKnowledge].[br]
## [code]world_events[/code]: [NPCWorldEvents].[br]
## [code]relationship[/code]: the five numbers, if the game keeps them. They are given to
## [method RAGMemory.set_relationship_state].[br]
## [code]hour[/code]: the hour of the day, 0 to 24, for [member NPCPersonality.schedule]. Without it
## the hour follows from the game's time, with the days of [member MemoryServer.calendar].[br]
## [code]location[/code]: where the NPC is, for facts and establishments of a place.
## [method record_interaction] stores it with the memories.[br]
## [code]world_state[/code]: how things are now, such as [code]{"time": "dusk", "weather":
## "rain"}[/code]: a line for each.[br]
## [code]recent_turns[/code]: an array of [code]{speaker, text}[/code], oldest first. The player is
## [code]"player"[/code], [code]"user"[/code] or [code]"you"[/code]. This NPC is
## [code]"npc"[/code], [code]"assistant"[/code], or its id or name. Anybody else is called by name.
## The keys may also be [code]role[/code] and [code]content[/code] or [code]message[/code]. Without
## this option the last turns of [method RAGMemory.get_turns] are taken, and with an empty array
## none.[br]
## [code]listeners[/code]: whom the NPC speaks to, an array of ids. The section of that name says
## how the NPC feels towards each ([method NPCMind.build_listener_context]). Secret memories that
## not all of them may hear are left out. It needs an [NPCMind].[br]
## [code]mind[/code]: its [NPCMind]; default: the one that is a child or the parent of the memory,
## or beside it.[br]
## [code]dossier[/code]: [code]true[/code], an [NPCDossierConfig], or what
## [method RAGMemory.build_dossier] returned. It takes the place of the memories, of
## [code]world_events[/code] and of [code]world_state[/code]; [code]location[/code],
## [code]world_state[/code] and [code]personality[/code] become its scene. Who the NPC is, events,
## tasks, lore and debates come with it. It keeps budgets of its own.[br]
## [code]proposals[/code]: what the model may propose to do, such as [code]{"actions": {"follow":
## "go with the player"}, "tasks": {"patrol_1": "Patrol near Sargot."}, "events": true}[/code]:
## names with meanings (or an Array); open tasks by id and event types (or [code]true[/code] for
## any). See [signal NPCDialogue.proposed].[br]
## [code]config[/code]: a [MemoryConfig]; default: that of the memory.[br]
## [code]budgets[/code]: tokens by section. The others keep [method get_default_budgets].[br]
## [code]token_budget[/code]: for all sections together; -1 for no limit. The player's line comes
## first, then the response schema and the interaction types. The others share what is left.[br]
## Keys of the result:[br]
## [code]prompt[/code]: everything. [code]system[/code] and [code]user[/code]: the same in two
## messages. [code]messages[/code]: the same for a chat, an array of [code]{role, content}[/code] in
## which the recent turns are messages of their own; the roles are [code]"system"[/code],
## [code]"user"[/code] and [code]"assistant"[/code].[br]
## [code]sections[/code]: for each its [code]text[/code], [code]tokens[/code], [code]budget[/code],
## [code]share[/code] of the whole, how many lines were [code]dropped[/code], and how many
## [code]cut[/code]: of those only the beginning was taken.[br]
## [code]total_tokens[/code], and the [code]memories[/code] and [code]secrets[/code] that are in the
## prompt; [code]dossier[/code], empty without the option of that name.[br]
## [code]player_input[/code]: the player's line, made harmless.[br]
## The result is empty, with an error, when an option is not known or of another type.
## [codeblock]
## var options := {"personality": personality, "token_budget": 3000}
## var prompt := NPCContextBuilder.build(mira, line, options)
## print(prompt["total_tokens"] <= 3000)  # -> true
## print(prompt["sections"]["identity"]["share"] > 0.0)  # -> true
## [/codeblock]
static func build(npc: Object, player_input: String, options: Dictionary = {}) -> Dictionary:
	return _built("line", npc, player_input, options)


## Returns the prompt for what [param npc] says when the player comes near and has said nothing yet.
## It says whether the two have met. Options and result are those of [method build]; the section
## [code]situation[/code] stands in the place of [code]player_input[/code].
## [codeblock]
## var prompt := NPCContextBuilder.build_greeting(mira, {"personality": personality})
## var text: String = await my_language_model.ask(prompt["system"], prompt["user"])
## print(NPCContextBuilder.parse_response(text)["response"])
## [/codeblock]
static func build_greeting(npc: Object, options: Dictionary = {}) -> Dictionary:
	return _built("greeting", npc, "", options)


## Returns the prompt for what [param npc] says about something that it sees happen. [param event]
## tells it in a sentence, and also decides which memories come to its mind. Options and result are
## those of [method build]; the section [code]situation[/code] stands in the place of
## [code]player_input[/code]. Nothing is stored: see [method RAGMemory.store_witnessed_event].
## [codeblock]
## var prompt := NPCContextBuilder.build_reaction(mira, "The player draws a sword.")
## print("The player draws a sword." in prompt["user"])  # -> true
## [/codeblock]
static func build_reaction(npc: Object, event: String, options: Dictionary = {}) -> Dictionary:
	return _built("reaction", npc, event, options)


## Returns the memories of [method RAGMemory.retrieve_tiered] as text for a prompt of your own: a
## heading for each tier that has some, and a harmless line for each memory. With [param now], the
## game's time in seconds, each says how long ago it was. The words around them are those of
## [member MemoryConfig.wording] of [param config], or in the game's language. Empty when there are
## none.
## [codeblock]
## mira.store("The player saved my life.", 10, {"event_type": "saved_life"})
## print(NPCContextBuilder.format_tiered_memories(mira.retrieve_tiered("Hello.")))
## [/codeblock]
static func format_tiered_memories(
	tiered: Dictionary, now := NAN, config: MemoryConfig = null
) -> String:
	var fault := _RAGValueLimits.fault_of(tiered)
	if fault:
		push_error("NPCContextBuilder.format_tiered_memories(): tiered %s." % fault)
		return ""
	var words := config if config != null else MemoryConfig.new()
	return str(words.apply_rule("prompt.tiered_memories", [tiered, now]))


## Returns the numbers of a relationship in words, a sentence for each that says something. The
## section [code]relationship[/code] of a prompt has them, too. Keys of [param relationship]:
## [code]trust[/code], [code]respect[/code], [code]affection[/code], [code]fear[/code] and
## [code]familiarity[/code]. The sentences are in the words of [member MemoryConfig.wording] of
## [param config], or in the game's language.
## [codeblock]
## var lines := NPCContextBuilder.describe_relationship({"trust": 72})
## print(lines)  # -> ["You trust the player deeply."]
## print(NPCContextBuilder.describe_relationship({"trust": 50, "fear": 0}).size())  # -> 0
## [/codeblock]
static func describe_relationship(
	relationship: Dictionary, config: MemoryConfig = null
) -> PackedStringArray:
	var words := config if config != null else MemoryConfig.new()
	var numbers := _RAGValueLimits.plain(relationship)
	var lines: Variant = words.apply_rule("relationship.sentences", [numbers])
	return PackedStringArray() if lines == null else PackedStringArray(lines as Array)


## Reads the answer of a language model. Accepts the JSON object that the prompt asks for, also
## inside a code fence or with text before and after it. Speech under another key, such as
## [code]dialogue[/code], is taken with a warning; an object without any has an empty response.
## Anything else is taken for speech.[br]
## Keys of the result:[br]
## [code]response[/code]: what the NPC says.[br]
## [code]analysis[/code]: complete. What is missing or wrong in the answer is 0 or empty. The
## changes are whole numbers within the limits of [param config].[br]
## [code]is_json[/code], and [code]warnings[/code]: what was not as it should be.[br]
## [code]reasoning[/code]: what the model thought before it spoke. It is not speech: reasoning,
## drafts, tokens of a chat template, the NPC's name before a line and lines that the model wrote
## for the player are not part of the response.[br]
## [code]proposed_actions[/code], [code]..._tasks[/code], [code]..._events[/code]: arrays.[br]
## An answer longer than [member MemoryConfig.max_answer_chars] is cut there, with a warning.
## [codeblock]
## var text := '{"response": "Welcome.", "analysis": {"trust_change": 99}}'
## var answer := NPCContextBuilder.parse_response(text)
## print(answer["response"])  # -> Welcome.
## print(answer["analysis"]["trust_change"])  # -> 15
## print(NPCContextBuilder.parse_response("Just words.")["is_json"])  # -> false
## [/codeblock]
static func parse_response(text: String, config: MemoryConfig = null) -> Dictionary:
	var rules := config if config != null else MemoryConfig.new()
	return rules.read_answer(text)


## Stores an exchange in the memory of [param npc]. That is the turn, word for word
## ([method RAGMemory.store_turn]), the conversation (the first one as
## [code]first_meeting[/code]), the player's name and facts about the player, a promise made or
## broken, a gift, a secret told. [param answer] comes from [method parse_response]. When it has no
## analysis, [method RAGMemory.store_turn] looks for promises, names and gifts by its rules.[br]
## The changes of the relationship are clamped, scaled by the personality
## ([method NPCPersonality.apply_personality_modifiers]), clamped again and added. With the option
## [code]relationship[/code] the game keeps it: store [code]relationship[/code] of the result; it is
## also given to [method RAGMemory.set_relationship_state]. Without the option the memory keeps it
## ([method RAGMemory.store_relationship]).[br]
## With an [NPCWorldKnowledge], a memory about people nobody knows is rejected, and a reply that
## names an inn or a shop that does not exist. Names that the player used in this exchange are
## hearsay and pass.[br]
## Keys of [param options]:[br]
## [code]personality[/code], [code]world_knowledge[/code], [code]relationship[/code] (before the
## exchange) and [code]config[/code]: as in [method build].[br]
## [code]location[/code], [code]timestamp[/code] and [code]topics[/code]: for the memories.[br]
## [code]check_names[/code]: as in [method NPCWorldKnowledge.check_memory].[br]
## [code]deterministic_deltas[/code]: with [code]true[/code] the changes follow from the interaction
## type (see [method RAGMemory.get_deterministic_deltas]), not from what the model proposed.[br]
## Keys of the result: [code]stored[/code] ([code]id[/code], [code]text[/code],
## [code]event_type[/code] and [code]importance[/code] of every memory that it made, those of the
## rules and the one of the relationship, too), [code]rejected[/code] ([code]text[/code] and
## [code]reason[/code]), [code]deltas[/code] and
## [code]relationship[/code]; [code]exchange[/code], the id for
## [method RAGMemory.undo_exchange].[br]
## All of it is stored together, or nothing. Only what [member MemoryServer.extractor] finds, if the
## game has set it, comes later.
## [codeblock]
## var answer := NPCContextBuilder.parse_response(
##     '{"response": "Well met, Theron.", "analysis": {"learned_about_player": {"name": "Theron"}}}'
## )
## var recorded := NPCContextBuilder.record_interaction(mira, "My name is Theron.", answer)
## for each: Dictionary in recorded["stored"]:
##     print(each["event_type"], ": ", each["text"])
## [/codeblock]
static func record_interaction(
	npc: Object, player_input: String, answer: Dictionary, options: Dictionary = {}
) -> Dictionary:
	var given := _object(npc)
	var memory := _RAGSentOptions.memory_of(given)
	var problem := _problem_of_recording(memory, answer)
	if problem:
		push_error(problem)
		return {}
	var defaults := _RAGSentOptions.defaults_of(given, memory, options)
	return memory.record_exchange(player_input, answer, _RAGSentOptions.of(options), defaults)


## Returns [param text] as one line that is harmless in a prompt. Control, zero-width and
## bidirectional characters, line ends, angle and square brackets, braces, double quotes and fences
## are removed, and names of roles before a colon. What comes after 8000 characters is left out.
## [codeblock]
## print(NPCContextBuilder.sanitize("Hello</memories>").contains("<"))  # -> false
## [/codeblock]
static func sanitize(text: String) -> String:
	return str(MemoryServer.apply_rule("prompt.harmless", [text]))


## Returns the sections of a prompt in their order, and the tokens that each may fill. They are 9290
## in all, which leaves room for the answer in a context of 10000. [code]listeners[/code] is empty
## without the option of that name. Set other budgets with the option [code]budgets[/code] of
## [method build]. Without a line of the player, [code]situation[/code] has the place and the budget
## of [code]player_input[/code].
static func get_default_budgets() -> Dictionary:
	return MemoryServer.apply_rule("prompt.budgets", [])


static func _built(occasion: String, npc: Object, said: String, options: Dictionary) -> Dictionary:
	var memory := _RAGSentOptions.memory_of(_object(npc))
	if memory == null:
		push_error(_NO_MEMORY)
		return {}
	var defaults := _RAGSentOptions.defaults_of(npc, memory, options)
	return memory.build_prompt(occasion, said, _RAGSentOptions.of(options), defaults)


func _begun(occasion: String, said: String) -> MemoryRequest:
	var npc := _object(_npc)
	var memory := _RAGSentOptions.memory_of(npc)
	if memory == null:
		return _failed(_NO_MEMORY)
	var defaults := _RAGSentOptions.defaults_of(npc, memory, _options)
	return memory.build_prompt_async(occasion, said, _RAGSentOptions.of(_options), defaults)


## A mistake in the call. Returns a request that has failed when the caller awaits it.
static func _failed(problem: String) -> MemoryRequest:
	push_error(problem)
	var request := MemoryRequest.new()
	request.complete.call_deferred({}, problem)
	return request


static func _problem_of_recording(memory: RAGMemory, answer: Dictionary) -> String:
	if memory == null:
		return "record_interaction() needs an NPC with a memory, as build() does."
	var fault := _RAGValueLimits.fault_of(answer)
	if fault:
		return "The answer given to record_interaction() %s. Pass that of parse_response()." % fault
	return ""


static func _object(npc: Variant) -> Object:
	return npc if is_instance_valid(npc) else null
