@tool
extends VBoxContainer
## The panel for an [NPCMind] in the inspector: mood, feelings, the last interactions, and how much
## has gathered to reflect upon, in the open save.

const RAGFeelingBar := preload("res://addons/rag_memory/editor/inspector/feeling_bar.gd")
const RAGMindTexts := preload("res://addons/rag_memory/debug/mind_texts.gd")
const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGNodeMind := preload("res://addons/rag_memory/editor/inspector/node_mind.gd")
const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const RAGSceneMinds := preload("res://addons/rag_memory/debug/scene_minds.gd")

const _INTERACTION_COUNT := 5
const _MOST_FEELINGS := 12
const _NO_MEMORY := (
	"Whose mind is this? Move it below the NPC's RAGMemory, or set Memory above, to see what she "
	+ "feels."
)
const _NO_NPC := "Set Npc ID of %s to see what this NPC feels."
const _NO_SAVES := (
	"There is no save yet. Play the project once: the first RAGMemory or NPCMind that is used makes "
	+ "one."
)
const _NOT_OPEN := "Open a save to see what this NPC feels in it."
const _NO_FEELINGS := "Nobody: nothing has happened between her and anybody."
const _NO_INTERACTIONS := "None. What the game tells with perceive() is listed here."
const _NO_INSIGHTS := "No conclusions: fewer than two of her last memories say something together."

## The node that is selected; set before the panel enters the tree.
var node: NPCMind
## Opens saves; lasts longer than a panel.
var node_memory: RAGNodeMemory
## Answers the questions; lasts longer than a panel.
var node_mind: RAGNodeMind
## Called with an NPC's id: shows the memory browser.
var open_browser: Callable

var _memory: RAGMemory

@onready var _saves: OptionButton = %Saves
@onready var _open: Button = %Open
@onready var _message: Label = %Message
@onready var _content: VBoxContainer = %Content
@onready var _mood: Label = %Mood
@onready var _intensity: ProgressBar = %Intensity
@onready var _feelings: VBoxContainer = %Feelings
@onready var _interactions: VBoxContainer = %Interactions
@onready var _gathered: Label = %Gathered
@onready var _gathered_bar: ProgressBar = %GatheredBar
@onready var _reflect: Button = %Reflect
@onready var _reflecting: ProgressBar = %Reflecting
@onready var _insights: VBoxContainer = %Insights


func _ready() -> void:
	_open.pressed.connect(_on_open_pressed)
	_reflect.pressed.connect(_on_reflect_pressed)
	(%Browse as Button).pressed.connect(_on_browse_pressed)
	node_memory.opened.connect(_on_opened)
	node_mind.overview_read.connect(_on_overview_read)
	node_mind.reflected.connect(_on_reflected)
	MemoryServer.save_opened.connect(_on_save_changed)
	MemoryServer.save_closed.connect(_on_save_changed)
	refresh()


## Shows what the panel knows of the NPC as she is now.
func refresh() -> void:
	_memory = RAGSceneMinds.memory_of(node)
	var current := MemoryServer.current_save()
	_list_saves(current)
	_content.hide()
	(%Browse as Button).disabled = _memory == null
	if _memory == null:
		_say(_NO_MEMORY)
	elif not _memory.npc_id:
		_say(_NO_NPC % _memory.name)
	elif _saves.item_count == 0:
		_say(_NO_SAVES)
	elif not current:
		_say(_NOT_OPEN)
	else:
		_say("Reading …")
		node_mind.overview(_memory, node.config, _INTERACTION_COUNT)


func _on_save_changed(_save_id: String) -> void:
	_clear(_insights)
	refresh()


func _list_saves(current: String) -> void:
	var chosen := current if current else _chosen()
	_saves.clear()
	for save_id in RAGSavesFolder.list_saves():
		_saves.add_item(save_id)
		if save_id == chosen:
			_saves.select(_saves.item_count - 1)
	_saves.disabled = _saves.item_count == 0
	_open.disabled = _saves.item_count == 0


func _chosen() -> String:
	return _saves.get_item_text(_saves.selected) if _saves.selected >= 0 else ""


func _say(text: String) -> void:
	_message.text = text
	_message.visible = text != ""


func _on_open_pressed() -> void:
	_open.disabled = true
	_say("Opening %s. The first time, Python and the model are loaded." % _chosen())
	node_memory.open(_chosen())


func _on_opened(problem: String) -> void:
	refresh()
	if problem:
		_say(problem)


func _on_browse_pressed() -> void:
	if is_instance_valid(_memory):
		open_browser.call(_memory.npc_id)


func _on_overview_read(npc_id: String, overview: Dictionary) -> void:
	if not is_instance_valid(_memory) or npc_id != _memory.npc_id:
		return
	_say(overview["error"] as String)
	_content.visible = not overview["error"]
	if not overview["error"]:
		_mood.text = RAGMindTexts.mood(overview["emotion"] as Dictionary)
		_intensity.value = overview["emotion"]["intensity"]
		_show_feelings(
			RAGMindTexts.strongest_first((overview["dispositions"] as Dictionary).values())
		)
		_show_interactions(overview["interactions"] as Array)
		_show_gathered(overview["gathered"] as float)


func _show_feelings(dispositions: Array) -> void:
	_clear(_feelings)
	for disposition: Dictionary in dispositions.slice(0, _MOST_FEELINGS):
		_add_text(_feelings, RAGMindTexts.feeling(disposition)).tooltip_text = disposition["character_id"]
		var bar := RAGFeelingBar.new()
		bar.strength = disposition["strength"]
		bar.feeling = disposition["feeling"]
		bar.tooltip_text = "0 hates, 50 is indifferent, 100 loves"
		_feelings.add_child(bar)
	if dispositions.size() > _MOST_FEELINGS:
		_add_text(_feelings, "… and %d more" % (dispositions.size() - _MOST_FEELINGS))
	elif dispositions.is_empty():
		_add_text(_feelings, _NO_FEELINGS)


func _show_interactions(interactions: Array) -> void:
	_clear(_interactions)
	for record: Dictionary in interactions:
		var label := _add_text(_interactions, "• " + RAGMindTexts.interaction(record))
		label.tooltip_text = record.get("why", "")
	if interactions.is_empty():
		_add_text(_interactions, _NO_INTERACTIONS)


func _show_gathered(gathered: float) -> void:
	var config := NPCMindConfig.new() if node.config == null else node.config
	_gathered.text = (
		"%.1f of %.1f importance has gathered since the last reflection."
		% [gathered, config.reflection_threshold]
	)
	_gathered_bar.max_value = maxf(config.reflection_threshold, 0.001)
	_gathered_bar.value = gathered


func _on_reflect_pressed() -> void:
	_set_reflecting(true)
	_clear(_insights)
	node_mind.reflect(_memory, node.config)


func _on_reflected(npc_id: String, answer: Dictionary) -> void:
	_set_reflecting(false)
	if not is_instance_valid(_memory) or npc_id != _memory.npc_id:
		return
	var insights: Array = answer["insights"]
	for insight: String in insights:
		_add_text(_insights, "• " + insight)
	if answer["error"]:
		_add_text(_insights, answer["error"] as String)
	elif insights.is_empty():
		_add_text(_insights, _NO_INSIGHTS)
	if MemoryServer.current_save():
		node_mind.overview(_memory, node.config, _INTERACTION_COUNT)


func _set_reflecting(is_reflecting: bool) -> void:
	_reflect.disabled = is_reflecting
	_reflecting.visible = is_reflecting


func _add_text(to: VBoxContainer, text: String) -> Label:
	var label := Label.new()
	label.text = text
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.mouse_filter = Control.MOUSE_FILTER_PASS
	to.add_child(label)
	return label


func _clear(container: VBoxContainer) -> void:
	for child in container.get_children():
		container.remove_child(child)
		child.queue_free()
