@tool
extends "res://addons/rag_memory/editor/inspector/save_panel.gd"
## The panel for a [RAGMemory] in the inspector: how many memories its NPC has in the open save, the
## last ones, what it would recall, and what a language model would be told of it.

const RAGDossierView := preload("res://addons/rag_memory/editor/inspector/dossier_view.gd")
const RAGDiagnostics := preload("res://addons/rag_memory/editor/inspector/diagnostics.gd")
const RAGNowField := preload("res://addons/rag_memory/editor/now_field.gd")
const RAGRecallView := preload("res://addons/rag_memory/editor/inspector/recall_view.gd")
const RAGTalkView := preload("res://addons/rag_memory/editor/inspector/talk_view.gd")
const RAGTextRows := preload("res://addons/rag_memory/editor/inspector/text_rows.gd")

const _RECENT_COUNT := 3
const _NO_SAVES := (
	"There is no save yet. Play the project once: the first RAGMemory that is used creates one. "
	+ "Or press New Save, and talk to this NPC here."
)
const _NO_NPC := "Set Npc ID above to see this NPC's memories."
const _NOT_OPEN := "Open a save to see what this NPC remembers in it."
const _NOTHING_STORED := '"%s" has no memories in this save.'
const _RECALLED := (
	"The memories that would reach the prompt, and how many tokens of the budget "
	+ "(MemoryConfig.memory_token_budget) they use. A token is about three letters."
)
const _DOSSIER := "All sections together. Each bar shows how much of its budget a section takes."
const _PRESETS: Dictionary[String, NPCDossierConfig.DossierPreset] = {
	"Small (4B)": NPCDossierConfig.SMALL_4B,
	"Medium (8B)": NPCDossierConfig.MEDIUM_8B,
	"Large (32B)": NPCDossierConfig.LARGE_32B,
	"Custom": NPCDossierConfig.CUSTOM,
}

## The node that is selected; set before the panel enters the tree.
var node: RAGMemory

# The message to show once the panel is up to date again.
var _news := ""
# The last query: for recalled memories, or for the dossier.
var _ask_again := _on_asked

@onready var _counts: Label = %Counts
@onready var _recent: RAGTextRows = %Recent
@onready var _talk: RAGTalkView = %Talk
@onready var _question: LineEdit = %Question
@onready var _ask: Button = %Ask
@onready var _presets: OptionButton = %Presets
@onready var _own_config: EditorResourcePicker = %OwnConfig
@onready var _build: Button = %Build
@onready var _now: RAGNowField = %Now
@onready var _summary: Label = %Summary
@onready var _recalled: RAGRecallView = %Recalled
@onready var _dossier: RAGDossierView = %Dossier
@onready var _rebuild: Button = %Rebuild


func _ready() -> void:
	super()
	_talk.set_up(node, node_memory.talk)
	_ask.pressed.connect(_on_asked)
	_question.text_submitted.connect(func(_text: String) -> void: _on_asked())
	_question.text = node_memory.question
	for preset in _PRESETS:
		_presets.add_item(preset, _PRESETS[preset])
	_presets.select(_presets.get_item_index(node_memory.preset))
	_presets.item_selected.connect(_on_preset_selected)
	_own_config.edited_resource = node_memory.own_dossier_config
	_own_config.visible = node_memory.preset == NPCDossierConfig.CUSTOM
	_own_config.resource_changed.connect(_on_own_config_changed)
	_build.pressed.connect(_on_build_pressed)
	_now.set_up(node_memory.clock)
	_now.edited.connect(_on_now_edited)
	_rebuild.pressed.connect(_on_rebuild_pressed)
	_browse.pressed.connect(func() -> void: open_browser.call(node.npc_id))
	(%Copy as Button).pressed.connect(_on_copy_pressed)
	_rebuild.tooltip_text = "Deletes the search indexes of the open save. They are built again."
	(%Copy as Button).tooltip_text = "Copies versions, state and timings for a bug report."
	node_memory.overview_read.connect(_on_overview_read)
	node_memory.recalled.connect(_on_recalled)
	node_memory.dossier_built.connect(_on_dossier_built)
	_on_save_changed("")


func _on_save_changed(_save_id: String) -> void:
	_clear_answer()
	refresh()


func _clear_answer() -> void:
	_summary.hide()
	_recalled.clear()
	_dossier.hide()


func refresh() -> void:
	var current := MemoryServer.current_save()
	_list_saves()
	_content.hide()
	_rebuild.disabled = not current
	if not node.npc_id:
		_say(_NO_NPC)
	elif _saves.item_count == 0:
		_say(_NO_SAVES)
	elif not current:
		_say(_NOT_OPEN)
	else:
		_show_overview()


func _show_overview() -> void:
	_say("Reading …")
	node_memory.overview(node.npc_id, node.config, _RECENT_COUNT)


func _on_overview_read(npc_id: String, overview: Dictionary) -> void:
	if npc_id != node.npc_id:
		return
	if overview.error:
		_say(overview.error)
		return
	var stats: Dictionary = overview.stats
	_say(_NOTHING_STORED % npc_id if stats.total == 0 else _news)
	_content.show()
	var words := "%d memories: %d pinned, %d important, %d regular"
	_counts.text = words % [stats.total, stats.pinned, stats.important, stats.regular]
	_recent.clear()
	for memory: Dictionary in overview.recent:
		var row := _recent.add_text("• " + str(memory.document))
		row.tooltip_text = memory.document
		row.max_lines_visible = 2
		row.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS


func _on_open_pressed() -> void:
	_news = ""
	super()


func _on_asked() -> void:
	_ask_again = _on_asked
	if _take_question():
		node_memory.recall(node.npc_id, node.config, _question.text)


func _on_build_pressed() -> void:
	_ask_again = _on_build_pressed
	if _take_question():
		node_memory.build_dossier(node.npc_id, node.config, _question.text)


# Returns whether there is a question that can be asked now.
func _take_question() -> bool:
	node_memory.question = _question.text
	if _ask.disabled or not _question.text.strip_edges():
		_question.grab_focus()
		return false
	_set_busy(true)
	return true


func _on_preset_selected(_index: int) -> void:
	node_memory.preset = _presets.get_selected_id() as NPCDossierConfig.DossierPreset
	_own_config.visible = node_memory.preset == NPCDossierConfig.CUSTOM


func _on_own_config_changed(config: Resource) -> void:
	node_memory.own_dossier_config = config as NPCDossierConfig


# Repeats the last query at the new time.
func _on_now_edited() -> void:
	if _summary.visible:
		_ask_again.call()


func _on_recalled(npc_id: String, answer: Dictionary) -> void:
	_set_busy(false)
	if npc_id != node.npc_id:
		return
	if answer.error:
		_say(answer.error)
		return
	_clear_answer()
	var memories: Array = answer.memories
	_summary.tooltip_text = _RECALLED
	_summary.text = (
		"%d recalled, %d of %d tokens" % [memories.size(), answer.tokens, answer.budget]
	)
	_summary.show()
	_recalled.show_memories(memories, answer.left_out)


func _on_dossier_built(npc_id: String, dossier: Dictionary) -> void:
	_set_busy(false)
	if npc_id != node.npc_id:
		return
	if dossier.error:
		_say(dossier.error as String)
		return
	_clear_answer()
	_summary.tooltip_text = _DOSSIER
	_summary.text = "A dossier of %d tokens" % dossier.tokens
	_summary.show()
	_dossier.show_dossier(dossier)


func _on_rebuild_pressed() -> void:
	_set_busy(true)
	_news = "The search indexes of the save are deleted. Each is built again when it is needed."
	node_memory.rebuild_index()


func _on_copy_pressed() -> void:
	DisplayServer.clipboard_set(RAGDiagnostics.text())
	_say("The diagnostics are in the clipboard.")


func _set_busy(is_busy: bool) -> void:
	super(is_busy)
	for button: Button in [_ask, _build, _rebuild]:
		button.disabled = is_busy
