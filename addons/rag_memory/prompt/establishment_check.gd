extends RefCounted
## Finds inns, shops and smithies in a text that are not among those of the world. It reads English.

## Words for one kind of establishment.
const KINDS: Array[Array] = [
	["inn", "tavern", "pub", "alehouse", "taproom", "hostel", "guesthouse"],
	["smithy", "forge", "armoury", "armory"],
	["shop", "store", "emporium", "trading post"],
	["bakery"],
	["brewery", "distillery"],
	["apothecary", "pharmacy", "herbalist's"],
	["butchery", "butcher's"],
	["tailor's", "draper's"],
	["pawnshop"],
	["bathhouse"],
	["brothel"],
	["library", "bookshop"],
	["stables"],
]
const _REASON := "There is no %s%s. Add it with NPCWorldKnowledge.add_establishment()."
const _PLACE := " in %s"
const _OR := " or "
## At most five words, so that a text of nothing but capitals takes no longer.
const _WORD := "\\p{Lu}[\\p{L}'’-]{1,30}"
const _NAME := _WORD + "(?: (?:(?:and|of|the) )?" + _WORD + "){0,4}"
const _LONG_NAME := _WORD + "(?: (?:(?:and|of|the) )?" + _WORD + "){1,4}"
const _ARTICLES := "the|an|our|my|your|his|her|their"
const _GOODS := "(?:[a-z]+ )?(?:rooms?|beds?|ale|beer|wine|food|stew|bread|tools|swords|rope)"
const _DEFINITE := "(?:the|our|my|your|his|her|their|local)"
const _THERE_IS := "(?:there is|there's|we have|we've got) an?"

static var _no_names := PackedStringArray((_ARTICLES + "|" + _all_kinds()).split("|"))
static var _named := _make_named_patterns()
static var _of_kind := RegEx.create_from_string(
	(
		"(?i)(?:\\b%s (?:[\\p{L}'’-]+ )?|\\b%s (?:[\\p{L}'’-]+ ){0,2})(%s)\\b"
		% [_DEFINITE, _THERE_IS, _all_kinds()]
	)
)
static var _word := RegEx.create_from_string("[\\p{L}'’-]+")


## The result of NPCWorldKnowledge.check_establishments(). `names` are all names of the world,
## `people` those of its people.
static func outcome(
	text: String,
	establishments: Array[Dictionary],
	names: PackedStringArray,
	people: PackedStringArray,
	location: String
) -> Dictionary:
	var unknown := PackedStringArray()
	if not establishments.is_empty():
		_append_names(unknown, text, _words_of(" ".join(names)), _words_of(" ".join(people)))
		_append_kinds(unknown, text, establishments, location)
	var reason := ""
	if not unknown.is_empty():
		reason = _REASON % [_OR.join(unknown), _PLACE % location if location else ""]
	return {"accepted": unknown.is_empty(), "unknown_establishments": unknown, "reason": reason}


static func is_same_place(one: String, other: String) -> bool:
	return one.strip_edges().to_lower() == other.strip_edges().to_lower()


static func _append_names(
	unknown: PackedStringArray, text: String, names: Dictionary, people: Dictionary
) -> void:
	var is_name := func(word: String) -> bool: return word in names
	for pattern: RegEx in _named:
		for hit: RegExMatch in pattern.search_all(text):
			var words := _words_of(hit.get_string(1)).keys()
			words = words.filter(func(word: String) -> bool: return not word in _no_names)
			# Somebody with a title is no house: "to the Captain Aldric". Neither is a verb: "Visit".
			var is_known: bool = words.is_empty() or words[-1] in people or words.all(is_name)
			if not is_known and words.size() > 1 and _starts_a_sentence(text, hit.get_start()):
				is_known = words.slice(1).all(is_name)
			if not is_known and not hit.get_string(1) in unknown:
				unknown.append(hit.get_string(1))


static func _starts_a_sentence(text: String, at: int) -> bool:
	var before := text.left(at).strip_edges()
	return not before or before[-1] in '.!?…"]'


static func _append_kinds(
	unknown: PackedStringArray, text: String, establishments: Array[Dictionary], location: String
) -> void:
	for hit: RegExMatch in _of_kind.search_all(text):
		var kind := hit.get_string(1).to_lower()
		var is_there := func(establishment: Dictionary) -> bool:
			var place: String = establishment.get("location", "")
			var is_near := not location or not place or is_same_place(place, location)
			return (
				_is_of_kind(establishment, kind)
				and (is_near or place.to_lower() in text.to_lower())
			)
		if not kind in unknown and not establishments.any(is_there):
			unknown.append(kind)


## A smithy or a bakery may be called a shop, an inn may not.
static func _is_of_kind(establishment: Dictionary, kind: String) -> bool:
	if kind == "shop" and not _is_of_kind(establishment, KINDS[0][0] as String):
		return true
	var own := " %s %s" % [establishment.get("kind", ""), establishment.get("name", "")]
	for words: Array in KINDS:
		if kind in words:
			return words.any(func(word: String) -> bool: return (" " + word) in own.to_lower())
	return false


static func _words_of(text: String) -> Dictionary:
	var words := {}
	for hit: RegExMatch in _word.search_all(text):
		words[hit.get_string().to_lower().trim_suffix("'s").trim_suffix("’s")] = true
	return words


static func _all_kinds() -> String:
	var kinds := PackedStringArray()
	for words: Array in KINDS:
		kinds.append_array(PackedStringArray(words))
	return "|".join(kinds)


static func _make_named_patterns() -> Array[RegEx]:
	var kind := "(?:(?i:%s))" % _all_kinds()
	var patterns: Array[RegEx] = []
	for pattern: String in [
		# "at the Weary Wanderer", "called The Anchor"
		"\\b(?:at|inside|outside|called|named) [Tt]he (%s)" % _NAME,
		(
			"\\b(?:in|into|to|near|behind|beside|opposite|from|by|visit|try|owns?|runs?|keeps?)"
			+ " [Tt]he (%s)" % _LONG_NAME
		),
		# "the Weary Wanderer inn", "Anchor Tavern"
		"\\b[Tt]he (%s) %s\\b" % [_NAME, kind],
		"\\b((?:%s ){1,5}%s)\\b" % [_WORD, kind],
		# "the tavern Weary Wanderer", "an inn called the Anchor"
		"\\b%s (?:called |named )?(?:[Tt]he )?(%s)" % [kind, _NAME],
		# "The Weary Wanderer serves ale."
		"\\b[Tt]he (%s) (?:sells|serves|offers|brews|bakes|has %s)\\b" % [_LONG_NAME, _GOODS],
	]:
		patterns.append(RegEx.create_from_string(pattern))
	return patterns
