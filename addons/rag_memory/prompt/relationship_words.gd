extends RefCounted
## What the numbers of a relationship mean, in words.

## By dimension: from which number on, and the sentence; the largest number first. What lies between
## the extremes of a dimension goes without saying.
const SENTENCES: Dictionary[String, Array] = {
	"trust":
	[
		[90, "You would trust the player with your life."],
		[70, "You trust the player deeply."],
		[60, "You trust the player."],
		[40, ""],
		[20, "You are wary of the player."],
		[0, "You hardly trust the player."],
		[-INF, "You do not trust the player at all."],
	],
	"respect":
	[
		[70, "You admire the player."],
		[50, "You respect the player."],
		[0, ""],
		[-40, "You think little of the player."],
		[-INF, "You despise the player."],
	],
	"affection":
	[
		[80, "The player is very dear to you."],
		[50, "You are fond of the player."],
		[35, "You like the player."],
		[-19, ""],
		[-50, "You dislike the player."],
		[-INF, "You hate the player."],
	],
	"fear":
	[
		[75, "The player terrifies you."],
		[40, "You are afraid of the player."],
		[20, "The player makes you uneasy."],
		[-INF, ""],
	],
	"familiarity":
	[
		[80, "You know the player as you know your family."],
		[60, "You know the player well."],
		[30, "You know the player."],
		[-INF, "You hardly know the player."],
	],
}


static func of(relationship: Dictionary) -> PackedStringArray:
	var sentences := PackedStringArray()
	for dimension: String in SENTENCES:
		var value: Variant = relationship.get(dimension)
		if value is int or (value is float and is_finite(value as float)):
			var sentence := _sentence(SENTENCES[dimension], value as float)
			if sentence:
				sentences.append(sentence)
	return sentences


static func _sentence(steps: Array, value: float) -> String:
	for step: Array in steps:
		if value >= (step[0] as float):
			return step[1]
	return ""
