@tool
extends RefCounted
## What is wrong with an [NPCDossierConfig], or makes no sense in it: read by the inspector.

const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")

const _BUDGET := "_tokens"
const _COUNTED: Array[String] = ["memories", "events", "lore"]


## Returns one sentence for each thing that is wrong, in the order of the inspector.
static func broken(config: NPCDossierConfig) -> PackedStringArray:
	var sentences := RAGConfigRules.out_of_range(config)
	var sections := _sections(config)
	for section in config.flow_order:
		if section not in sections:
			(
				sentences
				. append(
					(
						'flow_order: a dossier has no section "%s". Every call fails until it is one of %s.'
						% [section, ", ".join(sections)]
					)
				)
			)
	for section in _COUNTED:
		var most := "max_" + section
		if config.get("min_" + section) > config.get(most):
			sentences.append("min_%s is above %s, which is never passed." % [section, most])
	return sentences


# Each section has a budget.
static func _sections(config: NPCDossierConfig) -> PackedStringArray:
	var sections := PackedStringArray()
	for property in config.get_property_list():
		var name: String = property.name
		if name.ends_with(_BUDGET) and name != "total_tokens":
			sections.append(name.trim_suffix(_BUDGET))
	return sections
