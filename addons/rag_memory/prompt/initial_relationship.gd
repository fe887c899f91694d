extends RefCounted
## The allowed keys of NPCPersonality.initial_relationship, for the memory would refuse all of it
## for one wrong value.

const _NUMBERS: Array[String] = ["trust", "affection", "fear", "respect", "familiarity"]


## Returns what is wrong with it: a sentence by key; empty when nothing is.
static func problems_in(relationship: Dictionary) -> Dictionary:
	var problems := {}
	for key: Variant in relationship:
		var lack := _lack_of(key, relationship[key])
		if lack:
			problems[key] = "initial_relationship.%s %s, so it is left out." % [key, lack]
	return problems


static func _lack_of(key: Variant, value: Variant) -> String:
	if not key is String and not key is StringName:
		return "has no String as its key"
	if str(key) in _NUMBERS:
		var is_number := value is int or (value is float and is_finite(value as float))
		return "" if is_number else "is no number"
	return "is no bool" if str(key) == "met" and not value is bool else ""
