@tool
extends "res://addons/rag_memory/editor/inspector/text_rows.gd"
## The warnings that the inspector shows for an [NPCMindConfig], a [MemoryWorldConfig] or an
## [NPCDossierConfig]: what is wrong with it. Follows every change.

const RAGInheritedValues := preload("res://addons/rag_memory/editor/inspector/inherited_values.gd")

## The resource that is shown; set before the panel enters the tree, as is the other.
var config: Resource
## Called with the resource: returns one sentence for each thing that is wrong.
var rules: Callable

var _said := PackedStringArray()
var _inherited := PackedStringArray()


func _ready() -> void:
	name = config.get_class() + "Panel"
	refresh()


# A rule is changed inside its table, and nothing tells of it: the config is looked at again.
func _process(_delta: float) -> void:
	if is_visible_in_tree() and (rules.call(config) != _said or _sources() != _inherited):
		refresh()


## Says what is wrong with the config now.
func refresh() -> void:
	_said = rules.call(config)
	clear()
	for sentence in _said:
		add_warning(sentence)
	_inherited = _sources()
	for sentence in _inherited:
		add_note(sentence)


func _sources() -> PackedStringArray:
	return RAGInheritedValues.sentences(config) if config is NPCMindConfig else PackedStringArray()
