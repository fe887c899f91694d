@tool
extends RefCounted
## Finds mistakes in an [NPCDossierConfig], for the inspector.

const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")

const _MAX_ITEMS: Array[String] = ["turns", "memories", "events", "tasks", "lore", "debates"]
const _MIN_ITEMS: Array[String] = ["memories", "events", "lore"]
const _NO_SECTION := 'flow_order: a dossier has no section "%s".'
const _FAILS := " Every call fails until it is one of %s."


## Returns one sentence for each thing that is wrong, in the order of the inspector.
static func broken(config: NPCDossierConfig) -> PackedStringArray:
	var sentences := RAGConfigRules.out_of_range(config)
	var sections := NPCDossierConfig.new().flow_order
	for section in config.flow_order:
		if section not in sections:
			sentences.append(_NO_SECTION % section + _FAILS % ", ".join(sections))
	sentences.append_array(_unknown_keys("section_tokens", config.section_tokens, sections))
	sentences.append_array(_unknown_keys("max_items", config.max_items, _MAX_ITEMS))
	sentences.append_array(_unknown_keys("min_items", config.min_items, _MIN_ITEMS))
	for section in config.min_items:
		if config.min_items[section] > config.max_items.get(section, config.min_items[section]):
			sentences.append(
				'min_items: "%s" is above its max_items, which is never passed.' % section
			)
	return sentences


static func _unknown_keys(
	name: String, values: Dictionary, sections: Array[String]
) -> PackedStringArray:
	var sentences := PackedStringArray()
	for key in values:
		if key not in sections:
			var problem := '%s: the key "%s" is unknown.' % [name, key]
			sentences.append(problem + _FAILS % ", ".join(sections))
	return sentences
