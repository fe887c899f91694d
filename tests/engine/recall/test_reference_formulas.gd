# Runs typed and untyped.
# Runs without the model.
# Thousands of random memories against what the reference documents say (reference_formulas.gd).
# The seeds are fixed: a failure comes again.
extends "res://tests/engine/case.gd"

const Reference = preload("res://tests/engine/recall/reference_formulas.gd")
const DAY := 86400.0
const NOW := 1_700_000_000.0

const NAMES: Array[String] = [
	"Theron", "Mira", "Marcus", "Elena", "Bjorn", "Old Mill", "Thornhaven"
]
const WORDS: Array[String] = [
	"the",
	"bandits",
	"came",
	"down",
	"from",
	"their",
	"hollow",
	"and",
	"took",
	"grain",
	"while",
	"nobody",
	"watched",
	"over",
	"a",
	"broken",
	"gate",
	"near",
	"river",
	"because",
	"it",
	"rained",
	"all",
	"night",
	"long",
	"so",
	"we",
	"waited",
	"by",
	"fire",
	"until",
	"morning",
	"then",
	"left",
]
const OTHER_EVENTS: Array[String] = [
	"general", "conversation", "rumor", "weather", "promise_made", "trade", "life_saved"
]

var _random := RandomNumberGenerator.new()


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


func _game_time() -> float:
	return NOW


func test_score_of_random_memories() -> void:
	MemoryServer.set_clock(_game_time)
	_random.seed = 41
	var memory: RAGMemory = make_memory()
	for round: int in 6:
		var config: MemoryConfig = MemoryConfig.new()
		config.score_mode = MemoryConfig.PRODUCT
		if round > 0:
			var weights: Array[float] = [_random.randf_range(2, 5), _random.randf_range(1, 2), 0.5]
			config.tier_weights = weights
			config.recency_half_life_days = _random.randf_range(0.5, 60.0)
			config.recency_floor = _random.randf_range(0.0, 0.9)
			config.relevance_floor = _random.randf_range(0.0, 0.9)
			config.superseded_score_multiplier = _random.randf_range(0.0, 1.0)
		memory.config = config
		for number: int in 400:
			var each: Dictionary = _random_memory()
			var expected: float = Reference.score(
				each,
				NOW,
				config.tier_weights,
				config.recency_half_life_days,
				config.recency_floor,
				config.relevance_floor,
				config.superseded_score_multiplier
			)
			check_near(memory.calculate_memory_score(each), expected, str(each))


func test_score_of_the_example_in_the_plan() -> void:
	MemoryServer.set_clock(_game_time)
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.score_mode = MemoryConfig.PRODUCT
	var example: Dictionary = {
		"metadata": {"memory_tier": 0, "importance": 10, "timestamp": NOW - DAY}, "distance": 0.2
	}
	var score: float = memory.calculate_memory_score(example, "test context")
	check(score > 2.0, "PINNED high-importance recent memory should score > 2.0, is %f" % score)
	var old_pinned: Dictionary = {
		"metadata": {"memory_tier": 0, "importance": 10, "timestamp": NOW - 10 * DAY},
		"similarity": 0.3
	}
	var new_regular: Dictionary = {
		"metadata": {"memory_tier": 2, "importance": 5, "timestamp": NOW}, "similarity": 0.9
	}
	check_near(
		memory.calculate_memory_score(new_regular), 0.465, "the overview's new REGULAR", 1e-3
	)
	check_near(memory.calculate_memory_score(old_pinned), 0.856, "the overview's old PINNED", 1e-2)


func test_tier_of_random_memories() -> void:
	_random.seed = 42
	var config: MemoryConfig = MemoryConfig.new()
	check_equal(config.pinned_event_types, Reference.PINNED_EVENTS)
	check_equal(config.important_event_types, Reference.IMPORTANT_EVENTS)
	check_equal(config.valid_interaction_types, Reference.INTERACTION_TYPES)
	check_equal(config.high_signal_event_types, Reference.HIGH_SIGNAL_EVENTS)
	var memory: RAGMemory = make_memory()
	memory.config = config
	var batch: Array[Dictionary] = []
	var expected: Array[int] = []
	for number: int in 1200:
		var event_type: String = _random_event()
		var interaction: String = _random_interaction()
		var importance: int = _random.randi_range(1, 10)
		var is_marked: bool = _random.randf() < 0.1
		var each: Dictionary = {
			"text": "Event %d." % number, "importance": importance, "event_type": event_type
		}
		if interaction != "" and _random.randf() < 0.5:
			each["interaction_type"] = interaction
		elif interaction != "":
			each["analysis"] = {"interaction_type": interaction}
		if is_marked:
			each["is_milestone"] = true
		batch.append(each)
		expected.append(
			Reference.tier(
				event_type,
				importance,
				interaction,
				is_marked,
				config.pinned_interactions,
				config.important_interactions
			)
		)
		if not is_marked:
			check_equal(
				config.get_tier_for_event(event_type, importance, interaction),
				expected[-1],
				str(each)
			)
	var ids: PackedStringArray = await memory.store_batch_async(batch).completed
	check_equal(ids.size(), batch.size())
	for number: int in ids.size():
		var metadata: Dictionary = memory.get_memory(ids[number])["metadata"]
		check_equal(metadata["memory_tier"], expected[number], str(batch[number]))


func test_without_analysis_the_interaction_type_decides_no_tier() -> void:
	_random.seed = 43
	var config: MemoryConfig = MemoryConfig.new()
	config.use_analysis_for_tier_detection = false
	for number: int in 1000:
		var event_type: String = _random_event()
		var importance: int = _random.randi_range(1, 10)
		var interaction: String = _random_interaction()
		check_equal(
			config.get_tier_for_event(event_type, importance, interaction),
			Reference.tier(
				event_type, importance, "", false, [] as Array[String], [] as Array[String]
			),
			"%s, %d, %s" % [event_type, importance, interaction]
		)


func test_milestones() -> void:
	var memory: RAGMemory = make_memory()
	var config: MemoryConfig = MemoryConfig.new()
	var milestones: Array[Array] = watch(memory.milestone_created)
	var marked: Array[Dictionary] = [{"is_milestone": true}, {"is_first": true}]
	for event_type: String in config.milestone_event_types:
		marked.append({"event_type": event_type})
	for data: Dictionary in marked:
		var id: String = memory.store("Something changed.", 5, data)
		check_equal(memory.get_memory(id)["metadata"]["is_milestone"], true, str(data))
	var of_the_family: Array[String] = [
		"My father died in the mine.",
		"My daughter was killed by the bandits.",
		"I buried my husband today.",
		"My brother is dead.",
		"My mother passed away last night.",
		"They murdered my wife.",
	]
	for text: String in of_the_family:
		var id: String = memory.store(text)
		check_equal(memory.get_memory(id)["metadata"]["is_milestone"], true, text)
	await frames(3)
	check_equal(milestones.size(), marked.size() + of_the_family.size())
	var none_of_it: Array[String] = [
		"My horse died.",
		"The old king is dead.",
		"My daughter danced all night.",
		"A bandit was killed by my brother.",
		"My mother told me that the well is dry.",
	]
	for text: String in none_of_it:
		var id: String = memory.store(text)
		check_equal(memory.get_memory(id)["metadata"].get("is_milestone", false), false, text)


func test_status_label_at_every_boundary() -> void:
	var memory: RAGMemory = make_memory()
	for trust: int in range(-100, 101):
		for affection: int in [-100, -1, 0, 1, 49, 50, 51, 100]:
			memory.set_relationship_state({"trust": trust, "affection": affection})
			var text: String = memory.generate_relationship_header()["document"]
			var expected: String = "Status=%s]" % Reference.status_label(trust, affection)
			if not text.ends_with(expected):
				check_equal(text, expected, "trust %d, affection %d" % [trust, affection])
				return
			checks += 1


func test_relationship_header_of_random_states() -> void:
	MemoryServer.set_clock(_game_time)
	_random.seed = 44
	for number: int in 40:
		var memory: RAGMemory = make_memory("header %d" % number)
		var has_met: bool = number % 4 != 0
		var days: int = 0
		if has_met:
			var age: float = _random.randf_range(0.0, 90.0)
			days = int(age)
			memory.store(
				"We met at the well.",
				10,
				{"event_type": "first_meeting", "timestamp": NOW - age * DAY}
			)
		for state: int in 10:
			var trust: int = _random.randi_range(-100, 100)
			var affection: int = _random.randi_range(-100, 100)
			var fear: int = _random.randi_range(0, 20)
			var respect: int = _random.randi_range(-100, 100)
			memory.set_relationship_state(
				{"trust": trust, "affection": affection, "fear": fear, "respect": respect}
			)
			var header: Dictionary = memory.generate_relationship_header()
			check_equal(
				header["document"], Reference.header(has_met, days, trust, affection, fear, respect)
			)
			check_equal(header["id"], "header %d_relationship_header" % number)
			check_equal(header["metadata"]["slot_type"], "relationship_header")
			check_equal(header["metadata"]["npc_id"], memory.npc_id)
			check(memory.is_protected(header), "the header is protected")


func test_relationship_header_of_strangers() -> void:
	var header: String = make_memory("stranger").generate_relationship_header()["document"]
	check(header.begins_with("[Met=no, Days=0, Trust=50, Affection=0, Fear=0, "), header)
	check(header.ends_with("Status=neutral]"), header)


func test_short_forms_of_random_texts() -> void:
	await _check_short_forms(45)


func test_short_forms_of_more_random_texts() -> void:
	await _check_short_forms(145)


func _check_short_forms(seed_number: int) -> void:
	_random.seed = seed_number
	var memory: RAGMemory = make_memory()
	var batch: Array[Dictionary] = []
	var facts: Array[Array] = []
	for number: int in 600:
		var in_it: Array[String] = []
		batch.append({"text": _random_text(in_it)})
		facts.append(in_it)
	var ids: PackedStringArray = await memory.store_batch_async(batch).completed
	for number: int in ids.size():
		var stored: Dictionary = memory.get_memory(ids[number])
		var text: String = batch[number]["text"]
		check_equal(stored["document_full"], text)
		var short: String = stored["document_short"]
		var fault: String = Reference.short_form_fault(text, short, facts[number])
		check(fault == "", "%s\n    text  %s\n    short %s" % [fault, text, short])


func test_clamped_deltas() -> void:
	_random.seed = 46
	for round: int in 10:
		var config: MemoryConfig = MemoryConfig.new()
		var limits: Dictionary = Reference.DELTA_LIMITS.duplicate()
		if round > 0:
			for key: String in limits:
				limits[key] = _random.randi_range(1, 30)
				config.set("max_" + key, limits[key])
		for number: int in 200:
			var analysis: Dictionary = {"player_tone": "friendly"}
			for key: String in limits:
				if _random.randf() < 0.8:
					analysis[key] = _random.randi_range(-60, 60)
			var clamped: Dictionary = config.clamp_relationship_deltas(analysis)
			for key: String in limits:
				var expected: int = clampi(analysis.get(key, 0), -limits[key], limits[key])
				check_near(clamped.get(key, 0), expected, "%s of %s" % [key, analysis])
			check(not "player_tone" in clamped, "only deltas: %s" % clamped)


func test_importance_of_random_state_changes() -> void:
	_random.seed = 47
	var memory: RAGMemory = make_memory()
	check_equal(memory.calculate_importance("an event nobody listed"), 5)
	check_equal(memory.calculate_importance("conversation"), 6)
	var flags: Array[String] = [
		"secret_revealed",
		"player_name_learned",
		"obligation_created",
		"promise_made",
		"promise_broken",
		"quest_started",
		"quest_completed",
		"npc_injured",
		"npc_died",
	]
	for number: int in 1500:
		var event_type: String = _random_event()
		var base: int = memory.calculate_importance(event_type)
		check(base >= 1 and base <= 10, "%s: %d" % [event_type, base])
		var deltas: Dictionary = {}
		for flag: String in flags:
			if _random.randf() < 0.12:
				deltas[flag] = _random.randf() < 0.9
		for key: String in ["trust_change", "affection_change", "fear_change", "respect_change"]:
			if _random.randf() < 0.5:
				deltas[key] = _random.randi_range(-12, 12)
		check_equal(
			memory.calculate_importance(event_type, {}, deltas),
			Reference.importance(base, deltas),
			"%s: %s" % [event_type, deltas]
		)


func test_importance_of_the_convenience_calls() -> void:
	var memory: RAGMemory = make_memory()
	var stored: Dictionary[String, int] = {
		memory.store_milestone("first_meeting", "We met at the well."): 10,
		memory.store_player_action("helped", "carried the grain"): 8,
		memory.store_quest_memory("lost_ring", "completed"): 8,
		memory.store_witnessed_event("The inn burned."): 7,
		memory.store_conversation("player", "I will come."): 6,
		memory.store("A quiet day."): 5,
	}
	for id: String in stored:
		check_equal(memory.get_memory(id)["metadata"]["importance"], stored[id], id)


func test_deterministic_deltas() -> void:
	var memory: RAGMemory = make_memory()
	var expected: Dictionary[String, Dictionary] = {
		"gift_given": {"affection_change": 5, "trust_change": 2},
		"betrayal": {"trust_change": -15, "affection_change": -10},
		"life_saved": {"trust_change": 15, "affection_change": 10, "fear_change": -5},
		"weather": {},
	}
	for event_type: String in expected:
		var deltas: Dictionary = memory.get_deterministic_deltas(event_type)
		for key: String in Reference.DELTA_LIMITS:
			var delta: int = deltas.get(key, 0)
			check_equal(delta, expected[event_type].get(key, 0), "%s of %s" % [key, event_type])


func test_answers_follow_score_budget_and_form() -> void:
	MemoryServer.set_clock(_game_time)
	_random.seed = 48
	var memory: RAGMemory = make_memory()
	var config: MemoryConfig = MemoryConfig.new()
	config.score_mode = MemoryConfig.PRODUCT
	memory.config = config
	var batch: Array[Dictionary] = []
	for number: int in 300:
		batch.append(
			{
				"text": _random_text([] as Array[String]),
				"importance": _random.randi_range(1, 10),
				"event_type": _random_event(),
				"timestamp": NOW - _random.randf_range(0.0, 60.0) * DAY
			}
		)
	await memory.store_batch_async(batch).completed
	memory.store("Their name is Theron.", 9, {"slot_type": "player_name"})
	memory.store("They broke it.", 8, {"event_type": "promise_broken"})
	for number: int in 60:
		# Every third question repeats a memory: then its full form is the right one.
		var question: String = "Who came over the river with %s?" % NAMES[number % NAMES.size()]
		if number % 3 == 0:
			question = batch[_random.randi_range(0, batch.size() - 1)]["text"]
		var budget: int = _random.randi_range(100, 2500)
		_check_answer(memory.retrieve_scored(question, budget), budget, config)
		await frames(1)


func _check_answer(answer: Array, budget: int, config: MemoryConfig) -> void:
	var used: int = 0
	var last_score: float = INF
	var has_unprotected: bool = false
	var slots: Array = []
	for each: Dictionary in answer:
		used += Reference.tokens(each["rendered_text"])
		_check_form(each)
		if each["protected"]:
			check(not has_unprotected, "protected memories come first")
			slots.append(each["metadata"]["slot_type"])
			continue
		has_unprotected = true
		check(each["score"] <= last_score, "best first")
		last_score = each["score"]
		if config.relevance_mode == MemoryConfig.DENSE:
			var expected: float = Reference.score(
				each,
				NOW,
				config.tier_weights,
				config.recency_half_life_days,
				config.recency_floor,
				config.relevance_floor,
				config.superseded_score_multiplier
			)
			check_near(each["score"], expected, str(each["metadata"]), 1e-4)
		var parts: Dictionary = each["breakdown"]
		check_near(
			(
				parts["tier_weight"]
				* parts["importance"]
				* parts["recency"]
				* parts["relevance"]
				* parts["supersession"]
			),
			each["score"],
			"the product of the breakdown",
			1e-4
		)
		check_near(each["similarity"], 1.0 - each["distance"])
	check(used <= budget, "%d tokens of %d" % [used, budget])
	check_equal(slots, ["relationship_header", "player_name"])


func _check_form(each: Dictionary) -> void:
	var full: String = each["document_full"]
	var short: String = each["document_short"]
	check(each["rendered_text"] == (full if each["used_form"] == "full" else short), str(each))
	if not each["protected"] and each["similarity"] < 0.85 and full != short:
		check_equal(each["used_form"], "short", "similarity %f" % each["similarity"])


func _random_memory() -> Dictionary:
	var metadata: Dictionary = {}
	var memory: Dictionary = {"metadata": metadata}
	if _random.randf() < 0.9:
		metadata["memory_tier"] = _random.randi_range(0, 2)
	if _random.randf() < 0.9:
		metadata["importance"] = _random.randi_range(1, 10)
	if _random.randf() < 0.95:
		metadata["timestamp"] = NOW - _random.randf_range(0.0, 120.0) * DAY
	match _random.randi_range(0, 3):
		0:
			metadata["superseded_by"] = "another_memory"
		1:
			metadata["superseded_by"] = ""
	match _random.randi_range(0, 3):
		0:
			memory["distance"] = _random.randf_range(0.0, 1.5)
		1:
			memory["similarity"] = _random.randf()
		2:
			memory["similarity"] = _random.randf()
			memory["distance"] = 1.0 - memory["similarity"]
	return memory


func _random_event() -> String:
	var lists: Array[Array] = [
		Reference.PINNED_EVENTS,
		Reference.IMPORTANT_EVENTS,
		Reference.HIGH_SIGNAL_EVENTS,
		OTHER_EVENTS,
		OTHER_EVENTS
	]
	return _one_of(_one_of(lists))


# Sometimes none, seldom one that is no interaction type.
func _random_interaction() -> String:
	if _random.randf() < 0.4:
		return ""
	if _random.randf() < 0.02:
		return "casual_betrayal"
	return _one_of(Reference.INTERACTION_TYPES)


func _one_of(choices: Array) -> Variant:
	return choices[_random.randi_range(0, choices.size() - 1)]


# One to six sentences; `facts` gets the names and numbers in them.
func _random_text(facts: Array[String]) -> String:
	var sentences: PackedStringArray = []
	for sentence: int in _random.randi_range(1, 6):
		var words: PackedStringArray = ["There"]
		for word: int in _random.randi_range(2, 22):
			words.append(_one_of(WORDS))
		if _random.randf() < 0.4:
			_insert_fact(words, _one_of(NAMES), facts)
		if _random.randf() < 0.2:
			_insert_fact(words, str(_random.randi_range(20, 999)), facts)
		sentences.append(" ".join(words) + _one_of([".", ".", ".", "!", "?"]))
	return " ".join(sentences)


func _insert_fact(words: PackedStringArray, fact: String, facts: Array[String]) -> void:
	words.insert(_random.randi_range(1, words.size()), fact)
	if not fact in facts:
		facts.append(fact)
