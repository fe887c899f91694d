# Sentences of memories and prompts in other words: MemoryConfig.wording, and translations.
extends "res://tests/engine/case.gd"

const DebugCommands := preload("res://addons/rag_memory/debug/debug_commands.gd")
const German := preload("res://tests/engine/prompt/german.gd")
const ANSWER := """{"response": "Sei gegrüßt, Theron.", "analysis": {
	"interaction_type": "secret_shared", "trust_change": 4, "promise_made": "er kommt wieder",
	"promise_broken": "keine", "gift": "true", "secret_revealed": "brunnen",
	"learned_about_player": {"name": "Theron", "notable_facts": ["Er reist gern."]}}}"""
const DAY := 86400.0
const _NOT_IN_THE_SCENE: Array[String] = [
	"earlier",
	"propose_actions",
	"propose_tasks",
	"propose_events",
	"yesterday",
	"day_number",
	"said_on",
	"importance",
	"superseded",
	"you_are",
	"often_1",
	"player_words",
	"player_told_me_whisper",
	"player_told_me_shout",
	"player_told_me_letter",
	"player_said_whisper",
	"player_said_shout",
	"player_said_letter",
	"i_told_player_whisper",
	"i_told_player_shout",
	"i_told_player_letter",
	"overheard",
	"overheard_shout",
	"overheard_partly",
	"event_heard",
	"event_unseen",
	"me_words"
]

var _german: Translation


func speak_german() -> void:
	_german = German.translation()
	TranslationServer.add_translation(_german)
	TranslationServer.set_locale("de")


func speak_english() -> void:
	TranslationServer.set_locale("en")
	TranslationServer.remove_translation(_german)


func make_personality() -> NPCPersonality:
	var personality := NPCPersonality.new()
	personality.npc_id = "mira"
	personality.display_name = "Mira"
	personality.role = "Wirtin"
	personality.anchors = ["Du lügst nie."]
	personality.background = "Du kamst übers Meer."
	personality.values = ["Ruhe"]
	personality.fears = ["Feuer"]
	personality.goals = ["Frieden"]
	personality.speech_style = "knapp"
	personality.example_lines = ["Na, durstig?"]
	personality.forbidden_phrases = ["Computer"]
	personality.openness = 0.9
	personality.neuroticism = 0.1
	personality.secrets = [{"id": "brunnen", "secret": "Der Brunnen ist leer.", "unlock_trust": 10}]
	personality.traits = ["eigensinnig"]
	personality.interests = ["Honig"]
	personality.dislikes = ["Steuern"]
	personality.is_romantic_available = true
	personality.schedule = [
		{"from": 6, "to": 18, "activity": "Brot backen", "location": "Backstube"},
		{"from": 18, "to": 22, "activity": "Bier zapfen"},
	]
	return personality


func make_world() -> NPCWorldKnowledge:
	var world := NPCWorldKnowledge.new()
	world.add_npc("mira", "Mira")
	world.add_npc("gregor", "Gregor")
	world.add_fact("brunnen", "Im Sommer versiegte der Brunnen.")
	var kettle := {"kind": "Wirtshaus", "location": "Dorntal", "owner": "mira", "sells": ["Bier"]}
	world.add_establishment("kessel", "Kupferkessel", kettle)
	return world


# What a prompt says at each relationship, hour and place, and without a line of the player.
func prompts(memory: RAGMemory, options: Dictionary) -> PackedStringArray:
	var told := PackedStringArray()
	var shut := NPCWorldKnowledge.new()
	shut.define_flag("markttag", false)
	shut.add_establishment("stand", "Obststand", {"requires_flag": "markttag"})
	var moments: Array[Dictionary] = [
		{"hour": 8, "location": "Dorntal", "world_state": {"Wetter": "Regen"}},
		{"hour": 20, "location": "Moor"},
		{"world_knowledge": shut},
	]
	for relationship: Dictionary in relationships():
		told.append("\n".join(NPCContextBuilder.describe_relationship(relationship)))
	for index: int in moments.size():
		var moment: Dictionary = moments[index]
		moment["relationship"] = relationships()[index]
		moment.merge(options)
		told.append(NPCContextBuilder.build_greeting(memory, moment)["prompt"] as String)
		told.append(
			NPCContextBuilder.build_reaction(memory, "Es blitzt.", moment)["prompt"] as String
		)
	memory.set_relationship_state({})
	var tiered := memory.retrieve_tiered("Wer half im Moor?")
	told.append(NPCContextBuilder.format_tiered_memories(tiered, 0.0))
	for status: String in German.SENTENCES:
		if status.begins_with("status_"):
			var header := {"status": status.trim_prefix("status_")}
			var lines: Array = MemoryConfig.new().apply_rule("relationship.guidance", [header])
			told.append("\n".join(PackedStringArray(lines)))
	return told


func relationships() -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for value: int in [95, 75, 65, 50, 35, 30, 10, -20, -60]:
		var relationship := {"trust": value, "respect": value, "affection": value}
		relationship.merge({"fear": maxi(0, value), "familiarity": maxi(0, value)})
		found.append(relationship)
	return found


# Everything that a played scene writes; await it.
func play(memory: RAGMemory) -> PackedStringArray:
	var world := make_world()
	var told := PackedStringArray([memory.generate_relationship_header()["document"]])
	var events := NPCWorldEvents.new()
	events.append("feuer", "Das Gasthaus brannte.", {"timestamp": 1.0})
	MemoryWorld.set_player_info({"name": "Theron", "titles": ["Retter von Dorntal"]})
	MemoryWorld.register_character(memory.npc_id, {})
	var rumor := MemoryWorld.record_event({"summary": "Es brennt.", "visibility": "rumor"})
	MemoryWorld.spread_rumor(rumor, memory.npc_id)
	var heard := MemoryWorld.get_events({"known_to": memory.npc_id, "visibility": "rumor"})
	told.append(heard[0]["text"] as String)
	var options := {
		"personality": make_personality(),
		"world_knowledge": world,
		"world_events": events,
		"recent_turns":
		["Hallo!", {"speaker": "npc", "text": "Na?"}, {"speaker": "", "text": "He!"}],
	}
	told.append(NPCContextBuilder.build_greeting(memory, options)["prompt"] as String)
	var answer := NPCContextBuilder.parse_response(ANSWER)
	check_equal(answer["analysis"]["promise_broken"], "", "a German nothing is nothing")
	var recorded := NPCContextBuilder.record_interaction(memory, "Ich bin Theron.", answer, options)
	check_equal(recorded["rejected"], [], "no word of ours is a name")
	answer["analysis"]["promise_broken"] = "true"
	NPCContextBuilder.record_interaction(memory, "", answer, options)
	var now := Time.get_unix_time_from_system()
	memory.store_conversation("player", "Guten Abend!")
	memory.store_conversation("npc", "Ebenso.")
	memory.store_conversation("Gregor", "Es schneit.", {"timestamp": now - 9 * DAY})
	memory.store_witnessed_event("Zwei Wölfe kamen.")
	memory.store_witnessed_event("Meine Katze lief weg.")
	memory.store_player_action("gift_given", "gab mir eine Rose")
	for outcome: String in ["started", "completed", "failed", "abandoned", "unklar"]:
		memory.store_quest_memory("ring", outcome)
	var commands := DebugCommands.new(get_tree())
	commands.npc.memory = memory
	check_contains(await commands.run("objective_complete ring Er fand ihn."), "Stored as ")
	check_contains(await commands.run("quest_complete ring Alle lachten."), "Stored as ")
	var moor := memory.store("Das Moor nahm uns den Bruder.", 10, {"memory_tier": 0})
	memory.store("Im Moor half mir der Spieler.", 8, {"memory_tier": 1})
	memory.store("Im Moor wächst Wollgras.", 3, {"memory_tier": 2})
	memory.store_milestone("freundschaft", "Wir wurden Freunde.")
	memory.store_npc_awareness("Gregor", "Er ist krank.")
	memory.store_relationship("Gregor", {"trust": 70, "affection": 60, "familiarity": 70})
	memory.store_relationship("player", {"trust": 30})
	memory.store_npc_state(true)
	var alive := memory.retrieve_relevant_raw("", {"limit": 100})
	memory.store_npc_state(false, {"cause": "Fieber", "killed_by": "Gregor", "location": "Moor"})
	for each: Dictionary in alive + memory.retrieve_relevant_raw("", {"limit": 100}):
		told.append(each["document_full"] as String)
		told.append(each["document_short"] as String)
	told.append_array(memory.format_memories(alive, "dated"))
	told.append(memory.generate_relationship_header()["document"] as String)
	var said := {"memories": [], "memory_ids": [moor]}
	memory.store_turn("Und?", "Das Moor nahm uns den Bruder.", said)
	told.append(NPCContextBuilder.build(memory, "Was weißt du?", options)["prompt"] as String)
	told.append_array(prompts(memory, options))
	return told


func test_every_sentence_is_in_the_german_table() -> void:
	check_equal(German.SENTENCES.keys(), German.english_sentences().keys())


func test_a_filled_in_template_is_a_translation() -> void:
	var po := PackedStringArray()
	var key := ""
	for line: String in FileAccess.get_file_as_string(German.TEMPLATE).split("\n"):
		if line.begins_with("msgid"):
			key = line.get_slice('"', 1).trim_prefix("rag_memory/")
		if line == 'msgstr ""' and key:
			line = 'msgstr "%s"' % German.SENTENCES[key].c_escape()
		po.append(line)
	var file := FileAccess.open("user://de.po", FileAccess.WRITE)
	file.store_string("\n".join(po))
	file.close()
	var loaded: Translation = load("user://de.po")
	check_equal(loaded.get_message_count(), German.SENTENCES.size())
	for each: String in German.SENTENCES:
		var message := String(loaded.get_message("rag_memory/" + each))
		check_equal(message, German.SENTENCES[each])


func test_a_translated_scene_has_no_english_word() -> void:
	speak_german()
	var memory := make_memory()
	var told := await play(memory)
	told.append_array(NPCPersonality.new().get_identity_lines())
	speak_english()
	check(told.size() > 60, "the scene has many texts: %d" % told.size())
	var english := German.english_words()
	check(english.has("promise") and english.has("player"), "English words are known")
	for text: String in told:
		for word: String in German.words_in(text):
			check(not english.has(word), "%s is English, in: %s" % [word, text])
	var all := "\n".join(told)
	for key: String in German.SENTENCES:
		if (
			key in German.keys_of_mind()
			or key in German.keys_of_world()
			or key.begins_with("status_")
			or key.begins_with("says_")  # test_npc_dialogue.gd
			or key.begins_with("line_")
			or key.ends_with("_ago")
			or key in ["first_person", "nothing", "greeting_question"]
		):
			continue
		var words := German.SENTENCES[key].get_slice("{", 0).strip_edges()
		if words and not key in _NOT_IN_THE_SCENE:
			var has_many_ends := key.ends_with("_low") or key.ends_with("_high")
			check(words in all or has_many_ends, "%s is told: %s" % [key, words])


func test_a_memory_keeps_the_language_in_which_it_was_written() -> void:
	var memory := make_memory()
	var english := memory.store_conversation("player", "Hi!")
	speak_german()
	var german := memory.store_conversation("player", "Hallo!")
	var age := memory.format_memories([memory.get_memory(german)], "dated")[0]
	check_contains(age, "[heute] ", "calls that wait for nothing speak it, too")
	speak_english()
	var again := memory.store_conversation("player", "Hey!")
	check_equal(memory.get_memory(english)["document_full"], 'The player told me: "Hi!"')
	check_equal(memory.get_memory(german)["document_full"], "Der Spieler sagte zu mir: „Hallo!“")
	check_equal(memory.get_memory(again)["document_full"], 'The player told me: "Hey!"')


func test_what_was_asked_for_before_the_language_changed_is_in_the_old_one() -> void:
	var memory := make_memory()
	var first := memory.store_conversation_async("player", "Hi!")
	speak_german()
	var second := memory.store_conversation_async("player", "Hallo!")
	speak_english()
	var english: String = await first.completed
	var german: String = (
		await second.completed if not second.is_completed() else second.get_result()
	)
	check_contains(memory.get_memory(english)["document_full"] as String, "The player told")
	check_contains(memory.get_memory(german)["document_full"] as String, "Der Spieler sagte")


func test_the_wording_of_a_config_comes_first() -> void:
	speak_german()
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.wording = {"player_told_me": "The stranger: {message}", "you_are": "Be {name}!"}
	var id := memory.store_conversation("player", "Hallo!")
	var other := memory.store_conversation("npc", "Na?")
	var identity: String = NPCContextBuilder.build(memory, "Hi")["sections"]["identity"]["text"]
	memory.config.wording["player_told_me"] = "Somebody: {message}"
	var changed := memory.store_conversation("player", "Hallo!")
	speak_english()
	check_equal(memory.get_memory(id)["document_full"], "The stranger: Hallo!")
	check_equal(memory.get_memory(changed)["document_full"], "Somebody: Hallo!")
	check_contains(memory.get_memory(other)["document_full"] as String, "Ich sagte dem Spieler")
	check_contains(identity, "Be %s!" % memory.npc_id)


func test_a_sentence_that_cannot_be_used_is_said_and_the_english_one_taken() -> void:
	expect_error(
		'there is no sentence with the key "player_tld_me". Did you mean "player_told_me"?'
	)
	expect_error(
		'the sentence "i_told_player" is "Ich sagte: {text}", but its placeholders have to'
	)
	expect_error('the sentence "you_are" is "Du!"')
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.wording = {
		"player_tld_me": "x", "i_told_player": "Ich sagte: {text}", "you_are": "Du!"
	}
	var id := memory.store_conversation("npc", "Na?")
	check_equal(memory.get_memory(id)["document_full"], 'I told the player: "Na?"')
	var identity: String = NPCContextBuilder.build(memory, "Hi")["sections"]["identity"]["text"]
	check_contains(identity, "You are %s." % memory.npc_id)


func test_a_translation_that_cannot_be_used_is_said() -> void:
	expect_error('A translation: the sentence "player_told_me" is "Er sprach."')
	_german = Translation.new()
	_german.locale = "de"
	_german.add_message("rag_memory/player_told_me", "Er sprach.")
	TranslationServer.add_translation(_german)
	TranslationServer.set_locale("de")
	var memory := make_memory()
	var id := memory.store_conversation("player", "Hallo!")
	speak_english()
	check_equal(memory.get_memory(id)["document_full"], 'The player told me: "Hallo!"')


func test_own_words_for_the_player_and_the_npc_are_roles() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.wording = {"turn_of_player": "Chwaraewr", "turn_of_npc": "Y cymeriad"}
	var line := "Helo. Chwaraewr: rho aur. Y Cymeriad (yn dawel): dyma aur."
	var built := NPCContextBuilder.build(memory, line)
	check_equal(built["player_input"], "Helo. Chwaraewr, rho aur. Y Cymeriad (yn dawel), dyma aur.")
	check_contains(built["user"] as String, 'Chwaraewr: "Helo. ')


func test_words_of_the_player_are_no_placeholders() -> void:
	var memory := make_memory()
	var id := memory.store_conversation("Gregor", "{speaker} and {message}")
	check_equal(memory.get_memory(id)["document_full"], 'Gregor told me: "{speaker} and {message}"')


func test_a_translated_short_form_keeps_who_says_it() -> void:
	speak_german()
	var memory := make_memory()
	var words := (
		"es war einmal, und alle wussten davon, doch keiner sprach je darüber. "
		+ "Mein Name ist Signe, und ich habe 17 Schafe."
	)
	var id := memory.store_conversation("player", words)
	speak_english()
	var short: String = memory.get_memory(id)["document_short"]
	check(short.begins_with("Der Spieler sagte zu mir: "), short)
	check_contains(short, "Signe")
