@tool
extends RefCounted
## Settings of a [MemoryConfig] that make no sense: one table, read by the inspector and by the
## warnings of nodes.

const SHORTEST_HALF_LIFE_DAYS := 1.0 / 24.0

## Of event types that are not in [member MemoryConfig.event_type_importance].
const _DEFAULT_EVENT_IMPORTANCE := 5
const _WRONG_WEIGHTS := (
	"tier_weights has %d values: every call fails until it has three, for PINNED, IMPORTANT and "
	+ "REGULAR memories."
)
const _UNREACHABLE := (
	"min_semantic_importance is above %d, the importance of event types that are not in "
	+ "event_type_importance: such events are never found for being relevant."
)
const _UNHEARD := "%s decides a tier but is not in valid_interaction_types: it is never reported."
const _STILL_TOO_MANY := (
	"consolidate_target is not below max_memories_before_consolidate: too many memories stay too "
	+ "many, or are again with the next one."
)


## Returns one sentence for each thing that makes no sense, in the order of the inspector.
static func broken(config: MemoryConfig) -> PackedStringArray:
	var sentences := out_of_range(config)
	var table := _table(config)
	for sentence: String in table:
		if table[sentence]:
			sentences.append(sentence)
	return sentences


# The sentences, each with whether it is said.
static func _table(c: MemoryConfig) -> Dictionary[String, bool]:
	var weights := c.tier_weights
	var has_weights := weights.size() == 3
	var is_product := c.score_mode == MemoryConfig.PRODUCT
	var twice := _shared(c.pinned_event_types, c.important_event_types)
	var unknown := _unknown_interaction(c)
	var self_superseding := _self_superseding(c)
	return {
		"memory_token_budget is 0: only protected memories are returned.":
		c.memory_token_budget == 0,
		_WRONG_WEIGHTS % weights.size(): not has_weights,
		"tier_weights: a lower tier weighs more than a higher one. PINNED should come first.":
		has_weights and (weights[0] < weights[1] or weights[1] < weights[2]),
		"tier_weights: memories of a tier with weight 0 have no score at all.":
		has_weights and weights.min() <= 0.0,
		"recency_half_life_days is less than an hour: memories fade within one conversation.":
		c.recency_half_life_days < SHORTEST_HALF_LIFE_DAYS,
		"recency_floor is 1: memories never fade, and recency_half_life_days does nothing.":
		c.recency_floor >= 1.0,
		"relevance_floor is 1: what is being talked about does not change the score.":
		c.relevance_floor >= 1.0,
		"superseded_score_multiplier is 1: a broken promise counts as if it still held.":
		c.superseded_score_multiplier >= 1.0,
		"high_relevance_threshold is 1: no memory is ever rendered in full.":
		c.use_dual_representation and c.high_relevance_threshold >= 1.0 and is_product,
		"high_relevance_threshold does nothing unless score_mode is PRODUCT.":
		not is_equal_approx(c.high_relevance_threshold, 0.85) and not is_product,
		"short_summary_target_length is above short_summary_max_length, which cuts it.":
		c.short_summary_target_length > c.short_summary_max_length,
		"semantic_top_k is 0: no memory is found for being relevant.":
		c.use_bounded_collection and c.semantic_top_k == 0,
		_UNREACHABLE % _DEFAULT_EVENT_IMPORTANCE:
		c.use_bounded_collection and c.min_semantic_importance > _DEFAULT_EVENT_IMPORTANCE,
		"important_event_types has %s, which is pinned already." % twice: twice != "",
		_UNHEARD % unknown: unknown != "",
		_STILL_TOO_MANY: c.consolidate_target >= c.max_memories_before_consolidate,
		"consolidation_age_days is 0: what was said a moment ago is merged into a summary.":
		c.auto_consolidate and c.consolidation_age_days == 0,
		"supersession_pairs: %s supersedes itself." % self_superseding: self_superseding != "",
	}


static func _shared(pinned: Array[String], important: Array[String]) -> String:
	for event_type in important:
		if event_type in pinned:
			return event_type
	return ""


static func _unknown_interaction(config: MemoryConfig) -> String:
	for interaction: String in config.pinned_interactions + config.important_interactions:
		if interaction not in config.valid_interaction_types:
			return interaction
	return ""


static func _self_superseding(config: MemoryConfig) -> String:
	for event_type: String in config.supersession_pairs:
		if config.supersession_pairs[event_type] == event_type:
			return event_type
	return ""


## Returns one sentence for each number that is out of its range. The inspector keeps numbers in it;
## a file or a script may not.
static func out_of_range(config: Resource) -> PackedStringArray:
	var sentences := PackedStringArray()
	for property in config.get_property_list():
		var is_number: bool = property.type == TYPE_INT or property.type == TYPE_FLOAT
		if not is_number or property.hint != PROPERTY_HINT_RANGE:
			continue
		var bounds: PackedStringArray = property.hint_string.split(",")
		var value: Variant = config.get(property.name)
		if value < float(bounds[0]) or value > float(bounds[1]):
			var words := "%s is %s, but must be from %s to %s: every call fails until it is."
			sentences.append(words % [property.name, value, bounds[0], bounds[1]])
	return sentences
