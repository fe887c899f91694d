@tool
extends RefCounted
## Finds mistakes in an [NPCMindConfig], for the inspector and the warnings of nodes. A call
## of a node with such a config fails for the same reasons.

const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")
const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

## The keys of a rule, each with the value it has when it is left out.
const ENCODING_KEYS: Dictionary[String, Variant] = {
	"action": "", "kind": "observation", "importance": 0, "condition": ""
}
const MOOD_KEYS: Dictionary[String, Variant] = {"action": "", "condition": "", "mood": ""}
const KINDS: Array[String] = ["observation", "episode"]
## The numbers that a condition may compare.
const NUMBERS: Array[String] = ["health", "health_before", "health_lost", "importance", "sentiment"]

const _NO_COMPARISON := (
	'the condition "%s" cannot be read: "%s" compares no name with a number. Write for example '
	+ '"health < 0.3", and join several with "and".'
)
const _FAILS := " Every call fails until it is changed."
const _MOST_IMPORTANT := 10
const _LARGEST_SENTIMENT := 100.0


## Returns one sentence for each thing that is wrong, in the order of the inspector.
static func broken(config: NPCMindConfig) -> PackedStringArray:
	var sentences := RAGConfigRules.out_of_range(config)
	for table: Array in [
		["encoding_rules", config.encoding_rules, encoding_problem],
		["mood_rules", config.mood_rules, mood_problem],
	]:
		var rules: Array = table[1]
		for index in rules.size():
			var problem: String = (table[2] as Callable).call(rules[index])
			if problem:
				sentences.append("%s[%d]: %s%s" % [table[0], index, problem, _FAILS])
	sentences.append_array(_broken_sentiments("action_sentiments", config.action_sentiments))
	sentences.append_array(_broken_sentiments("sentiment_words", config.sentiment_words))
	return sentences


## Returns what is wrong with a rule of [member NPCMindConfig.encoding_rules]; empty when nothing
## is.
static func encoding_problem(rule: Dictionary) -> String:
	var problem := _problem(rule, ENCODING_KEYS)
	if problem:
		return problem
	var kind: String = rule.get("kind", ENCODING_KEYS["kind"])
	var importance: float = rule.get("importance", 0)
	if kind not in KINDS:
		return 'the kind "%s" is unknown. Use %s.' % [kind, " or ".join(KINDS)]
	if importance < 0 or importance > _MOST_IMPORTANT:
		return "importance is %s. Use 1 to 10, or 0 for that of the event." % importance
	return ""


## Returns what is wrong with a rule of [member NPCMindConfig.mood_rules]; empty when nothing is.
static func mood_problem(rule: Dictionary) -> String:
	var problem := _problem(rule, MOOD_KEYS)
	if not problem and not str(rule.get("mood", "")).strip_edges():
		problem = 'it has no mood. Name one, such as "happy".'
	return problem


## Returns what is wrong with a condition such as [code]"health < 0.3"[/code]; empty when nothing
## is.
static func condition_problem(condition: String) -> String:
	if not condition.strip_edges():
		return ""
	var parts := RegEx.create_from_string("\\band\\b").sub(condition, "\n", true).split("\n")
	var comparison := RegEx.create_from_string(
		"^\\s*([a-z_]+)\\s*(<=|>=|==|!=|<|>)\\s*(-?\\d+(\\.\\d+)?)\\s*$"
	)
	for part in parts:
		var result := comparison.search(part)
		if result == null:
			return _NO_COMPARISON % [condition, part.strip_edges()]
		if result.get_string(1) not in NUMBERS:
			var words := 'the condition "%s" cannot be read: there is no "%s". It may compare %s.'
			return words % [condition, result.get_string(1), ", ".join(NUMBERS)]
	return ""


static func _problem(rule: Dictionary, keys: Dictionary[String, Variant]) -> String:
	for key: Variant in rule:
		if not keys.has(key):
			return 'the key "%s" is unknown. %s' % [key, _advice(str(key), keys.keys())]
		var value: Variant = rule[key]
		var is_whole: bool = value is int or (value is float and value == floorf(value as float))
		if keys[key] is String and not (value is String or value is StringName):
			return "%s is %s, but must be a String." % [key, value]
		if keys[key] is int and not is_whole:
			return "%s is %s, but must be a whole number." % [key, value]
	if not str(rule.get("action", "")).strip_edges():
		return 'it has no action and fits nothing. Name one, or "*" for any.'
	return condition_problem(str(rule.get("condition", "")))


static func _advice(key: String, keys: Array[String]) -> String:
	var meant := RAGValueLimits.did_you_mean(key, keys).strip_edges()
	return meant if meant else "Use %s." % ", ".join(keys)


static func _broken_sentiments(property: String, table: Dictionary) -> PackedStringArray:
	var sentences := PackedStringArray()
	for word: Variant in table:
		var value: Variant = table[word]
		var problem := ""
		if not (word is String or word is StringName):
			problem = "%s is no String." % word
		elif not (value is int or value is float):
			problem = '"%s" has the value %s, but must have a number.' % [word, value]
		elif absf(value as float) > _LARGEST_SENTIMENT:
			problem = '"%s" has the value %s, but must be from -100 to 100.' % [word, value]
		if problem:
			sentences.append("%s: %s%s" % [property, problem, _FAILS])
	return sentences
