# What the reference documents of the memory system say, as code: the oracle of
# test_reference_formulas.gd.
# Written from land_memory_plan.md and land_project_overview.md alone, so that a mistake in the core
# is not repeated here. The two call one event saved_life here and life_saved there; both names mean
# the same. Where else the two differ, the later text of the plan ("What's Working") decides.
extends RefCounted

const SECONDS_PER_DAY := 86400.0
const SENTENCE_ENDS := ".!?"

const PINNED_EVENTS: Array[String] = [
	"betrayal",
	"saved_life",
	"life_saved",
	"romance_confession",
	"witnessed_kill",
	"secret_revealed",
	"first_meeting",
	"first_gift",
	"first_quest",
]
const IMPORTANT_EVENTS: Array[String] = [
	"quest_completed",
	"quest_failed",
	"gift_received",
	"emotional_support",
	"romantic_gesture",
]
const INTERACTION_TYPES: Array[String] = [
	"casual_conversation",
	"quest_related",
	"gift_given",
	"emotional_support",
	"romantic_gesture",
	"threat_made",
	"secret_shared",
	"betrayal",
	"life_saved",
	"romance_confession",
]
const HIGH_SIGNAL_EVENTS: Array[String] = [
	"betrayal", "life_saved", "secret_revealed", "promise_made", "promise_broken", "saved_life"
]
const DELTA_LIMITS := {
	"trust_change": 15,
	"affection_change": 10,
	"fear_change": 10,
	"respect_change": 10,
	"familiarity_change": 5,
}


# Phase 1: tier_weight x importance x recency x relevance x supersession. A memory may carry its
# relevance as `distance` (the plan) or as `similarity` (the overview).
static func score(
	memory: Dictionary,
	now: float,
	tier_weights: Array[float],
	half_life_days: float,
	recency_floor: float,
	relevance_floor: float,
	superseded_multiplier: float
) -> float:
	var metadata: Dictionary = memory.get("metadata", {})
	var weight: float = tier_weights[int(metadata.get("memory_tier", 2))]
	var importance: float = float(metadata.get("importance", 5)) / 10.0
	var age_days: float = (now - float(metadata.get("timestamp", 0))) / SECONDS_PER_DAY
	var decay: float = pow(0.5, age_days / half_life_days)
	var recency: float = recency_floor + (1.0 - recency_floor) * decay
	var similarity: float = 0.5
	if memory.has("distance"):
		similarity = 1.0 - clampf(memory["distance"], 0.0, 1.0)
	elif memory.has("similarity"):
		similarity = clampf(memory["similarity"], 0.0, 1.0)
	var relevance: float = relevance_floor + (1.0 - relevance_floor) * similarity
	var supersession: float = 1.0
	if metadata.get("superseded_by", "") != "":
		supersession = superseded_multiplier
	return weight * importance * recency * relevance * supersession


# The seven priorities of "Tier Classification Logic". An interaction type that is none counts as
# casual_conversation (phase 5), which is in no list.
static func tier(
	event_type: String,
	importance: int,
	interaction_type: String,
	marked_milestone: bool,
	pinned_interactions: Array[String],
	important_interactions: Array[String]
) -> int:
	var interaction: String = ""
	if interaction_type in INTERACTION_TYPES:
		interaction = interaction_type
	if marked_milestone:
		return 0
	if interaction in pinned_interactions:
		return 0
	if event_type in PINNED_EVENTS:
		return 0
	if interaction in important_interactions:
		return 1
	if event_type in IMPORTANT_EVENTS:
		return 1
	if importance >= 8:
		return 1
	return 2


# Phase 3, _get_status_label().
static func status_label(trust: int, affection: int) -> String:
	if trust < 20:
		return "hostile" if affection < 0 else "distrustful"
	if trust < 40:
		return "wary"
	if trust < 60:
		return "neutral"
	if trust < 80:
		return "friendly"
	return "trusted_ally" if affection > 50 else "respected"


# Phase 3: [Met=yes, Days=X, Trust=X, Affection=X, Fear=X, Respect=X, Status=X].
static func header(
	has_met: bool, days_known: int, trust: int, affection: int, fear: int, respect: int
) -> String:
	return (
		"[Met=%s, Days=%d, Trust=%d, Affection=%d, Fear=%d, Respect=%d, Status=%s]"
		% [
			"yes" if has_met else "no",
			days_known,
			trust,
			affection,
			fear,
			respect,
			status_label(trust, affection),
		]
	)


# "Concrete State-Based Importance": the event's own importance and the boosts.
static func importance(base: int, deltas: Dictionary) -> int:
	var boost: int = 0
	var moved: int = 0
	for key: String in ["trust_change", "affection_change", "fear_change"]:
		moved += absi(deltas.get(key, 0))
	if moved >= 15:
		boost += 2
	if deltas.get("secret_revealed", false):
		boost += 3
	if deltas.get("player_name_learned", false):
		boost += 2
	if deltas.get("obligation_created", false):
		boost += 2
	if deltas.get("promise_made", false) or deltas.get("promise_broken", false):
		boost += 2
	if deltas.get("quest_started", false) or deltas.get("quest_completed", false):
		boost += 2
	if deltas.get("npc_injured", false):
		boost += 3
	if deltas.get("npc_died", false):
		boost += 4
	return clampi(base + boost, 1, 10)


# A token is three characters, rounded up.
static func tokens(text: String) -> int:
	return ceili(text.length() / 3.0)


# What is wrong with a short form; empty when it is as it must be. `facts` are the names and numbers
# in the text. It is one piece of the text of at most 100 characters, and of at least 50 unless it
# consists of whole sentences. It ends at a sentence or a word, and does not lose a name or number
# that a sentence which fits would keep.
static func short_form_fault(text: String, short: String, facts: Array) -> String:
	if text.length() <= 80:
		return "" if short == text else "a text of up to 80 characters is its own short form"
	if short.length() > 100:
		return "longer than 100 characters"
	if short.length() < 50 and short.ends_with("..."):
		return "shorter than 50 characters"
	var kept: String = short.trim_suffix("...").trim_suffix("…")
	if not kept in text:
		return "joins sentences that do not follow one another"
	if kept == short and not short[-1] in SENTENCE_ENDS:
		return "ends neither at a sentence nor with an ellipsis"
	var words: PackedStringArray = text.split(" ", false)
	for cut_word: String in kept.split(" ", false):
		var word: String = cut_word.trim_suffix("...").trim_suffix("…")
		if not (word in words or _is_start_of_sentence_end(word, words)):
			return "has the word '%s', which the text does not have" % word
	var facts_kept: Array[String] = facts_in(short, facts)
	for sentence: String in sentences(text):
		if sentence.length() > 100:
			continue
		var offered: Array[String] = facts_in(sentence, facts)
		if _has_all(offered, facts_kept) and not _has_all(facts_kept, offered):
			return "keeps %s only, and '%s' keeps more" % [facts_kept, sentence]
	return ""


static func sentences(text: String) -> PackedStringArray:
	var found: PackedStringArray = []
	var begin: int = 0
	for at: int in text.length():
		var is_last: bool = at == text.length() - 1
		if is_last or (text[at] in SENTENCE_ENDS and text[at + 1] == " "):
			found.append(text.substr(begin, at + 1 - begin).strip_edges())
			begin = at + 1
	return found


static func facts_in(text: String, facts: Array) -> Array[String]:
	var found: Array[String] = []
	for fact: String in facts:
		if fact in text:
			found.append(fact)
	return found


# A cut before an ellipsis may drop the comma or full stop after a word.
static func _is_start_of_sentence_end(word: String, words: PackedStringArray) -> bool:
	for mark: String in [",", ".", "!", "?", ";", ":"]:
		if word + mark in words:
			return true
	return false


static func _has_all(many: Array[String], few: Array[String]) -> bool:
	return few.all(func(fact: String) -> bool: return fact in many)
