extends RefCounted
## Finds the names of people in a text, and tells the known from the unknown ones.

## Words that are capitalised without being a person's name.
const _NOT_NAMES := (
	" i i'm i'll i'd i've monday tuesday wednesday thursday friday saturday sunday january february"
	+ " march april may june july august september october november december spring summer autumn"
	+ " winter god gods lord lady sir madam mister mr mrs ms miss master mistress captain elder"
	+ " chief king queen prince princess father mother brother sister aunt uncle grandfather"
	+ " grandmother mayor merchant blacksmith smith innkeeper guard lieutenant boss player npc"
	+ " stranger traveller traveler adventurer hero common english north south east west yes no ok"
	+ " okay oh ah hello hi hey well please thanks thank goodbye farewell welcome sorry "
)
## Words that start a sentence before a verb of speech and are no name.
const _SENTENCE_STARTS := (
	" he she it we you they who someone somebody everyone everybody nobody anyone one this that"
	+ " these those what which there here then now later today yesterday tomorrow once when while"
	+ " after before because although if but and or so yet never always nothing everything"
	+ " something people villager bandit soldier farmer child man woman boy girl folk friend enemy"
	+ " visitor rumour rumor news word legend story law mine yours his hers ours theirs all some"
	+ " many most few both neither either another other others each only even just perhaps maybe"
	+ " suddenly finally with without for from by of on off to as since until during between behind"
	+ " under over through against about like than how why who where let do did is are was were can"
	+ " could will would should may might must have has had not "
)
## Words that start a sentence, or that do in the plural, before any verb and are no name.
const _COMMON_WORDS := (
	" day night morning evening noon midnight dawn dusk week month year season age time rain"
	+ " snow hail wind storm thunder lightning fog frost ice sun moon star sky cloud weather"
	+ " heat cold mist flood drought wolf wolves bear fox deer rat mouse mice dog cat horse cow"
	+ " sheep goat pig hen chicken goose geese fish bird raven crow snake bee spider animal"
	+ " beast cattle oxen mule donkey tree grass flower leaf leaves root stone rock sand mud"
	+ " dust water fire smoke ash light shadow bread ale beer wine mead cider meat cheese milk"
	+ " butter honey salt sugar flour grain wheat corn barley oat rye apple fruit berry berries"
	+ " egg soup stew food drink dinner supper breakfast lunch meal feast gold silver copper"
	+ " iron steel bronze coal wool cloth silk leather linen fur rope nail tool sword blade"
	+ " knife knives arrow bow shield armor armour weapon money coin gem jewel ring letter book"
	+ " map key door window table house home roof wall cellar floor candle lantern lamp bed"
	+ " clothes boot shoe hat cloak coat ship boat cart wagon barrel sack bag box life lives"
	+ " death love hate hatred fear hope trust faith truth honor honour justice peace war battle"
	+ " revenge vengeance hunger thirst wealth trade business work labor labour trouble danger"
	+ " luck fate fortune destiny music song silence noise magic sickness illness disease plague"
	+ " fever pain sorrow grief joy anger rage shame guilt pride courage duty marriage funeral"
	+ " birth youth beauty power strength memory tax taxes rent debt price cost order crime"
	+ " theft murder betrayal treason prison freedom help harvest sleep rest gossip talk goblin"
	+ " orc elf elves dwarf dwarves troll dragon ghost spirit demon witch witches wizard giant"
	+ " monster thief thieves outlaw pirate knight sailor hunter shepherd baker butcher"
	+ " carpenter tailor weaver miller potter priest monk nun healer doctor midwife servant"
	+ " slave beggar noble peasant worker trader pedlar customer guest neighbour neighbor parent"
	+ " family twin widow orphan baby babies kid lad lass men women children hand eye head heart"
	+ " blood tear voice two three four five six seven eight nine ten twenty hundred thousand"
	+ " half soon often sometimes again still meanwhile however therefore thus besides instead"
	+ " early late long such "
)
## Last words of the names of places.
const _PLACE_WORDS := (
	" farm mill crossing road river street lane inn tavern bridge forest wood woods hill"
	+ " hills hollow castle tower gate lake mountain mountains valley village town city bay"
	+ " port harbour harbor sea coast keep hall square market mine ford temple chapel church"
	+ " pass peak marsh moor field fields "
)
const _ARTICLES := (
	" the a an my your his her our their its this these those some any no every each" + " old new "
)
const _PLACES := " in at near into onto towards toward inside outside beyond across around above "
const _ORIGINS := (
	" is are was were am be been come comes came coming grew hails hailed travelled traveled arrived"
	+ " sailed rode walked returned fled up born here there away back home "
)
const _EPITHETS := " old young poor little "
const _NO_NAME_ENDING := "(?:ing|tion|sion|ness|ment|ship|hood|ism)$"
const _VERBS := (
	"said|says|told|tells|asked|asks|gave|gives|promised|promises|lied|betrayed|killed|saved"
	+ "|warned|whispered|confessed|admitted|stole|attacked|visited|arrived|came|left|wants"
	+ "|wanted|knows|knew|thinks|believes|loves|hates|owes|sold|bought|paid|helped|offered"
	+ "|showed|taught|threatened|laughed|died|is|was|has|had|danced|sang|smiled|wept|cried"
	+ "|shouted|kissed|married|hugged|thanked|begged|insulted|greeted|drank|walked|likes|liked"
	+ "|brought|took|lent|borrowed|swore|vowed|agreed|refused|invited|cheated|rescued|works"
	+ "|worked|lived|sent|met|found|lost"
)
## What follows the name of a person that starts a sentence.
const _OF_A_PERSON := "^(?: (?:%s)\\b|, (?:the|my|our|a|an|who)\\b| and \\p{Lu})" % _VERBS
const _NAME := "\\p{Lu}[\\p{L}'’-]*\\p{L}"
## How many characters before and after a name tell whose it is.
const _LOOKED_AT := 80
const _FEWEST_LETTERS_TO_CORRECT := 5
const _LETTERS_PER_MISTAKE := 4

var _words: Dictionary = {}
var _names: Dictionary = {}


func _init(known: PackedStringArray) -> void:
	for name: String in known:
		_names[name.to_lower()] = name
		for word: String in _split(name):
			_words[word.to_lower()] = word


## Whether this name, or its every capitalised word, is known.
func knows(name: String) -> bool:
	if _names.has(name.strip_edges().to_lower()):
		return true
	var words := _split(name)
	for word: String in words:
		if not _is_known_word(word):
			return false
	return not words.is_empty()


## Puts the outcome into `result`, as WorldKnowledge.check_memory() returns it.
func apply(result: Dictionary, corrects: bool) -> void:
	var unknown := PackedStringArray()
	var corrections: Dictionary = {}
	var data: Dictionary = result["data"]
	for name: String in find_unknown(result["text"] as String, data):
		var right := nearest(name) if corrects else ""
		if right:
			corrections[name] = right
		else:
			unknown.append(name)
	result["unknown_names"] = unknown
	result["corrections"] = corrections
	result["accepted"] = unknown.is_empty()
	var reasons := PackedStringArray()
	if not unknown.is_empty():
		(
			reasons
			. append(
				(
					(
						"Nobody in this world is called %s. Add the name to WorldKnowledge, or store with"
						% " or ".join(unknown)
					)
					+ " check_names set to false."
				)
			)
		)
	else:
		result["text"] = _corrected_text(result["text"] as String, corrections)
		result["data"] = _corrected_data(data, corrections)
	for wrong: String in corrections:
		reasons.append("%s is not known; %s is meant." % [wrong, corrections[wrong]])
	result["reason"] = " ".join(reasons)


## The names of people that are not known, in the text and among the participants.
func find_unknown(text: String, data: Dictionary) -> PackedStringArray:
	var found: Dictionary[String, bool] = {}
	var names := people_in(text)
	var participants: Variant = data.get("participants", [])
	if participants is Array or participants is PackedStringArray:
		for participant: Variant in participants:
			names.append(str(participant))
	for name: String in names:
		if name and not knows(name) and not _is_no_name(name) and not found.has(name):
			found[name] = true
	return PackedStringArray(found.keys())


## The known word that this name misspells, or an empty string. Short names are never corrected:
## Mina may well be somebody else than Mira.
func nearest(name: String) -> String:
	var letters := name.length()
	if letters < _FEWEST_LETTERS_TO_CORRECT or " " in name:
		return ""
	var allowed := letters / float(_LETTERS_PER_MISTAKE)
	var best := ""
	var fewest := floori(minf(allowed, 2.0)) + 1
	for word: String in _words:
		if word.length() < _FEWEST_LETTERS_TO_CORRECT or word[0] != name[0].to_lower():
			continue
		var mistakes := _mistakes(name.to_lower(), word)
		if mistakes < fewest:
			fewest = mistakes
			best = _words[word]
	return best


## The capitalised words of a text that stand where the name of a person stands.
static func people_in(text: String) -> PackedStringArray:
	var people := PackedStringArray()
	var expression := RegEx.create_from_string(
		"\\p{Lu}[\\p{L}'’-]*\\p{L}(?:\\s+\\p{Lu}[\\p{L}'’-]*\\p{L})*"
	)
	for found: RegExMatch in expression.search_all(text):
		var start := maxi(0, found.get_start() - _LOOKED_AT)
		var before := text.substr(start, found.get_start() - start)
		var after := text.substr(found.get_end(), _LOOKED_AT)
		var name := _stripped(found.get_string(), _starts_sentence(before))
		if name and _stands_for_a_person(name, found.get_string(), before, after):
			people.append(name)
	return people


## Every capitalised name inside the sentences of a canonical fact: all of them are known.
static func names_in_fact(text: String) -> PackedStringArray:
	var names := PackedStringArray()
	for found: RegExMatch in RegEx.create_from_string(_NAME).search_all(text):
		names.append(found.get_string())
	return names


func _is_known_word(word: String) -> bool:
	var plain := word.to_lower().trim_suffix("'s").trim_suffix("’s")
	return _words.has(plain) or _names.has(plain)


static func _is_no_name(name: String) -> bool:
	for word: String in _split(name):
		if not " %s " % word.to_lower() in _NOT_NAMES:
			return false
	return true


static func _starts_sentence(before: String) -> bool:
	var trimmed := before.rstrip(" \n\t\"'“‘(*—-[")
	return not trimmed or trimmed[-1] in ".!?:;…)]»"


## A run of capitalised words without its titles, and without a first word that is capitalised only
## because it starts the sentence ("Yesterday Gregor").
static func _stripped(run: String, starts: bool) -> String:
	var words := _split(run)
	var first := 0
	while first < words.size() and " %s " % words[first].to_lower() in _NOT_NAMES:
		first += 1
		starts = false
	words = words.slice(first)
	if starts and not words.is_empty():
		var lower := " %s " % words[0].to_lower()
		if lower in _EPITHETS and words.size() > 1:
			return " ".join(words.slice(1)).trim_suffix("'s").trim_suffix("’s")
		if lower in _SENTENCE_STARTS or lower in _ARTICLES or lower in _PLACES:
			return "" if lower in _ARTICLES else " ".join(words.slice(1))
	return " ".join(words).trim_suffix("'s").trim_suffix("’s")


static func _stands_for_a_person(name: String, run: String, before: String, after: String) -> bool:
	var words := _split(name)
	if name == name.to_upper() or " %s " % words[-1].to_lower() in _PLACE_WORDS:
		return false
	var previous := _last_word(before)
	if " %s " % previous in _ARTICLES or " %s " % previous in _PLACES:
		return false
	if previous == "from" and " %s " % _last_word(before.rstrip(" ").left(-4)) in _ORIGINS:
		return false
	if not _starts_sentence(before) or name != run or " " in name:
		return true
	var lower := name.to_lower()
	if _is_common(lower) or "'" in lower or "’" in lower:
		return false
	return RegEx.create_from_string(_OF_A_PERSON).search(after) != null


## Whether a word that starts a sentence is an ordinary one, and no name.
static func _is_common(word: String) -> bool:
	for form: String in [" %s " % word, " %s " % word.trim_suffix("s")]:
		if form in _SENTENCE_STARTS or form in _COMMON_WORDS or form in _NOT_NAMES:
			return true
	return RegEx.create_from_string(_NO_NAME_ENDING).search(word) != null


static func _last_word(text: String) -> String:
	var found := RegEx.create_from_string("([\\p{L}']+)\\s*$").search(text)
	return found.get_string(1).to_lower() if found != null else ""


static func _split(name: String) -> PackedStringArray:
	var words := PackedStringArray()
	for found: RegExMatch in RegEx.create_from_string("[\\p{L}\\p{N}'’-]+").search_all(name):
		words.append(found.get_string())
	return words


static func _corrected_text(text: String, corrections: Dictionary) -> String:
	if corrections.is_empty():
		return text
	var wrong := "|".join(PackedStringArray(corrections.keys()))
	var expression := RegEx.create_from_string("(?<!\\p{L})(?:%s)(?!\\p{L})" % wrong)
	var parts := PackedStringArray()
	var end := 0
	for found: RegExMatch in expression.search_all(text):
		parts.append(text.substr(end, found.get_start() - end))
		parts.append(corrections[found.get_string()] as String)
		end = found.get_end()
	parts.append(text.substr(end))
	return "".join(parts)


static func _corrected_data(data: Dictionary, corrections: Dictionary) -> Dictionary:
	if corrections.is_empty() or not data.has("participants"):
		return data
	var corrected := data.duplicate(true)
	var participants: Array = []
	for participant: Variant in data["participants"]:
		participants.append(corrections.get(participant, participant))
	corrected["participants"] = participants
	return corrected


## How many letters have to be changed, added, left out or swapped (Damerau-Levenshtein).
static func _mistakes(left: String, right: String) -> int:
	var rows: Array[PackedInt32Array] = [PackedInt32Array(range(right.length() + 1))]
	for i: int in range(1, left.length() + 1):
		var row := PackedInt32Array([i])
		for j: int in range(1, right.length() + 1):
			var is_same := left[i - 1] == right[j - 1]
			var cost := rows[i - 1][j - 1] + (0 if is_same else 1)
			cost = mini(cost, mini(rows[i - 1][j], row[j - 1]) + 1)
			if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
				cost = mini(cost, rows[i - 2][j - 2] + 1)
			row.append(cost)
		rows.append(row)
	return rows[-1][-1]
