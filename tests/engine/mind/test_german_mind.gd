# What an NPC's mind writes, in the language of the game.
extends "res://tests/engine/case.gd"
# Runs without the model.

const German := preload("res://tests/engine/prompt/german.gd")
const DAY := 86400.0
const ACTIONS: Array[String] = [
	"spoke",
	"attacked",
	"gifted",
	"helped",
	"hurt",
	"insulted",
	"threatened",
	"robbed",
	"stole",
	"betrayed",
	"traded",
	"bought",
	"sold",
]
# Actions and how many days ago they were; what is concluded of each list.
const STORIES: Array[Array] = [
	[["helped", 0.0], ["helped", 0.0]],
	[["gifted", 3.0], ["gifted", 2.0], ["gifted", 0.0]],
	[["gifted", 3.0], ["helped", 2.0], ["helped", 1.0], ["helped", 0.0]],
	[["attacked", 0.0], ["attacked", 0.0], ["attacked", 0.0], ["attacked", 0.0], ["attacked", 0.0]],
	[
		["attacked", 9.0],
		["insulted", 5.0],
		["attacked", 4.0],
		["insulted", 3.0],
		["attacked", 1.0],
		["attacked", 0.0],
	],
	[["attacked", 9.0], ["attacked", 8.0], ["helped", 2.0], ["helped", 1.0]],
	[["helped", 9.0], ["helped", 8.0], ["attacked", 2.0], ["attacked", 1.0]],
]

var _german: Translation
var _told := PackedStringArray()


func _mind() -> NPCMind:
	var mind := NPCMind.new()
	var memory := RAGMemory.new()
	memory.npc_id = "npc %d" % memory.get_instance_id()
	memory.add_child(mind)
	add_child(memory)
	return mind


func _perceive(mind: NPCMind, action: String, id: String, more: Dictionary = {}) -> void:
	var event := {"action": action, "source_id": id, "source_name": id.to_pascal_case()}
	var felt := mind.perceive(event.merged(more, true))
	_told.append(felt.disposition.reason as String)
	_told.append(felt.emotion.reason as String)


# What all her memories say, and her words for how somebody stands to her.
func _hear(mind: NPCMind) -> void:
	var memory: RAGMemory = mind.get_parent()
	for each: Dictionary in memory.retrieve_relevant_raw("", {"limit": 100}):
		_told.append(each.document_full as String)
		_told.append(each.document_short as String)
	for each: Dictionary in mind.get_dispositions().values():
		_told.append(each.reason as String)


func _be_told_things() -> void:
	var mind := _mind()
	for action: String in ACTIONS:
		_perceive(mind, action, "kael")
	_perceive(mind, "spoke", "kael", {"content": "Guten Tag"})
	_perceive(mind, "gifted", "lena", {"content": "eine Rose"})
	_perceive(mind, "conversed", "niemand", {"content": "Gute Nacht"})
	_perceive(mind, "winken", "kael", {"importance": 6})
	_perceive(mind, "spoke", "", {"content": "Hallo", "source_name": ""})
	_perceive(mind, "helped", "tom", {"content": "Das bleibt unter uns", "secret": true})
	_hear(mind)
	for mood: String in NPCMindConfig.new().mood_rules.map(
		func(rule: Dictionary) -> String: return rule.mood
	):
		mind.feel(mood, 50.0)
		_listen(mind)
	mind.feel("neutral", 50.0)
	_listen(mind)
	mind.feel("zornig", 50.0, "der Lärm")
	mind.set_nearby(["tom"])
	_listen(mind)


# A blind bystander hears one deed, and of another one only that something happened.
func _be_near() -> void:
	var blind := _mind()
	var memory: RAGMemory = blind.get_parent()
	memory.senses = RAGMemory.HEARING
	for more: Dictionary in [{"sound": "Glas zerbricht"}, {}]:
		_perceive(_mind(), "stole", "kael", {"bystanders": [memory.npc_id]}.merged(more))
	_hear(blind)


func _listen(mind: NPCMind) -> void:
	var listeners := PackedStringArray(["kael", "lena", "niemand"])
	_told.append(mind.build_listener_context(listeners, "Der Sturm")["text"] as String)


func _conclude() -> void:
	var now := Time.get_unix_time_from_system()
	for story: Array in STORIES:
		var mind := _mind()
		for number: int in story.size():
			var at := {"content": "Sache %d" % number, "timestamp": now - story[number][1] * DAY}
			_perceive(mind, story[number][0] as String, "rowan", at)
		_reflect(mind)
	var debtor := _mind()
	for action: String in ["helped", "helped", "repaid"]:
		_perceive(
			debtor, action, "rowan", {"content": "Sache %d" % debtor.get_interactions().size()}
		)
		_reflect_if_any(debtor)
	for action: String in ["helped", "attacked"]:
		var mind := _mind()
		for number: int in 2:
			var place := {"content": "Sache %d" % number, "location": "die alte Furt"}
			_perceive(mind, action, "", place)
		_reflect(mind)


func _reflect_if_any(mind: NPCMind) -> void:
	mind.reflect(true)
	_hear(mind)


func _reflect(mind: NPCMind) -> void:
	check(not mind.reflect(true).is_empty(), "something is concluded")
	_hear(mind)


func test_no_english_word_is_left() -> void:
	_german = German.translation()
	TranslationServer.add_translation(_german)
	TranslationServer.set_locale("de")
	_told.append(_mind().build_listener_context([])["text"] as String)
	_be_told_things()
	_be_near()
	_conclude()
	var mind := _mind()
	mind.feel("sad", 20.0)
	var options := {"listeners": ["player", "kael"], "relationship": {"met": true}}
	var prompt := NPCContextBuilder.build(mind.get_parent(), "Na?", options)
	_told.append(prompt["sections"]["listeners"]["text"] as String)
	TranslationServer.set_locale("en")
	TranslationServer.remove_translation(_german)
	var english := German.english_words()
	check(english.has("friendly") and english.has("hostile"), "English words are known")
	for text: String in _told:
		for word: String in German.words_in(text):
			check(not english.has(word), "%s is English, in: %s" % [word, text])
	var all := "\n".join(_told)
	var placeholder := RegEx.create_from_string("\\{[a-z_]+\\}")
	for key: String in German.keys_of_mind():
		for part: String in placeholder.sub(German.SENTENCES[key], "|", true).split("|", false):
			check_contains(all, part.strip_edges(), key)


# Her own calls were in English; she only stands by since the player chose German.
func test_who_stands_by_remembers_in_the_language_of_the_game() -> void:
	var elena := _mind()
	var memory: RAGMemory = elena.get_parent()
	_perceive(elena, "helped", "kael")
	_german = German.translation()
	TranslationServer.add_translation(_german)
	TranslationServer.set_locale("de")
	_perceive(_mind(), "stole", "kael", {"bystanders": [memory.npc_id]})
	TranslationServer.set_locale("en")
	TranslationServer.remove_translation(_german)
	var seen := memory.retrieve_relevant_raw("", {"filter": {"event_type": "witnessed_event"}})
	check_equal(seen.size(), 1)
	check_contains(seen[0].document_full as String, German.SENTENCES["i_saw"].split("{")[0])


func test_a_place_is_called_as_the_game_calls_it() -> void:
	var mind := _mind()
	for number: int in 2:
		var event := {"action": "helped", "content": str(number), "location": "mill"}
		mind.perceive(event)
	var id := mind.reflect(true)[0]
	var memory: RAGMemory = mind.get_parent()
	check_equal(memory.get_memory(id)["document"], "A place where good things happen: mill.")
