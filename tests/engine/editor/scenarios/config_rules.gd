@tool
# Breaks every rule of config_rules.gd, one at a time, and says what is said then.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const ConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")

const BROKEN: Array[Dictionary] = [
	{"memory_token_budget": 0},
	{"tier_weights": [1.0, 2.0]},
	{"tier_weights": [1.0, 2.0, 1.0]},
	{"tier_weights": [3.0, 2.0, 0.0]},
	{"recency_half_life_days": 0.01},
	{"recency_floor": 1.0},
	{"relevance_floor": 1.0},
	{"superseded_score_multiplier": 1.0},
	{"high_relevance_threshold": 1.0},
	{"high_relevance_threshold": 1.0, "score_mode": MemoryConfig.PRODUCT},
	{"short_summary_target_length": 101},
	{"semantic_top_k": 0},
	{"min_semantic_importance": 6},
	{"important_event_types": ["betrayal"]},
	{"pinned_interactions": ["duel"]},
	{"consolidate_target": 50},
	{"auto_consolidate": true, "consolidation_age_days": 0},
	{"supersession_pairs": {"promise_made": "promise_made"}},
	{"recency_floor": 1.5},
]


func play() -> void:
	say("defaults", ConfigRules.broken(MemoryConfig.new()))
	for values in BROKEN:
		var config := MemoryConfig.new()
		for property: String in values:
			config.set(property, values[property])
		say("broken", [values.keys()[0], ConfigRules.broken(config)])
