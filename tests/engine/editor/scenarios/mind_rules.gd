@tool
# Says what the editor finds wrong with each of many configs of a mind.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const MindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")


func play() -> void:
	say("defaults", MindConfigRules.broken(NPCMindConfig.new()))
	for values: Dictionary in JSON.parse_string(FileAccess.get_file_as_string("res://cases.json")):
		var config := NPCMindConfig.new()
		for property: String in values:
			var value: Variant = values[property]
			if property.ends_with("_rules"):
				var rules: Array[Dictionary] = []
				rules.assign(value as Array)
				value = rules
			config.set(property, value)
		say("case", [values, MindConfigRules.broken(config)])
