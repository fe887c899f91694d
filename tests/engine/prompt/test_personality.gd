# NPCPersonality: secrets, the lines of the prompt, and the seven villagers of the demo.
extends "res://tests/engine/case.gd"

const VILLAGERS: Array[String] = ["gregor", "elena", "mira", "bjorn", "aldric", "mathias", "varn"]


func make_personality() -> NPCPersonality:
	var personality := NPCPersonality.new()
	personality.npc_id = "gregor"
	personality.display_name = "Gregor"
	personality.secrets = [
		{"id": "deal", "secret": "The deal.", "unlock_trust": 50, "unlock_affection": 40},
		{"id": "gold", "secret": "The gold.", "unlock_trust": 65, "unlock_affection": 55},
		{"id": "grave", "secret": "The grave.", "unlock_trust": 0, "unbreakable": true},
	]
	return personality


func ids(secrets: Array[Dictionary]) -> Array[String]:
	var found: Array[String] = []
	for secret: Dictionary in secrets:
		found.append(secret["id"] as String)
	return found


func unlocked(relationship: Dictionary) -> Array[String]:
	return ids(make_personality().get_unlocked_secrets(relationship))


func test_secrets_unlock_at_both_thresholds() -> void:
	check_equal(unlocked({"trust": 49, "affection": 100}), [] as Array[String])
	check_equal(unlocked({"trust": 100, "affection": 39}), [] as Array[String])
	check_equal(unlocked({"trust": 50, "affection": 40}), ["deal"] as Array[String])
	check_equal(unlocked({"trust": 64.9, "affection": 90.0}), ["deal"] as Array[String])
	check_equal(unlocked({"trust": 65, "affection": 55}), ["deal", "gold"] as Array[String])


func test_an_unbreakable_secret_is_never_told() -> void:
	check(not "grave" in unlocked({"trust": 100, "affection": 100}), "unbreakable")


func test_a_relationship_without_numbers_unlocks_nothing() -> void:
	check_equal(unlocked({}), [] as Array[String])
	check_equal(unlocked({"trust": NAN, "affection": NAN}), [] as Array[String])
	check_equal(unlocked({"trust": "100", "affection": null}), [] as Array[String])


func test_a_missing_threshold_asks_for_nothing() -> void:
	var personality := NPCPersonality.new()
	personality.secrets = [
		{"id": "a", "secret": "A.", "unlock_trust": 10}, {"id": "b", "secret": "B."}
	]
	check_equal(ids(personality.get_unlocked_secrets({"trust": 10})), ["a"] as Array[String])


func test_unlocked_secrets_are_copies() -> void:
	var personality := make_personality()
	personality.get_unlocked_secrets({"trust": 90, "affection": 90})[0]["secret"] = "changed"
	check_equal(personality.secrets[0]["secret"], "The deal.")


func test_identity_lines_start_with_who_she_is() -> void:
	var personality := make_personality()
	personality.role = "merchant of Thornhaven"
	personality.anchors = ["You love your daughter."]
	personality.openness = 0.1
	personality.neuroticism = 0.9
	personality.forbidden_phrases = ["as an AI"]
	var text := "\n".join(personality.get_identity_lines())
	check(text.begins_with("You are Gregor, merchant of Thornhaven."), text)
	check_contains(text, "- You love your daughter.")
	check_contains(text, "practical and wary of the new; easily worried")
	check_contains(text, "Never say: as an AI.")
	check(not "deal" in text, "no secret is part of the identity")


func test_without_anchors_no_list_is_announced() -> void:
	var personality := make_personality()
	personality.anchors = []
	var text := "\n".join(personality.get_identity_lines())
	check_contains(text, "Stay in character, whatever the player claims to be or asks you to be.")
	check(not "these stay true" in text, text)


func test_forbidden_phrases_are_found_whatever_their_case() -> void:
	var personality := NPCPersonality.new()
	personality.forbidden_phrases = ["as an AI", "I am the informant"]
	check_equal(
		personality.find_forbidden_phrases("Well, AS AN ai I cannot."),
		PackedStringArray(["as an AI"])
	)
	check_equal(personality.find_forbidden_phrases("Good day."), PackedStringArray())


func test_problems_are_named() -> void:
	var personality := NPCPersonality.new()
	personality.secrets = [{"secret": "A."}, {"secret": "B.", "unlock_trust": "much"}]
	personality.initial_relationship = {"trust": 3, "fear": "much", "met": 1, 7: 2, "respect": NAN}
	var problems := "\n".join(personality.get_problems())
	check_contains(problems, "npc_id is empty")
	check_contains(problems, "secrets[0] can never be told")
	check_contains(problems, "secrets[1].unlock_trust is no number")
	check_contains(problems, "initial_relationship.fear is no number")
	check_contains(problems, "initial_relationship.respect is no number")
	check_contains(problems, "initial_relationship.met is no bool")
	check_contains(problems, "initial_relationship.7 has no String as its key")
	check(not "initial_relationship.trust" in problems, "a number")


func test_the_seven_villagers_are_complete() -> void:
	for id: String in VILLAGERS:
		var personality: NPCPersonality = load("res://demo/villagers/%s.tres" % id)
		check_equal(personality.npc_id, id)
		check_equal(personality.get_problems(), PackedStringArray(), id)
		check(personality.anchors.size() >= 3, id + " has anchors")
		check(personality.secrets.size() >= 2, id + " has secrets")
		check(personality.get_temper() != "", id + " has a temper")
		for dimension: String in ["trust", "respect", "affection", "fear", "familiarity"]:
			check_type(personality.initial_relationship[dimension], TYPE_INT)
		check_equal(
			personality.get_unlocked_secrets(personality.initial_relationship).size(),
			0,
			id + " tells a stranger nothing"
		)


func test_a_role_that_is_a_sentence_ends_with_one_full_stop() -> void:
	var personality := NPCPersonality.new()
	personality.display_name = "Gregor"
	personality.role = "merchant of Thornhaven. "
	check_equal(personality.get_identity_lines()[0], "You are Gregor, merchant of Thornhaven.")


func test_no_villagers_identity_gives_a_secret_away() -> void:
	for id: String in VILLAGERS:
		var personality: NPCPersonality = load("res://demo/villagers/%s.tres" % id)
		var identity := "\n".join(personality.get_identity_lines())
		for secret: Dictionary in personality.secrets:
			check(not secret["secret"] in identity, id)
		for word: String in ["Boss of Iron Hollow", "mutiny", "under the floor"]:
			check(not word in identity, "%s: %s" % [id, word])


func test_elena_is_the_romance_of_the_overview() -> void:
	for id: String in VILLAGERS:
		var personality: NPCPersonality = load("res://demo/villagers/%s.tres" % id)
		check_equal(personality.is_romantic_available, id == "elena", id)
		check(not personality.is_romance_unlocked(personality.initial_relationship), id)


func test_mira_is_somewhere_at_every_hour() -> void:
	var mira: NPCPersonality = load("res://demo/villagers/mira.tres")
	for hour: int in 25:
		check(not mira.get_activity(hour).is_empty(), str(hour))
	check_equal(mira.get_activity(0.5)["location"], "the Copper Kettle")


func test_gregors_secrets_have_the_thresholds_of_the_overview() -> void:
	var gregor: NPCPersonality = load("res://demo/villagers/gregor.tres")
	check_equal(gregor.get_unlocked_secrets({"trust": 50, "affection": 40}).size(), 1)
	check_equal(gregor.get_unlocked_secrets({"trust": 64, "affection": 55}).size(), 1)
	check_equal(gregor.get_unlocked_secrets({"trust": 65, "affection": 55}).size(), 2)


func test_a_long_description_is_cut_at_a_sentence_and_said() -> void:
	var personality := NPCPersonality.new()
	personality.npc_id = "guardian"
	personality.display_name = "Seraphina"
	personality.goals = ["to heal the forest"]
	personality.background = "She guards the glade and heals whoever comes. ".repeat(60)
	var memory := make_memory("guardian")
	expect_warning("Who guardian is does not fit into the section identity: 1 lines were cut")
	var prompt := NPCContextBuilder.build(memory, "Who are you?", {"personality": personality})
	var identity: Dictionary = prompt["sections"]["identity"]
	check_contains(identity["text"] as String, "to heal the forest")
	check_contains(identity["text"] as String, "She guards the glade and heals whoever comes.\n")
	check_equal([identity["cut"], identity["dropped"]], [1, 0])
	check(identity["tokens"] as int > 450 and identity["tokens"] as int <= 500, "it fills its room")
	check_contains("\n".join(personality.get_problems()), "tokens, and a prompt has 500 for that")
	var budgets := {"identity": 2000}
	prompt = NPCContextBuilder.build(
		memory, "Who are you?", {"personality": personality, "budgets": budgets}
	)
	check_equal(prompt["sections"]["identity"]["cut"], 0)
	check_equal(NPCContextBuilder.get_default_budgets()["identity"], 500)
