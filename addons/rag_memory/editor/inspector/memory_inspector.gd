@tool
extends EditorInspectorPlugin
## Adds a panel to the inspector of a [RAGMemory], an [NPCMind] and their configs.

const RAGConfigPanel := preload("res://addons/rag_memory/editor/inspector/config_panel.gd")
const MemoryPanel := preload("res://addons/rag_memory/editor/inspector/memory_panel.gd")
const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")
const RAGConfigWarnings := preload("res://addons/rag_memory/editor/inspector/config_warnings.gd")
const RAGDossierConfigRules := preload("res://addons/rag_memory/editor/dossier_config_rules.gd")
const RAGMindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")
const RAGMindPanel := preload("res://addons/rag_memory/editor/inspector/mind_panel.gd")
const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGRulesProperty := preload("res://addons/rag_memory/editor/inspector/rules_property.gd")
const _CONFIG_SCENE := preload("res://addons/rag_memory/editor/inspector/config_panel.tscn")
const _MEMORY_SCENE := preload("res://addons/rag_memory/editor/inspector/memory_panel.tscn")
const _MIND_SCENE := preload("res://addons/rag_memory/editor/inspector/mind_panel.tscn")

const _LAST_PROPERTY := "senses"
const _LAST_PROPERTY_OF_MIND := "proximity_area"
const _RULES: Array[String] = ["encoding_rules", "mood_rules"]

## Answers the questions of the panels.
var node_memory: RAGNodeMemory
## Called with an NPC's id, which may be left out: shows the memory browser.
var open_browser: Callable


func _can_handle(object: Object) -> bool:
	return (
		object is RAGMemory
		or object is NPCMind
		or object is MemoryConfig
		or _rules_of(object).is_valid()
	)


func _parse_begin(object: Object) -> void:
	if object is MemoryConfig:
		var panel: RAGConfigPanel = _CONFIG_SCENE.instantiate()
		panel.config = object
		panel.node_memory = node_memory
		panel.open_browser = open_browser
		add_custom_control(panel)
	elif _rules_of(object).is_valid():
		var warnings := RAGConfigWarnings.new()
		warnings.config = object
		warnings.rules = _rules_of(object)
		add_custom_control(warnings)


func _rules_of(object: Object) -> Callable:
	if object is NPCMindConfig:
		return RAGMindConfigRules.broken
	if object is NPCDossierConfig:
		return RAGDossierConfigRules.broken
	return RAGConfigRules.out_of_range if object is MemoryWorldConfig else Callable()


# Below the last of the node's own properties, above those of every Node.
func _parse_property(
	object: Object,
	_type: Variant.Type,
	name: String,
	_hint_type: PropertyHint,
	_hint_string: String,
	_usage_flags: int,
	_wide: bool
) -> bool:
	if object is RAGMemory and name == _LAST_PROPERTY:
		var panel: MemoryPanel = _MEMORY_SCENE.instantiate()
		panel.node = object
		panel.node_memory = node_memory
		panel.open_browser = open_browser
		add_property_editor(name, panel, true)
	elif object is NPCMind and name == _LAST_PROPERTY_OF_MIND:
		var panel: RAGMindPanel = _MIND_SCENE.instantiate()
		panel.node = object
		panel.node_memory = node_memory
		panel.open_browser = open_browser
		add_property_editor(name, panel, true)
	elif object is NPCMindConfig and name in _RULES:
		add_property_editor(name, RAGRulesProperty.new())
		return true
	return false
