@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name MemoryDebugConsole
extends CanvasLayer
## A console that shows what the NPCs of a running game remember. The backtick key opens it.
##
## Add [code]addons/rag_memory/debug/memory_debug_console.tscn[/code] to a scene, or as an autoload.
## It lists, shows, searches, stores, forgets and pins memories, with the factors of every score. It
## sets relationships and story flags, consolidates, and goes back in time. It shows the prompt for
## an NPC, and what an NPC remembers of quests. Of an NPC with an [NPCMind] it shows mood, feelings
## and interactions; it passes events to the mind and lets it reflect. Type [code]help[/code].[br]
## Everything works from the keyboard. [kbd]Up[/kbd] and [kbd]Down[/kbd] bring back earlier
## commands. [kbd]Tab[/kbd] completes a command or the id of an NPC. [kbd]Page Up[/kbd] and
## [kbd]Page Down[/kbd] scroll, and [kbd]Escape[/kbd] closes. An answer is shown from its beginning.

const _RAGDebugCommands := preload("res://addons/rag_memory/debug/debug_commands.gd")
const _RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const _TYPED_COLOR := Color(0.62, 0.78, 1.0)
const _FAILED_COLOR := Color(1.0, 0.55, 0.5)

## The key that opens and closes the console, by its place on a US keyboard.
@export var toggle_key := KEY_QUOTELEFT
## If [code]true[/code], the console stays closed in a released game and carries out no command.
@export var only_in_debug_builds := true
## Whose story flags the command [code]flag[/code] shows and sets.
@export var world_knowledge: _RAGWorldKnowledge:
	set(value):
		world_knowledge = value
		if _commands != null:
			_commands.world_knowledge = value

var _commands: _RAGDebugCommands
var _own_commands: Dictionary[String, Dictionary] = {}
var _typed: Array[String] = []
var _typed_at := 0
var _is_busy := false
# The paragraph of the last command. Its answer begins there, with the best hits.
var _answer_at := 0

@onready var _output: RichTextLabel = %Output
@onready var _input_line: LineEdit = %Input


func _ready() -> void:
	hide()
	if only_in_debug_builds and not OS.is_debug_build():
		set_process_input(false)
		return
	_commands = _RAGDebugCommands.new(get_tree())
	_commands.world_knowledge = world_knowledge
	_commands.own = _own_commands
	_input_line.text_submitted.connect(run_command)
	_print("Memory console. Type help.")


func _input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed:
		return
	if key.physical_keycode == toggle_key or key.keycode == toggle_key:
		if not key.echo:
			_toggle()
		get_viewport().set_input_as_handled()
	elif visible and _use_key(key.keycode):
		get_viewport().set_input_as_handled()


## Runs a command as if it had been typed. Await it to go on when its answer is printed.
## [codeblock]
## var scene: PackedScene = load("res://addons/rag_memory/debug/memory_debug_console.tscn")
## var console: MemoryDebugConsole = scene.instantiate()
## add_child(console)
## await console.run_command("stats")
## print(console.get_text())
## [/codeblock]
func run_command(line: String) -> void:
	if _commands == null or _is_busy or not line.strip_edges():
		return
	_input_line.clear()
	_typed.append(line)
	_typed_at = _typed.size()
	_answer_at = _last_paragraph()
	_print("> " + line, _TYPED_COLOR)
	if line.strip_edges().to_lower() == "clear":
		_output.clear()
		_answer_at = 0
		return
	_is_busy = true
	var answer := await _commands.run(line)
	_is_busy = false
	_print(answer, _FAILED_COLOR if _commands.npc.has_failed else Color.WHITE)


## Adds a command of the game's own. A command of the same name gives way to it: so the commands
## about quests can go to the game's quests. [param help] is its line in [code]help[/code].
## [param run] is called with the words after the command, a [PackedStringArray]. What it returns is
## printed; it may await.
## [codeblock]
## var scene: PackedScene = load("res://addons/rag_memory/debug/memory_debug_console.tscn")
## var console: MemoryDebugConsole = scene.instantiate()
## add_child(console)
## var quests := {}
## var start := func(words: PackedStringArray) -> String:
##     quests[words[0]] = "started"
##     return "The quest %s has begun." % words[0]
## console.add_command("quest_start", "quest_start QUEST: begin a quest of the game", start)
## await console.run_command("quest_start lost_ring")
## print(quests)  # -> { "lost_ring": "started" }
## [/codeblock]
func add_command(command: String, help: String, run: Callable) -> void:
	_own_commands[command.to_lower()] = {"help": help, "run": run}


## Returns everything that is on the screen.
func get_text() -> String:
	return _output.get_parsed_text()


func _toggle() -> void:
	visible = not visible
	if visible:
		_input_line.grab_focus()
		_input_line.edit()
	else:
		_input_line.release_focus()


func _use_key(keycode: Key) -> bool:
	match keycode:
		KEY_ESCAPE:
			_toggle()
		KEY_UP:
			_recall(-1)
		KEY_DOWN:
			_recall(1)
		KEY_TAB:
			_complete()
		KEY_PAGEUP:
			_scroll(-1)
		KEY_PAGEDOWN:
			_scroll(1)
		_:
			return false
	return true


func _recall(step: int) -> void:
	_typed_at = clampi(_typed_at + step, 0, _typed.size())
	_input_line.text = _typed[_typed_at] if _typed_at < _typed.size() else ""
	_input_line.caret_column = _input_line.text.length()


func _complete() -> void:
	var start := _input_line.text
	var choices := PackedStringArray(_commands.help().keys())
	var command := start.get_slice(" ", 0)
	if " " in start and _commands.names_an_npc(command):
		choices.clear()
		for memory: RAGMemory in _commands.npc.memories_in_scene():
			choices.append(command + " " + memory.npc_id)
	var fitting := PackedStringArray()
	for choice: String in choices:
		if start and choice.begins_with(start):
			fitting.append(choice)
	if fitting.size() == 1:
		_input_line.text = fitting[0] + " "
		_input_line.caret_column = _input_line.text.length()
	elif not fitting.is_empty():
		_answer_at = _last_paragraph()
		_print("  ".join(fitting))


func _scroll(pages: int) -> void:
	var bar := _output.get_v_scroll_bar()
	bar.value += pages * bar.page * 0.9


func _print(text: String, color := Color.WHITE) -> void:
	if not text:
		return
	_output.push_color(color)
	_output.add_text(text + "\n")
	_output.pop()
	_output.scroll_to_paragraph(_answer_at)


func _last_paragraph() -> int:
	return maxi(0, _output.get_paragraph_count() - 1)
