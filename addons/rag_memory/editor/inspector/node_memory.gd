@tool
extends Node
## Answers the inspector's questions from the save that is open in the editor. Python starts with
## the first of them, never before. Answers are signals: whoever asked may be gone by then.

## Emitted after [method open]; [param problem] is what to tell the user, or empty.
signal opened(problem: String)
## Emitted after [method overview]: [code]stats[/code], [code]recent[/code] and [code]error[/code].
signal overview_read(npc_id: String, overview: Dictionary)
## Emitted after [method recall]: [code]memories[/code] (with their [code]tokens[/code]),
## [code]tokens[/code], [code]budget[/code], [code]left_out[/code] and [code]error[/code].
signal recalled(npc_id: String, answer: Dictionary)
## Emitted after [method read_mind]: [code]mind[/code] and [code]error[/code].
signal mind_read(npc_id: String, overview: Dictionary)
## Emitted after [method reflect]: [code]insights[/code] (texts) and [code]error[/code].
signal reflected(npc_id: String, answer: Dictionary)
## Emitted after [method build_dossier]: what [method RAGMemory.build_dossier] returned, with the
## [code]text[/code] of memories that were left out, and [code]error[/code].
signal dossier_built(npc_id: String, dossier: Dictionary)

const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const RAGTalk := preload("res://addons/rag_memory/editor/inspector/npc_talk.gd")
const _MOST_LEFT_OUT := 5
const _NOT_COMPETING := (
	"%d memories did not compete: not among the %d most relevant (semantic_top_k), or of importance "
	+ "below %d (min_semantic_importance)"
)
const _RELEASED := "The save was closed for the game. Press Open again when the game has ended."

## The time in the save.
var clock: RAGSaveClock
## The talk in a copy of the save.
var talk := RAGTalk.new()
## The last query, so that it is still there when the inspector is built anew.
var question := ""
## For which size of model a dossier was built last.
var preset := NPCDossierConfig.MEDIUM_8B
## The weights for [code]NPCDossierConfig.CUSTOM[/code].
var own_dossier_config: NPCDossierConfig

# The last opening, until it is answered or not wanted any more.
var _opening: MemoryRequest


func _ready() -> void:
	add_child(talk)


## Opens a save.
func open(save_id: String) -> void:
	_opening = MemoryServer.open_save_async(save_id)
	_opening.completed.connect(_on_opened.bind(_opening), CONNECT_ONE_SHOT)


## Closes the save that is open, so that a game that is about to start can open it. One that is
## still being opened is closed as soon as it is open.
func release() -> void:
	if not MemoryServer.current_save() and _opening == null:
		return
	MemoryServer.close_save()
	if _opening != null:
		_opening = null
		opened.emit(_RELEASED)


## Deletes the search indexes of the open save and opens it again; each is then built anew.
func rebuild_index() -> void:
	var save_id := MemoryServer.current_save()
	release()
	var folder := RAGSavesFolder.indexes_of(save_id)
	if DirAccess.dir_exists_absolute(folder):
		for file in DirAccess.get_files_at(folder):
			DirAccess.remove_absolute(folder.path_join(file))
	open(save_id)


## Reads how many memories an NPC has, and the last of them.
func overview(npc_id: String, config: MemoryConfig, count: int) -> void:
	clock.read()
	var memory := _memory(npc_id, config)
	var requests: Dictionary[String, MemoryRequest] = {
		"stats": memory.get_memory_stats_async(),
		"recent": memory.get_recent_async(count, 0, []),
	}
	overview_read.emit(npc_id, await _answers(requests))
	memory.queue_free()


## Asks what an NPC recalls when this is said.
func recall(npc_id: String, config: MemoryConfig, said: String) -> void:
	var memory := _memory(npc_id, config)
	var requests: Dictionary[String, MemoryRequest] = {
		"memories": memory.retrieve_scored_async(said),
		"explained": memory.explain_async(said),
	}
	var answer := await _answers(requests)
	answer.tokens = 0
	for record: Dictionary in answer.memories:
		record.tokens = memory.estimate_tokens(record.rendered_text)
		answer.tokens += record.tokens
	var limits := MemoryConfig.new() if config == null else config
	answer.left_out = _left_out(answer.explained as Dictionary, limits)
	answer.budget = limits.memory_token_budget
	recalled.emit(npc_id, answer)
	memory.queue_free()


## Builds the dossier of an NPC for what the player says. The scene is empty: the game does not run.
func build_dossier(npc_id: String, config: MemoryConfig, said: String) -> void:
	var limits := own_dossier_config
	if preset != NPCDossierConfig.CUSTOM:
		limits = NPCDossierConfig.new()
		limits.preset = preset
	var memory := _memory(npc_id, config)
	var answers := await _answers({"dossier": memory.build_dossier_async(said, {}, limits)})
	var dossier := {"error": answers.error}
	if not dossier.error:
		dossier.merge(answers.dossier as Dictionary)
		for entry: Dictionary in dossier.left_out:
			if entry.section == "memories":
				var record: Variant = await memory.get_memory_async(entry.id as String).completed
				if record is Dictionary and record.has("document"):
					entry.text = record.document
	dossier_built.emit(npc_id, dossier)
	memory.queue_free()


## Reads what an NPC feels, and the last things that happened to it.
func read_mind(of: RAGMemory, config: NPCMindConfig) -> void:
	var mind := _mind(of, config)
	mind_read.emit(of.npc_id, await _answers({"mind": mind.run_command_async("panel", "")}))
	mind.get_parent().queue_free()


## Lets an NPC draw conclusions now, which are stored in the open save.
func reflect(of: RAGMemory, config: NPCMindConfig) -> void:
	var mind := _mind(of, config)
	var answers := await _answers({"reflected": mind.run_command_async("reflect", "")})
	var insights: Array = [] if answers.error else answers.reflected.insights
	reflected.emit(of.npc_id, {"insights": insights, "error": answers.error})
	mind.get_parent().queue_free()


func _on_opened(error: Error, request: MemoryRequest) -> void:
	if error == OK:
		await clock.until_read()
	if request == _opening:
		_opening = null
		opened.emit("" if error == OK else RAGSaveSession.problem_of(request))


# The results by name, and the errors in one text.
func _answers(requests: Dictionary[String, MemoryRequest]) -> Dictionary:
	var answers := {"error": ""}
	for name in requests:
		await requests[name].completed
		answers[name] = requests[name].get_result()
		answers.error += requests[name].get_error()
	return answers


# Returns which candidates are not in the answer and why, and how many memories were none.
func _left_out(explained: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var lines := PackedStringArray()
	var candidates: Array = explained.get("memories", [])
	var beyond := candidates.filter(
		func(candidate: Dictionary) -> bool: return not candidate.is_returned
	)
	for candidate: Dictionary in beyond.slice(0, _MOST_LEFT_OUT):
		var values := [candidate.document, candidate.get("score", 0.0), candidate.text]
		lines.append('Left out: "%s" (score %.2f). %s' % values)
	if beyond.size() > _MOST_LEFT_OUT:
		lines.append("… and %d more candidates were left out" % (beyond.size() - _MOST_LEFT_OUT))
	var stored := candidates.filter(
		func(candidate: Dictionary) -> bool: return not candidate.ranks.is_empty()
	)
	var others: int = explained.get("memory_count", 0) - stored.size()
	if others > 0:
		var values := [others, config.semantic_top_k, config.min_semantic_importance]
		lines.append(_NOT_COMPETING % values)
	return lines


# The nodes of the edited scene stay asleep; this one has the same NPC and config.
func _memory(npc_id: String, config: MemoryConfig) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	memory.config = config
	add_child(memory)
	return memory


# It never reflects unasked.
func _mind(of: RAGMemory, config: NPCMindConfig) -> NPCMind:
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new() if config == null else config.duplicate() as NPCMindConfig
	mind.config.auto_reflect = false
	_memory(of.npc_id, of.config).add_child(mind)
	return mind
