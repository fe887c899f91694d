@tool
extends EditorInspectorPlugin
## Adds a panel to the inspector of a [RAGMemory] and of a [MemoryConfig].

const ConfigPanel := preload("res://addons/rag_memory/editor/inspector/config_panel.gd")
const MemoryPanel := preload("res://addons/rag_memory/editor/inspector/memory_panel.gd")
const NodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const _CONFIG_SCENE := preload("res://addons/rag_memory/editor/inspector/config_panel.tscn")
const _MEMORY_SCENE := preload("res://addons/rag_memory/editor/inspector/memory_panel.tscn")

const _LAST_PROPERTY := "persistent"

## Answers the questions of the panels.
var node_memory: NodeMemory
## Called with an NPC's id, which may be left out: shows the memory browser.
var open_browser: Callable


func _can_handle(object: Object) -> bool:
	return object is RAGMemory or object is MemoryConfig


func _parse_begin(object: Object) -> void:
	if object is MemoryConfig:
		var panel: ConfigPanel = _CONFIG_SCENE.instantiate()
		panel.config = object
		panel.node_memory = node_memory
		panel.open_browser = open_browser
		add_custom_control(panel)


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
	return false
