extends Node2D
## Thornhaven: one can walk through it and talk to seven people who remember.
##
## This script joins the parts: the clock, the villagers, the player, the panels and the saved game.

const BeginningOfGame := preload("beginning.gd")
const Company := preload("company.gd")
const Controls := preload("controls.gd")
const Day := preload("day.gd")
const Deeds := preload("deeds.gd")
const Goal := preload("goal.gd")
const Language := preload("language.gd")
const Map := preload("map.gd")
const MemoryPanel := preload("memory_panel.gd")
const Player := preload("player.gd")
const PromptView := preload("prompt_view.gd")
const SavedGame := preload("saved_game.gd")
const StatusBar := preload("status_bar.gd")
const TalkPanel := preload("talk_panel.gd")
const Villager := preload("villager.gd")

const REACH := 66.0
const CLICK_RADIUS := 26.0
const HOURS: Dictionary[StringName, float] = {
	&"village_hour": 1.0, &"village_day": 24.0, &"village_week": 168.0
}
const TALKING := "One moment: villagers are talking. Save when they have finished."
const UNSAID := "You went before you had given your word."
const BUSY := "One moment: the villagers are still busy with their memories."
const YOU := "You are Rowan. Give, promise, steal, then ask what they remember."
## What a villager has in mind when the player comes near.
const GREETED := "the player"
const REMEMBERS_NOTHING := "The villagers remember nothing. "
const NO_MODEL := "The language model does not answer. Villagers answer from memory. "
## The argument behind which the address of a server with OpenAI's API stands.
const MODEL_ARGUMENT := "--model-address="

## Whom the player talks to, or null.
var partner: Villager
## What came of the last line: the result of [method NPCDialogue.say].
var last_answer: Dictionary = {}
var deeds := Deeds.new()

var _saved_game := SavedGame.new()
var _villagers: Array[Villager] = []
var _wanted: Villager
var _is_open := false
var _is_busy := false
var _is_closing := false

@onready var _day: Day = $Day
@onready var _company: Company = $Company
@onready var _goal: Goal = $Goal
@onready var _map: Map = %Map
@onready var _people: Node2D = %People
@onready var _lamps: Node2D = $World/Lamps
@onready var _player: Player = %Player
@onready var _talk: TalkPanel = %Talk
@onready var _memories: MemoryPanel = %Memories
@onready var _prompt: PromptView = %Prompt
@onready var _journal: NPCJournal = %Journal
@onready var _status: StatusBar = %Status
@onready var _console: MemoryDebugConsole = $MemoryDebugConsole


func _ready() -> void:
	Controls.install()
	get_tree().auto_accept_quit = false
	MemoryServer.set_clock(func() -> float: return _day.now)
	MemoryServer.runtime_failed.connect(
		func(error: String) -> void: _status.tell("", tr(REMEMBERS_NOTHING) + error)
	)
	for each: Node in get_tree().get_nodes_in_group(&"villagers"):
		_villagers.append(each as Villager)
	var world := NPCWorldKnowledge.new()
	world.player_name = tr(Deeds.PLAYER)
	var model := _model()
	for villager: Villager in _villagers:
		villager.dialogue.world = world
		villager.dialogue.model = model
		villager.dialogue.chunk.connect(_hear_chunk.bind(villager))
		villager.live(_day.hour(), true)
	_company.join(_villagers, _player)
	_company.held.connect(_overhear)
	_goal.join(_villagers)
	_goal.changed.connect(_show_goal)
	_goal.news_spread.connect(_tell_news)
	MemoryWorld.matter_overdue.connect(_tell_overdue)
	_day.skipped.connect(_on_time_skipped)
	_talk.said.connect(_say)
	_talk.deed_chosen.connect(_do)
	_talk.left.connect(leave)
	_status.action_chosen.connect(_act)
	_console.world_knowledge = world
	_journal.since = Day.BEGINNING
	_journal.closed.connect(
		func() -> void:
			if partner != null:
				_talk.take_focus()
	)
	_memories.show_help()
	_talk.begin_anew(tr(YOU))
	_open(_saved_game.exists())


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


# A villager may be in the middle of remembering something: the game waits for that.
func _notification(what: int) -> void:
	if what == NOTIFICATION_WM_CLOSE_REQUEST:
		leave()
		_is_closing = true


func _process(delta: float) -> void:
	if _is_closing and MemoryServer.get_activity()["queue_length"] == 0:
		get_tree().quit()
	_map.modulate = _day.light()
	_people.modulate = _day.light().lerp(Color.WHITE, 0.6)
	_lamps.modulate.a = _day.darkness()
	_status.show_date(_day.date())
	var near := _nearest()
	for villager: Villager in _villagers:
		villager.live(_day.hour())
		villager.figure.is_chosen = villager == near and partner == null
	_talk.show_hint("" if near == null else _hint(near))
	if _wanted != null and _is_in_reach(_wanted):
		talk_to(_wanted, false)
	if partner == null and is_ready():
		_company.live(_day.now)
		_goal.live(delta)


func _input(event: InputEvent) -> void:
	if _console.visible or not event.is_pressed() or event.is_echo():
		return
	for action: StringName in StatusBar.ACTIONS.keys() + [&"village_leave", &"village_skip"]:
		if event.is_action(action):
			get_viewport().set_input_as_handled()
			_act(action)
	if event.is_action(&"village_menu"):
		_status.take_focus()


func _unhandled_input(event: InputEvent) -> void:
	if not event.is_pressed() or event.is_echo() or _console.visible or not is_ready():
		return
	var click := event as InputEventMouseButton
	if click != null and click.button_index == MOUSE_BUTTON_LEFT:
		_click(_map.get_global_transform().affine_inverse() * click.position)
	elif event.is_action(&"village_talk") and partner == null and _nearest() != null:
		get_viewport().set_input_as_handled()
		talk_to(_nearest(), event is InputEventJoypadButton)


## Begins a talk: the villager stands still and greets.
func talk_to(villager: Villager, with_pad: bool) -> void:
	leave()
	_wanted = null
	partner = villager
	villager.is_talking = true
	_player.stop()
	_player.is_free = false
	_talk.open(villager.display_name(), with_pad)
	_hear(villager.dialogue.greet(Villager.SPEECH), tr(GREETED))


func leave() -> void:
	if partner != null:
		partner.dialogue.cancel()
		partner.is_talking = false
		partner = null
	_player.is_free = true
	_talk.close()
	_memories.show_help()


## The villager with this id, or null.
func villager_of(npc_id: String) -> Villager:
	for villager: Villager in _villagers:
		if villager.memory.npc_id == npc_id:
			return villager
	return null


## Whether the save is open and nothing is being saved, loaded or done.
func is_ready() -> bool:
	return _is_open and not _is_busy and not _is_closing


func _say(line: String) -> void:
	_hear(partner.dialogue.say(line, Villager.SPEECH), line)


# The answer of the partner to these words. What they bring to her mind is shown at once. Returns
# whether she answered, and remembers it.
func _hear(request: MemoryRequest, words: String) -> bool:
	var villager := partner
	_talk.expect_answer()
	_recall(words)
	var answer: Dictionary = await request.completed
	if answer.is_empty():
		if not request.is_cancelled():
			_status.tell("", request.get_error())
			_talk.hear("...")
		return false
	last_answer = answer
	if answer["error"]:
		_status.tell("", tr(NO_MODEL) + answer["error"])
	if villager == partner:
		_memories.show_villager(villager, _near(villager))
		_memories.show_memories(answer["memories"] as Array)
		_goal.hear(villager, answer)
	return true


func _hear_chunk(text: String, villager: Villager) -> void:
	if villager == partner:
		_talk.hear(text)


# What the player notices of a talk between villagers.
func _overhear(talk: Dictionary) -> void:
	var manner: String = talk.get("manner", "say")
	var heard := _company.share(talk["by"] as String, "player", manner)
	var by := villager_of(talk["by"] as String).display_name()
	var to := villager_of(talk["to"] as String).display_name()
	if heard == 0.0 or partner != null:
		return
	if heard < 1.0 or manner == "whisper":
		var seen := (
			tr("{by} whispers to {to}.") if manner == "whisper" else tr("{by} talks to {to}.")
		)
		_talk.note(seen.format({"by": by, "to": to}))
		return
	_talk.show_overheard(tr("{by} to {to}").format({"by": by, "to": to}), tr(talk["line"]))
	_talk.show_overheard(to, tr(talk["response"]))
	var hearers := _company.hearers(talk)
	_talk.note(tr("Overheard by %s.") % (tr(", ").join(hearers) if hearers else tr("nobody else")))


func _show_goal(text: String) -> void:
	_status.show_goal(text)
	if _goal.stage == Goal.Stage.FOUND and partner != null:
		_talk.note(text)


func _tell_news(teller: Villager, hearer: Villager) -> void:
	var names := {"teller": teller.display_name(), "hearer": hearer.display_name()}
	_status.tell(tr("{teller} tells {hearer} of the cart that squealed.").format(names))


func _tell_overdue(_npc_id: String, matter: Dictionary) -> void:
	_status.tell(tr("Overdue: %s") % matter["text"])


func _recall(words: String) -> void:
	var villager := partner
	_memories.show_villager(villager, _near(villager))
	var found: Array = await villager.memory.retrieve_scored_async(words).completed
	if villager == partner:
		_memories.show_memories(found)


func _do(deed: StringName) -> void:
	if not is_ready() or partner == null:
		_status.tell(BUSY)
		return
	_is_busy = true
	var villager := partner
	var told: String
	deeds.words = ""
	if deed == &"steal":
		told = await deeds.steal(villager, _witnesses(villager))
	else:
		told = await deeds.call(deed, villager)
	_is_busy = false
	if villager != partner and deed == &"promise":
		told = UNSAID
	_status.tell(told)
	if villager != partner:
		return
	_talk.note(told)
	if deeds.words:
		_talk.show_player_line(deeds.words)
		var said := deeds.words
		var is_heard := await _hear(villager.dialogue.say(said, Villager.SPEECH), said)
		if is_heard and deed == &"promise":
			deeds.promises[villager.memory.npc_id] = villager.wish
	else:
		_recall(told)


# What a key or a button of the status bar stands for.
func _act(action: StringName) -> void:
	var is_closing := action in [&"village_leave", &"village_prompt", &"village_journal"]
	if is_closing and _prompt.visible:
		_prompt.hide()
	elif is_closing and _journal.visible:
		_journal.close()
	elif action == &"village_leave":
		leave()
	elif action == &"village_skip":
		_talk.skip()
	elif action == &"village_prompt":
		_prompt.show_prompt(last_answer.get("prompt", {}) as Dictionary)
	elif action == &"village_journal":
		_show_journal()
	elif _is_busy:
		_status.tell(BUSY)
	elif action == &"village_new":
		_open(false)
	elif not _is_open:
		return
	elif HOURS.has(action):
		_day.skip(HOURS[action])
	elif action == &"village_save":
		_save()
	elif action == &"village_load":
		_load()


# In a talk what the villager remembers, too; otherwise what is open between all of them.
func _show_journal() -> void:
	if partner == null:
		_journal.show_matters(tr("What is still open, and what was"))
	else:
		_journal.show_npc(partner.memory, tr("What %s remembers") % partner.display_name())


# Goes on with the saved game, or begins a new one.
func _open(saved: bool) -> void:
	leave()
	_is_busy = true
	_day.is_running = false
	_status.tell("", "The villagers gather their memories ...")
	var problem := await _saved_game.open() if saved else await _saved_game.open_new()
	if problem.is_empty() and saved:
		_is_open = true
		await _load()
		return
	if problem.is_empty():
		deeds = Deeds.new()
		_day.now = Day.BEGINNING
		_company.begin_anew()
		problem = await BeginningOfGame.new().remember(_villagers)
		_goal.begin()
	_end_opening(problem, "Welcome to Thornhaven.")


func _save() -> void:
	if _villagers.any(func(each: Villager) -> bool: return each.dialogue.is_speaking()):
		_status.tell(TALKING)
		return
	_is_busy = true
	var place := [_player.position.x, _player.position.y]
	var state := {"now": _day.now, "place": place, "promises": deeds.promises, "given": deeds.given}
	state["talks"] = [_company.count, _company.last]
	var problem := await _saved_game.save(state)
	_is_busy = false
	_status.tell(tr("Saved: %s.") % _day.date(), problem)


func _load() -> void:
	if not _saved_game.exists():
		_status.tell("There is no saved game yet. F5 saves this one.")
		return
	leave()
	_is_busy = true
	var file := _saved_game.read()
	var problem := file.problem
	if problem.is_empty():
		var state: Dictionary = file.content
		var before := _day.now
		_day.now = state.get("now", Day.BEGINNING)
		problem = await _saved_game.restore()
		if problem.is_empty():
			var place: Array = state.get("place", [440.0, 250.0])
			_player.position = Vector2(place[0] as float, place[1] as float)
			var talks: Array = state.get("talks", [0, Day.BEGINNING])
			_company.begin_anew(talks[0] as int, talks[1] as float)
			deeds.promises = state.get("promises", {})
			deeds.given = state.get("given", 0)
			_goal.resume()
		else:
			_day.now = before
	_end_opening(problem, tr("Loaded: %s. What came later is forgotten.") % _day.date())


func _end_opening(problem: String, success: String) -> void:
	_is_busy = false
	_is_open = _is_open or problem.is_empty()
	_day.is_running = _is_open
	last_answer = {}
	_on_time_skipped()
	if not _is_open:
		problem = tr(REMEMBERS_NOTHING) + problem
	if problem.is_empty():
		_talk.begin_anew(tr(YOU))
	_status.tell(success, problem)


func _on_time_skipped() -> void:
	leave()
	for villager: Villager in _villagers:
		villager.live(_day.hour(), true)
		villager.show_mood()


func _click(point: Vector2) -> void:
	if not Rect2(Vector2.ZERO, Map.SIZE).has_point(point):
		return
	leave()
	_wanted = null
	for villager: Villager in _villagers:
		var middle := villager.position - Vector2(0, 16)
		if villager.visible and middle.distance_to(point) < CLICK_RADIUS:
			_wanted = villager
	if _wanted != null:
		var side := 42.0 if point.x < _player.position.x else -42.0
		var beside := _wanted.position + Vector2(side, 8.0)
		point = beside if not _map.is_blocked(beside) else _wanted.position + Vector2(0, 46)
	_player.walk_to(point)


func _nearest() -> Villager:
	var nearest: Villager = null
	for villager: Villager in _villagers:
		if _is_in_reach(villager) and (nearest == null or _distance(villager) < _distance(nearest)):
			nearest = villager
	return nearest


func _is_in_reach(villager: Villager) -> bool:
	return villager.visible and _distance(villager) < REACH


func _distance(villager: Villager) -> float:
	return villager.position.distance_to(_player.position)


func _hint(villager: Villager) -> String:
	var name := villager.display_name()
	if villager.activity.is_empty():
		return tr("%s. E: talk") % name
	return tr("%s, %s. E: talk") % [name, villager.activity]


func _witnesses(villager: Villager) -> Array[Villager]:
	var found: Array[Villager] = []
	for id: String in villager.witnesses():
		found.append(villager_of(id))
	return found


func _near(villager: Villager) -> Array:
	return _witnesses(villager).map(func(each: Villager) -> String: return each.display_name())


func _model() -> NPCLanguageModel:
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with(MODEL_ARGUMENT):
			var model := NPCOpenAILanguageModel.new()
			model.base_url = argument.trim_prefix(MODEL_ARGUMENT)
			model.retries = 0
			model.answer_habit = 2  # It only speaks: the first answer comes word by word, too.
			return model
	return null
