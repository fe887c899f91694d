@tool
extends "res://addons/rag_memory/editor/inspector/save_panel.gd"
## The panel for an [NPCMind] in the inspector: mood, feelings, the last interactions, and how much
## has gathered to reflect upon, in the open save.

const RAGFeelingBar := preload("res://addons/rag_memory/editor/inspector/feeling_bar.gd")
const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const RAGTextRows := preload("res://addons/rag_memory/editor/inspector/text_rows.gd")

const _MOST_FEELINGS := 12
const _NO_MEMORY := (
	"This node has no RAGMemory. Move it below the RAGMemory of its NPC, or set Memory above, to see "
	+ "what the NPC feels."
)
const _NO_NPC := "Set Npc ID of %s to see what this NPC feels."
const _NO_SAVES := (
	"There is no save yet. Play the project once: the first RAGMemory or NPCMind that is used makes "
	+ "one. Or press New Save."
)
const _NOT_OPEN := "Open a save to see what this NPC feels in it."
const _NO_FEELINGS := "Nobody yet: perceive() and adjust_disposition() change feelings."
const _NO_INTERACTIONS := "None yet. Events that your game passes to perceive() appear here."
const _SCALE := "0 hates, 50 is indifferent, 100 loves"
const _NO_INSIGHTS := "No conclusions: no two recent memories have something in common."

## The node that is selected; set before the panel enters the tree.
var node: NPCMind

var _memory: RAGMemory

@onready var _mood: Label = %Mood
@onready var _intensity: ProgressBar = %Intensity
@onready var _feelings: RAGTextRows = %Feelings
@onready var _interactions: RAGTextRows = %Interactions
@onready var _gathered: Label = %Gathered
@onready var _gathered_bar: ProgressBar = %GatheredBar
@onready var _reflect: Button = %Reflect
@onready var _reflecting: ProgressBar = %Reflecting
@onready var _insights: RAGTextRows = %Insights


func _ready() -> void:
	super()
	_reflect.pressed.connect(_on_reflect_pressed)
	_browse.pressed.connect(_on_browse_pressed)
	node_memory.mind_read.connect(_on_mind_read)
	node_memory.reflected.connect(_on_reflected)
	refresh()


func refresh() -> void:
	_memory = RAGNearNodes.memory_of(node)
	_list_saves()
	_content.hide()
	_browse.disabled = _memory == null
	if _memory == null:
		_say(_NO_MEMORY)
	elif not _memory.npc_id:
		_say(_NO_NPC % _memory.name)
	elif _saves.item_count == 0:
		_say(_NO_SAVES)
	elif not MemoryServer.current_save():
		_say(_NOT_OPEN)
	else:
		_say("Reading …")
		node_memory.read_mind(_memory, node.config)


func _on_save_changed(save_id: String) -> void:
	_insights.clear()
	super(save_id)


func _on_browse_pressed() -> void:
	if is_instance_valid(_memory):
		open_browser.call(_memory.npc_id)


func _on_mind_read(npc_id: String, overview: Dictionary) -> void:
	if not is_instance_valid(_memory) or npc_id != _memory.npc_id:
		return
	_say(overview["error"] as String)
	_content.visible = not overview["error"]
	if not overview["error"]:
		var mind: Dictionary = overview["mind"]
		_mood.text = mind["mood"]
		_intensity.value = mind["emotion"]["intensity"]
		_show_feelings(mind)
		_show_interactions(mind["interactions"] as Array)
		_show_gathered(mind["gathered"] as float)


func _show_feelings(mind: Dictionary) -> void:
	_feelings.clear()
	var count: int = mind["known_count"]
	for index: int in mini(count, _MOST_FEELINGS):
		var disposition: Dictionary = mind["dispositions"][index]
		var label := _feelings.add_text(mind["feelings"][index] as String)
		label.tooltip_text = "%s: %s" % [disposition["character_id"], _SCALE]
		var bar := RAGFeelingBar.new()
		bar.strength = disposition["strength"]
		bar.feeling = disposition["feeling"]
		bar.tooltip_text = _SCALE
		_feelings.add_child(bar)
	if count > _MOST_FEELINGS:
		_feelings.add_text("… and %d more" % (count - _MOST_FEELINGS))
	elif count == 0:
		_feelings.add_text(_NO_FEELINGS)


func _show_interactions(interactions: Array) -> void:
	_interactions.clear()
	for record: Dictionary in interactions:
		var label := _interactions.add_text("• " + record["text"])
		label.tooltip_text = record["why"]
	if interactions.is_empty():
		_interactions.add_text(_NO_INTERACTIONS)


func _show_gathered(gathered: float) -> void:
	var config := NPCMindConfig.new() if node.config == null else node.config
	var words := "%.1f of %.1f importance has gathered since the last reflection."
	_gathered.text = words % [gathered, config.reflection_threshold]
	_gathered_bar.max_value = maxf(config.reflection_threshold, 0.001)
	_gathered_bar.value = gathered


func _on_reflect_pressed() -> void:
	_set_reflecting(true)
	_insights.clear()
	node_memory.reflect(_memory, node.config)


func _on_reflected(npc_id: String, answer: Dictionary) -> void:
	_set_reflecting(false)
	if not is_instance_valid(_memory) or npc_id != _memory.npc_id:
		return
	var insights: Array = answer["insights"]
	for insight: String in insights:
		_insights.add_text("• " + insight)
	if answer["error"]:
		_insights.add_text(answer["error"] as String)
	elif insights.is_empty():
		_insights.add_text(_NO_INSIGHTS)
	if MemoryServer.current_save():
		node_memory.read_mind(_memory, node.config)


func _set_reflecting(is_reflecting: bool) -> void:
	_reflect.disabled = is_reflecting
	_reflecting.visible = is_reflecting
