@tool
extends RefCounted
## The score of a memory by age and similarity, for plots. A test compares it with
## [method RAGMemory.calculate_memory_score].


## How recent a memory of this age counts, from [member MemoryConfig.recency_floor] to 1.
static func recency(config: MemoryConfig, age_days: float) -> float:
	var fading := pow(2.0, -age_days / maxf(config.recency_half_life_days, 0.001))
	return config.recency_floor + (1.0 - config.recency_floor) * fading


## The score of a memory that is not superseded.
static func score(
	config: MemoryConfig, tier: int, importance: int, age_days: float, similarity: float
) -> float:
	var weight: float = config.tier_weights[tier] if tier < config.tier_weights.size() else 0.0
	var relevance := config.relevance_floor + (1.0 - config.relevance_floor) * similarity
	var share := importance / 10.0
	if config.score_mode == MemoryConfig.BALANCED:
		return (
			(0.9 + 0.2 * share)
			* pow(weight, 0.25)
			* (0.9 + 0.1 * recency(config, age_days))
			* pow(relevance, 3.0 if config.relevance_mode == MemoryConfig.DENSE else 1.0)
		)
	return weight * share * recency(config, age_days) * relevance


## The age at which a plot ends: fading is over by then.
static func longest_age_days(config: MemoryConfig) -> float:
	return 5.0 * maxf(config.recency_half_life_days, 0.001)
