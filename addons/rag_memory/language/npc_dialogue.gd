@icon("res://addons/rag_memory/icons/NPCDialogue.svg")
class_name NPCDialogue
extends Node
## Lets an NPC speak: takes the player's line, gives the NPC's answer, and stores what the NPC
## remembers of it.
##
## Put it below the [RAGMemory] of the NPC, or beside it. Without a [member model], or when the
## model fails, the NPC answers from memory, so the game works without one.
## [codeblock]
## var dialogue := NPCDialogue.new()
## dialogue.memory = mira
## dialogue.personality = personality
## dialogue.model = NPCOpenAILanguageModel.new()
## dialogue.chunk.connect(func(text: String) -> void: print(text))
## add_child(dialogue)
## var answer: Dictionary = await dialogue.say("What do you know of the mill?").completed
## print(answer["response"], answer["from_memory"])
## [/codeblock]

## Emitted with the next words of the answer, at most once a frame. They are speech, never JSON.
signal chunk(text: String)
## Emitted when the answer is complete, with the result of [method say].
signal finished(answer: Dictionary)
## Emitted when there is no answer at all, with the reason. A cancelled answer does not count.
signal failed(error: String)
## Emitted after [signal finished] for each action, task and event that the model proposes, of those
## that the option [code]proposals[/code] offers. It changes nothing: your game decides.
## [code]kind[/code] is [code]"action"[/code], with [code]action[/code]; [code]"task"[/code], with
## [code]operation[/code] ([code]"assign"[/code], [code]"cancel"[/code], [code]"update"[/code]),
## [code]task_id[/code], [code]assignee[/code], [code]summary[/code], [code]location[/code],
## [code]status[/code] and [code]due_day[/code] (-1.0: none); or [code]"event"[/code], for
## [method MemoryWorld.record_event]. All have [code]target[/code] and [code]reason[/code].
signal proposed(proposal: Dictionary)

const _RAGBystanders := preload("res://addons/rag_memory/language/bystanders.gd")
const _RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const _RAGUtterance := preload("res://addons/rag_memory/language/utterance.gd")
const _RAGCallOptions := preload("res://addons/rag_memory/language/call_options.gd")
const _RAGLanguageModel := preload("res://addons/rag_memory/language/npc_language_model.gd")
const _RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const _RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")

## The memory of the NPC. Without it the [RAGMemory] is taken that is the parent, beside it, or
## below.
@export var memory: RAGMemory:
	get:
		return memory if memory != null else _RAGNearNodes.memory_near(self)
	set(value):
		memory = value
		_memory_id = value.get_instance_id() if value != null else 0
## The mind of the NPC. With it every line of the player changes feelings, and the prompt has them.
## Without it the [NPCMind] is taken that is below [member memory], beside it, or its parent.
@export var mind: NPCMind:
	get:
		return mind if mind != null else _RAGNearNodes.mind_near(memory)
	set(value):
		mind = value
		_mind_id = value.get_instance_id() if value != null else 0
## The personality of the NPC.
@export var personality: _RAGNPCPersonality
## The language model that answers. Without one the NPC answers from memory.
@export var model: _RAGLanguageModel
## If [code]true[/code], the model also analyses the exchange: promises, gifts, what the NPC
## learned, how the relationship changes. Turn it off for small models, below about three billion
## parameters, which copy the example: then the model only speaks, in one paragraph, and rules find
## the promises.
@export var analysis := true
## The canonical facts of the world.
@export var world: _RAGWorldKnowledge
## Further options of [method NPCContextBuilder.build] and [method
## NPCContextBuilder.record_interaction], such as [code]{"token_budget": 2000}[/code] for a small
## model.
@export var context_options: Dictionary = {}
## The ids of NPCs who overhear what is said, besides those that [method NPCMind.get_nearby] of
## [member mind] returns.
@export var bystanders: PackedStringArray = []
## A group of the scene tree whose members overhear what is said: each is a [RAGMemory], or a node
## that has one.
@export var bystander_group := &""
## Decides how much of the words reaches each bystander: [code]can_hear(speaker: String, listener:
## String, manner: String) -> float[/code], from 0.0 (nothing) to 1.0 (all of them). It is called
## with ids, on the main thread, and must not wait. Without it everybody hears everything.
var can_hear := Callable()

var _current: _RAGUtterance
# What the player said to it; empty when the NPC speaks first.
var _line := ""
# The occasion, what was said, and the exchange of the last answer.
var _last := {}
# A freed node is equal to null: without their ids, one that was freed could not be told from none.
var _memory_id := 0
var _mind_id := 0


## The NPC answers [param player_line]. The player says it, unless [param options] have a
## [code]speaker[/code], the id of another NPC or player: then the NPC talks with that one, who
## remembers it, too. Bystanders overhear it, unless the [code]manner[/code] is
## [code]"whisper"[/code] or [code]"letter"[/code]. A call while the NPC still speaks interrupts it,
## with a warning when the line before has not been answered at all. Result:[br]
## [code]response[/code]: what the NPC says.[br]
## [code]from_memory[/code]: whether no model answered, and [code]error[/code]: why it did not.[br]
## [code]analysis[/code], [code]is_json[/code], [code]warnings[/code]: see
## [method NPCContextBuilder.parse_response].[br]
## [code]memories[/code]: what the NPC had in mind. [code]prompt[/code]: see
## [method NPCContextBuilder.build]. [code]exchange[/code]: the id for
## [method RAGMemory.undo_exchange]. [code]stored[/code]: every memory of it,
## [code]rejected[/code], [code]deltas[/code] and
## [code]relationship[/code]: see [method NPCContextBuilder.record_interaction].[br]
## Empty, with an error, when the NPC could not speak or was interrupted, when the game was loaded
## or the save closed meanwhile, or when the request was cancelled: then nothing is remembered. The
## feelings that the line caused stay. It is an error, too, when [member memory] or [member mind]
## was freed.[br]
## [param options]: those of [method NPCLanguageModel.generate_async] but for
## [code]json_schema[/code], and of [member context_options]. With [code]response[/code] she says
## this text of your game as it is, and no model is asked. It must not be blank.
func say(player_line: String, options: Dictionary = {}) -> MemoryRequest:
	if player_line.strip_edges().is_empty():
		return _refused("The player said nothing. greet() lets her speak first.")
	return _begin("line", player_line, options)


## The NPC speaks first, when the player comes near. Options and result as in [method say].
func greet(options: Dictionary = {}) -> MemoryRequest:
	return _begin("greeting", "", options)


## The NPC comments on something that it sees happen, such as [code]"The player draws a
## sword."[/code], and remembers it. Options and result as in [method say].
func react(event: String, options: Dictionary = {}) -> MemoryRequest:
	return _begin("reaction", event, options)


## The NPC answers the same line once more: the last exchange of this node is undone first, see
## [method RAGMemory.undo_exchange]. When it cannot be undone, for example after a load, nothing is
## said. Options and result as in [method say].
func answer_again(options: Dictionary = {}) -> MemoryRequest:
	return _replace(options, "")


## Replaces the last answer of the NPC by [param text], as if it had said that: the last exchange of
## this node is undone, and made again with the text. Result as in [method say].
func replace_answer(text: String) -> MemoryRequest:
	if text.strip_edges().is_empty():
		return _refused("replace_answer() needs a text that she says instead.")
	return _replace({}, text)


## Stops the answer in progress. Nothing of it is remembered.
func cancel() -> void:
	if _current == null:
		return
	_current.chunk.disconnect(chunk.emit)
	_current.request.completed.disconnect(_end)
	_current.cancel()
	_current = null


## Returns whether an answer is in progress.
func is_speaking() -> bool:
	return _current != null and not _current.request.is_completed()


func _exit_tree() -> void:
	cancel()


func _replace(options: Dictionary, text: String) -> MemoryRequest:
	if _last.is_empty() or memory == null:
		var problem := "NPCDialogue has given no answer that could be replaced."
		if is_speaking():
			problem = "She is still speaking. Await her answer before it is replaced."
		return _refused(problem)
	cancel()
	var undoing := memory.undo_exchange_async(_last.exchange as String)
	var company: Dictionary = _last.company
	options = company.merged(options, true)
	return _begin(_last.occasion as String, _last.said as String, options, text, undoing)


func _begin(
	occasion: String,
	said: String,
	options: Dictionary,
	text: String = "",
	undoing: MemoryRequest = null
) -> MemoryRequest:
	if is_speaking() and not _current.has_spoken() and _line:
		push_warning(
			(
				(
					'NPCDialogue: the line "%s" is neither answered nor remembered, because another one came '
					+ "before the NPC spoke. Await say(), or let the player wait while is_speaking()."
				)
				% _line.left(60)
			)
		)
	cancel()
	_line = said if occasion == "line" else ""
	var problem := _problem()
	if problem:
		push_error(problem)
		return _refused(problem)
	var context := _context()
	var response: Variant = options.get("response")
	var is_text := response is String or response is StringName
	if options.has("response") and (not is_text or str(response).strip_edges().is_empty()):
		return _refused(
			"The option response is a String: the words that the NPC answers, not blank."
		)
	var model_options := {}
	for key: Variant in options:
		if _RAGCallOptions.is_known(key) and key != "json_schema":
			model_options[key] = options[key]
		else:
			context[key] = options[key]
	context.erase("response")
	if mind != null and not context.has("listeners"):
		context["listeners"] = [context.get("speaker", "player")]
	if not context.has("bystanders"):
		context["bystanders"] = _RAGBystanders.of(
			self, bystanders, bystander_group, mind, can_hear, context
		)
	var utterance := _RAGUtterance.new(memory, model, analysis, model_options)
	utterance.text = str(response) if is_text and text.is_empty() else text
	utterance.undoing = undoing
	_last = {}
	_current = utterance
	utterance.chunk.connect(chunk.emit)
	utterance.request.completed.connect(_end)
	utterance.request.completed.connect(_remember.bind(occasion, said, context))
	utterance.begin(occasion, said, context)
	return utterance.request


## Why nothing can be said at all.
func _problem() -> String:
	for freed: Array in [["memory", _memory_id], ["mind", _mind_id]]:
		var id: int = freed[1]
		if id != 0 and not is_instance_id_valid(id):
			var advice := "Set it to the node that took its place, or to null."
			return "NPCDialogue.%s was freed, so the NPC cannot speak. %s" % [freed[0], advice]
	if memory == null:
		return "NPCDialogue has no memory: set its property memory, or put it below a RAGMemory."
	return ""


func _refused(problem: String) -> MemoryRequest:
	var request := MemoryRequest.new()
	_refuse.call_deferred(get_instance_id(), request, problem)
	return request


## Once the caller can wait for it. By its id, because the node may be gone by then.
static func _refuse(id: int, request: MemoryRequest, problem: String) -> void:
	if is_instance_id_valid(id):
		instance_from_id(id).emit_signal(&"failed", problem)
	request.complete({}, problem)


func _context() -> Dictionary:
	var context := {}
	if personality != null:
		context["personality"] = personality
	if world != null:
		context["world_knowledge"] = world
	if mind != null:
		context["mind"] = mind
	context.merge(context_options, true)
	return context


func _remember(answer: Dictionary, occasion: String, said: String, context: Dictionary) -> void:
	var company := {}
	for name: String in ["speaker", "addressees", "bystanders", "manner"]:
		if context.has(name):
			company[name] = context[name]
	var exchange: String = answer.get("exchange", "")
	if exchange:
		_last = {"occasion": occasion, "said": said, "exchange": exchange, "company": company}


func _end(answer: Dictionary) -> void:
	var ended := _current
	_current = null
	if not answer.is_empty():
		finished.emit(answer)
		for key: String in ["proposed_actions", "proposed_tasks", "proposed_events"]:
			for proposal: Dictionary in answer.get(key, []):
				proposed.emit(proposal)
	elif not ended.request.is_cancelled():
		failed.emit(ended.request.get_error())
