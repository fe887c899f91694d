@tool
extends VBoxContainer
## The panel for a [MemoryConfig] in the inspector: its mistakes, and what its values do
## to the score of a memory. Follows every change, also while a slider moves.

const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")
const RAGCurvePlot := preload("res://addons/rag_memory/editor/inspector/curve_plot.gd")
const RAGDiagnostics := preload("res://addons/rag_memory/editor/inspector/diagnostics.gd")
const RAGInheritedValues := preload("res://addons/rag_memory/editor/inspector/inherited_values.gd")
const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGTextRows := preload("res://addons/rag_memory/editor/inspector/text_rows.gd")

const _SIMILARITIES: Array[float] = [1.0, 0.75, 0.5, 0.25, 0.0]
const _TIERS: Array[String] = ["Pinned", "Important", "Regular"]
const _REGULAR := 2
const _USUAL_IMPORTANCE := 5
const _SCORE_MODES: Dictionary[int, String] = {
	MemoryConfig.BALANCED:
	"BALANCED: relevance leads; tier and importance decide when memories fit equally well.",
	MemoryConfig.PRODUCT:
	"PRODUCT: the design documents' exact formula, where tier and importance decide.",
	MemoryConfig.STREAM:
	"STREAM: recency since a memory was last recalled + importance + relevance, 0 to 1 each.",
}

## The resource that is shown; set before the panel enters the tree.
var config: MemoryConfig
## Rebuilds the index; lasts longer than a panel.
var node_memory: RAGNodeMemory
## Called without arguments: shows the memory browser.
var open_browser: Callable

var _shown_values := 0
# The question for the curves that has no answer yet, and whether it has to be asked again.
var _asking: MemoryRequest
var _asks_again := false

@onready var _warnings: RAGTextRows = %Warnings
@onready var _recency: RAGCurvePlot = %Recency
@onready var _score_mode: Label = %ScoreMode
@onready var _score: RAGCurvePlot = %Score
@onready var _tier: OptionButton = %Tier
@onready var _importance: SpinBox = %Importance


func _ready() -> void:
	for tier in _TIERS:
		_tier.add_item(tier)
	_tier.select(_REGULAR)
	_importance.value = _USUAL_IMPORTANCE
	_tier.item_selected.connect(func(_index: int) -> void: _ask_for_curves())
	_importance.value_changed.connect(func(_value: float) -> void: _ask_for_curves())
	(%Browse as Button).pressed.connect(func() -> void: open_browser.call())
	(%Rebuild as Button).pressed.connect(_on_rebuild_pressed)
	(%Copy as Button).pressed.connect(_on_copy_pressed)


# A slider sets the property while it moves, and nothing tells of it: the values are compared.
func _process(_delta: float) -> void:
	if is_visible_in_tree():
		var values := _values_hash()
		if values != _shown_values:
			_shown_values = values
			refresh()


## Shows the values the config has now.
func refresh() -> void:
	_score_mode.text = _SCORE_MODES.get(config.score_mode, "")
	_show_warnings()
	_ask_for_curves()


# The worker has the formula; the first question starts Python, and the inspector does not wait.
func _ask_for_curves() -> void:
	_asks_again = _asking != null
	if _asks_again:
		return
	_asking = config.get_score_curves_async(_tier.selected, int(_importance.value), _SIMILARITIES)
	_asking.completed.connect(_on_curves_answered, CONNECT_ONE_SHOT)


func _on_curves_answered(answer: Variant) -> void:
	var error := _asking.get_error()
	_asking = null
	if _asks_again:
		_ask_for_curves()
	elif error:
		_say("There are no curves to show. %s" % error)
	else:
		_show_curves(answer as Dictionary)


func _show_curves(curves: Dictionary) -> void:
	for plot: RAGCurvePlot in [_recency, _score]:
		plot.axis_end = curves["days"][-1]
	_recency.show_curves({"recency": PackedFloat64Array(curves["recency"] as Array)})
	var scores: Dictionary[String, PackedFloat64Array] = {}
	for index in _SIMILARITIES.size():
		var name := "%.2f" % _SIMILARITIES[index]
		scores[name] = PackedFloat64Array(curves["scores"][index] as Array)
	_score.show_curves(scores)


func _on_rebuild_pressed() -> void:
	if MemoryServer.current_save():
		node_memory.rebuild_index()
		_say("The search indexes of the save are deleted. Each is built again when it is needed.")
	else:
		_say("No save is open. Select a RAGMemory, or the browser, to open one.")


func _on_copy_pressed() -> void:
	DisplayServer.clipboard_set(RAGDiagnostics.text())
	_say("The diagnostics are in the clipboard.")


func _say(text: String) -> void:
	var message: Label = %Message
	message.text = text
	message.show()


func _show_warnings() -> void:
	_warnings.clear()
	for sentence in RAGConfigRules.broken(config):
		_warnings.add_warning(sentence)
	for sentence in RAGInheritedValues.sentences(config):
		_warnings.add_note(sentence)


func _values_hash() -> int:
	var values: Array = []
	var other := config
	while other != null:
		for property in ClassDB.class_get_property_list(&"MemoryConfig", true):
			values.append(other.get(property.name))
		other = other.inherits
	return values.hash()
