@tool
extends RefCounted
## Limits for the depth and the size of a value of the game that is copied, compared or shown. The
## engine follows a container that holds itself twice along every path, and would not come back.

## As deep as a save has values.
const MOST_LEVELS := 64
const MOST_VALUES := 100_000
const _LEAST_LIKENESS := 0.6


## Why a value cannot be used, to end a sentence with; empty when it can.
static func fault_of(value: Variant) -> String:
	var level: Array = [value]
	var count := 0
	for depth: int in MOST_LEVELS + 2:
		var next: Array = []
		for container: Variant in level:
			var parts := _parts_of(container)
			count += parts.size()
			if count > MOST_VALUES:
				return "has more than %d values, or contains itself" % MOST_VALUES
			for part: Variant in parts:
				if typeof(part) == TYPE_ARRAY or typeof(part) == TYPE_DICTIONARY:
					next.append(part)
		if next.is_empty():
			return ""
		level = next
	return "is nested more than %d levels deep, or contains itself" % MOST_LEVELS


## The value for a message.
static func shown(value: Variant) -> String:
	var fault := fault_of(value)
	return "a value that " + fault if fault else var_to_str(value)


## Returns whether the value is a text, a number or a bool.
static func is_plain(value: Variant) -> bool:
	return value is bool or value is int or value is float or value is String or value is StringName


## Returns the entries with [code]null[/code] for values that are no texts, numbers or bools.
static func plain(entries: Dictionary) -> Dictionary:
	var result := {}
	for key: Variant in entries:
		result[key] = entries[key] if is_plain(entries[key]) else null
	return result


## A sentence that names the key which was probably meant, to append to a message; empty when none
## is similar.
static func did_you_mean(key: Variant, keys: Array) -> String:
	var likely := ""
	var likeness := _LEAST_LIKENESS
	for candidate: String in keys:
		var similarity := candidate.similarity(str(key).to_lower().replace(" ", "_"))
		if similarity >= likeness:
			likely = candidate
			likeness = similarity
	return ' Did you mean "%s"?' % likely if likely else ""


static func _parts_of(container: Variant) -> Array:
	match typeof(container):
		TYPE_ARRAY:
			return container
		TYPE_DICTIONARY:
			return (container as Dictionary).keys() + (container as Dictionary).values()
	return []
