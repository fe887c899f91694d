# Hybrid relevance, duplicates and explain(), through the public methods.
extends "res://tests/engine/case.gd"

const PARTS: Array[String] = [
	"dense",
	"dense_channel",
	"keyword_channel",
	"event_channel",
	"time_channel",
	"order_channel",
	"names_channel",
	"episode_channel",
	"sum",
	"odds"
]
# The memory, a question about it, and something else, in nine scripts.
const LANGUAGES: Array[Array] = [
	["Zoë burned Müller's mills.", "Why was the Muller mill burning?", "It rained all day."],
	["Мирослава сожгла старую мельницу.", "Кто сжёг мельницы?", "Весь день шёл дождь."],
	["Η Ελένη έκαψε τον παλιό μύλο.", "Ποιος έκαψε τον ΜΥΛΟ;", "Έβρεχε όλη μέρα."],
	["田中さんは古い水車小屋を燃やした。", "水車小屋を燃やしたのは誰", "一日中雨が降っていた。"],
	["김철수가 낡은 방앗간을 태웠다.", "방앗간은 누가 태웠나요", "하루 종일 비가 내렸다."],
	["أحرقت ليلى الطاحونة القديمة.", "من أحرق طاحونة القرية", "هطل المطر طوال اليوم."],
	["मीरा ने पुरानी चक्की जला दी।", "चक्की किसने जलाई", "दिन भर बारिश हुई।"],
	["มีราเผาโรงสีเก่า", "ใครเผาโรงสี", "ฝนตกทั้งวัน"],
	["מרים שרפה את הטחנה הישנה.", "מי שרף את הטחנה", "ירד גשם כל היום."],
]


func test_a_dialogue_file_asks_what_she_knows() -> void:
	var memory := make_memory()
	var id := memory.store("Rowan promised me to mend the roof before the first snow.", 7)
	memory.store("The baker's cat had kittens.", 2)
	var before := memory.get_memory(id)
	check(memory.knows("Rowan promised to mend the roof"), "it was stored")
	check(not memory.knows("Rowan mended the roof"), "a promise is no deed")
	check(not memory.knows("I promised Rowan to mend the roof"), "the roles are reversed")
	check(not memory.knows("a dragon burned the capital"), "nothing like it was stored")
	check(not memory.knows("Rowan promised to mend the roof", 1.0), "nothing is that sure")
	check(memory.knows("a dragon burned the capital", 0.0), "a bound of 0 is reached by anything")
	check(memory.how_sure("Rowan promised to mend the roof") > 0.7, "how_sure() of what was stored")
	check(memory.how_sure("a dragon burned the capital") < 0.5, "how_sure() of what was not")
	check_equal(memory.get_memory(id), before, "to ask is not to recall")
	check_equal(
		memory.recall_best("the roof").document,
		"Rowan promised me to mend the roof before the first snow."
	)
	check(await memory.knows_async("the baker's cat").completed, "knows_async()")
	check(await memory.how_sure_async("the baker's cat").completed > 0.5, "how_sure_async()")
	var best: Dictionary = await memory.recall_best_async("the baker's cat").completed
	check_equal(best.document, "The baker's cat had kittens.")
	check_equal(make_memory("nobody").knows("the roof"), false)
	check_equal(make_memory("nobody").how_sure("the roof"), 0.0)
	check_equal(make_memory("nobody").recall_best("the roof"), {})


# As Dialogue Manager does it: the method is looked up, and called by its name, and awaited.
func test_a_dialogue_addon_asks_by_name() -> void:
	var memory := make_memory()
	memory.store("Rowan promised me to mend the roof before the first snow.", 7)
	for method: Dictionary in memory.get_method_list():
		if method["name"] in ["knows", "recall_best"]:
			check_equal(method["args"][0]["type"], TYPE_STRING)
			check_equal(method["flags"] & METHOD_FLAG_VARARG, 0)
	check_equal(await memory.callv("knows", ["Rowan promised to mend the roof"]), true)
	check_equal(await memory.callv("knows", ["a dragon burned the capital", 0.5]), false)
	var best: Variant = await memory.callv("recall_best", ["the roof"])
	check_contains(best.get("document", "") as String, "mend the roof")


func test_an_empty_condition_and_a_wrong_bound_are_errors() -> void:
	var memory := make_memory()
	memory.store("It rained.")
	check_equal(memory.knows(" "), false)
	check_equal(memory.how_sure(""), 0.0)
	check_equal(memory.recall_best(""), {})
	check_equal(memory.knows("rain", 1.5), false)
	expect_error("knows(): condition is empty")
	expect_error("how_sure(): condition is empty")
	expect_error("recall_best(): query is empty")
	expect_error("knows(): min_sureness is 1.5: it has to be 0 to 1")


func test_the_gate_of_a_quest_asks_for_an_event() -> void:
	var memory := make_memory()
	var gate := {"event_type": "promise_made", "participants": ["player"]}
	check_equal(memory.knows_event(gate), false)
	memory.store("The player promised to mend the roof.", 7, gate)
	check_equal(memory.knows_event(gate), true)
	check_equal(await memory.knows_event_async(gate).completed, true)
	check_equal(memory.knows_event({"event_type": "promise_made", "participants": "Gregor"}), false)
	check_equal(memory.knows_event({"event_type": "promise_made", "status": "kept"}), false)
	memory.store_player_action("promise_kept", "mended the roof")
	check_equal(memory.knows_event(gate), false, "the promise is not open any more")
	check_equal(memory.knows_event({"event_type": "promise_made", "status": "kept"}), true)


func test_the_gate_of_one_quest_asks_for_its_id() -> void:
	var memory := make_memory()
	memory.store_quest_memory("lost_ring", "completed")
	var gate := {"event_type": "quest_completed", "data": {"quest_id": "lost_ring"}}
	check_equal(memory.knows_event(gate), true)
	gate["data"] = {"quest_id": "lost_sword"}
	check_equal(memory.knows_event(gate), false)


func test_an_unset_variable_opens_no_gate() -> void:
	var memory := make_memory()
	memory.store("Kael stole the ring.", 7, {"event_type": "theft", "participants": ["Kael"]})
	check_equal(memory.knows_event({"event_type": "theft", "participants": ""}), false)
	check_equal(memory.knows_event({"event_type": "theft", "location": ""}), false)
	expect_error("participants is")
	expect_error("location is")


func test_another_recipient_and_the_opposite_are_not_known() -> void:
	var memory := make_memory()
	memory.store("The player gave the baker a cake.")
	memory.store("Kael fought for the duke.")
	memory.store("The bandits stole my cow.")
	check_equal(memory.knows("the player gave the baker a cake"), true)
	check_equal(memory.knows("the player gave me a cake"), false)
	check_equal(memory.knows("Kael fought against the duke"), false)
	check_equal(memory.knows("the bandits stole my cow"), true)


func test_a_wrong_filter_of_an_event_is_an_error() -> void:
	var memory := make_memory()
	check_equal(memory.knows_event({"type": "promise_made"}), false)
	check_equal(memory.knows_event({"participants": ["player"]}), false)
	expect_error("there is no such key. Did you mean 'event_type'? Use event_type, participants")
	expect_error("knows_event(): filter has no event_type")


func test_hybrid_is_the_default_and_dense_is_similarity_alone() -> void:
	var memory := make_memory()
	memory.store("Caroline sold the mill.", 5, {"participants": ["Caroline"]})
	memory.store("It rained.")
	var question := "Did Caroline sell the mill?"
	var hybrid := memory.retrieve_relevant_raw(question)
	check(hybrid[0].breakdown.has_all(PARTS), str(hybrid[0].breakdown))
	check_equal(hybrid[0].breakdown.names_channel, 0.5)
	check(hybrid[0].breakdown.keyword_channel > hybrid[1].breakdown.keyword_channel, "keywords")
	memory.config = MemoryConfig.new()
	check_equal(memory.config.relevance_mode, MemoryConfig.HYBRID)
	memory.config.relevance_mode = MemoryConfig.DENSE
	var dense := memory.retrieve_relevant_raw(question)
	check_near(dense[0].breakdown.relevance, 0.3 + 0.7 * (1.0 - dense[0].distance))


func test_keywords_of_every_script() -> void:
	for texts: Array in LANGUAGES:
		var memory := make_memory(texts[0] as String)
		memory.store(texts[0] as String, 5, {"timestamp": 0})
		memory.store(texts[2] as String, 5, {"timestamp": 1_000_000})
		var best := memory.retrieve_relevant_raw(texts[1] as String)[0]
		check_equal(best.document, texts[0])
		check(best.breakdown.keyword_channel > 0.1, str(best.breakdown))


func test_registered_names_are_known() -> void:
	var memory := make_memory()
	memory.store("It rained.")
	check_equal(memory.explain("Where does Quenby live?").names, [])
	MemoryServer.register_names(["Quenby", "田中"])
	var told := memory.explain("Where does Quenby live?")
	check_equal(told.names, ["quenby"])
	check_equal(told.embedded_context, "Where does live?")
	check_equal(memory.explain("田中さんは何をしましたか").names, ["田中"])


func test_one_text_is_no_list_of_names() -> void:
	var memory := make_memory()
	memory.store("It rained.")
	for check_people: bool in [false, true]:
		expect_error("register_names")
		MemoryServer.callv("register_names", ["Xanthippe", check_people])
	check_equal(memory.explain("Where does Xanthippe live?").names, [])
	check_equal(memory.explain("Is X here?").names, [], "nor are its letters names")
	MemoryServer.callv("register_names", [["Xanthippe"]])
	check_equal(memory.explain("Where does Xanthippe live?").names, ["xanthippe"], "a list is")


func test_exact_repetitions_are_counted() -> void:
	var memory := make_memory()
	var added := watch(memory.memory_added)
	var id := memory.store("The player waved.", 4)
	check_equal(memory.store("The player waved.", 6), id)
	check_equal(memory.get_memory_count(), 1)
	check_equal(memory.get_memory(id).metadata.repeat_count, 2)
	check_equal(memory.get_memory(id).metadata.importance, 6)
	check_equal(added.size(), 1)


func test_exact_repetitions_are_no_archived_memories() -> void:
	var memory := make_memory("one who repeats")
	var id := memory.store("The bridge is safe.")
	memory.update_memory(id, {"text": "The bridge is out."})
	for time in 3:
		check_equal(memory.store("The bridge is out."), id)
	var archived := memory.get_archived()
	check_equal(archived.size(), 1)
	check_equal(archived[0].archived.reason, "updated")
	check_equal(memory.get_archived(id).size(), 1)
	check_equal(memory.browse({"archived": true}).total, 1)
	var drawn := 0
	for count: int in memory.get_timeline().archived:
		drawn += count
	check_equal(drawn, 1)
	var exported: Dictionary = JSON.parse_string(memory.export_json())
	check_equal((exported.archive as Array).size(), 1)
	for npc in MemoryServer.list_npcs():
		if npc.npc_id == memory.npc_id:
			check_equal(npc.archived, 1)
	check_equal(memory.restore_archived(id), true)
	check_equal(memory.get_memory(id).document, "The bridge is safe.")


func test_near_duplicates_collapse() -> void:
	var memory := make_memory()
	var worse := memory.store("Ann had burned the old mill.", 4)
	var better := memory.store("Ann burned the old mill!", 7)
	memory.store("Ann did not burn the old mill.", 6)
	var found := memory.retrieve_scored("Who burned the old mill?")
	check_equal(found.size(), 3, "the header and two memories")
	for each in found:
		var others := {better: [worse], worse: [better]}
		check_equal(each.get("duplicates", []), others.get(each.id, []))


func test_explain_agrees_with_the_answer() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.semantic_top_k = 2
	var ids: Array[String] = [
		memory.store("Greta hides the mill's key under the sundial.", 6),
		memory.store("The key of the chapel is lost.", 5),
		memory.store("The miller sneezed.", 2),
		memory.store("It rained on the market.", 5),
	]
	var question := "Where is the key of the mill?"
	var answer := memory.retrieve_scored(question)
	var told: Dictionary = await memory.explain_async(question).completed
	check_equal(told.memories.size(), answer.size())
	for place in answer.size():
		check_equal(told.memories[place].memory_id, answer[place].id)
		check_equal(told.memories[place].rank, place + 1)
	var reasons: Array[String] = []
	for id in ids:
		reasons.append(memory.explain(question, id).reason as String)
	check_equal(reasons.slice(0, 2), ["returned", "returned"] as Array[String])
	check_equal(reasons.slice(2), ["filtered", "not_candidate"] as Array[String])
	check_equal(memory.explain(question, "nobody").reason, "unknown")
	var first := memory.explain(question, ids[0])
	check_equal(first.relevance_rank, 1)
	check_equal(first.score_rank, 1)
	check_contains(first.text as String, "1st most relevant")
	check_contains(memory.explain(question, ids[2]).text as String, "min_semantic_importance")


func test_the_generated_header_is_explained() -> void:
	for by_score: bool in [true, false]:
		var memory := make_memory("headed by score" if by_score else "headed by tier")
		memory.config = MemoryConfig.new()
		memory.config.use_score_based_selection = by_score
		memory.store("Ann saw the fire at the mill.", 8)
		var header := memory.retrieve_scored("Who saw the fire?")[0]
		check_equal(header.id, memory.generate_relationship_header().id)
		var told := memory.explain("Who saw the fire?", header.id as String)
		check_equal(told.memory_id, header.id)
		check_equal(told.reason, "returned")
		check_equal(told.is_returned, true)


func test_words_for_an_event_type_of_the_game() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.event_words = {"ship_repaired": "repair mend hull overhaul"}
	var repaired := {"event_type": "ship_repaired"}
	memory.store("Tomek worked on the Gull for nine days.", 5, repaired)
	memory.store("Tomek sang on the quay.", 5)
	var best := memory.retrieve_relevant_raw("Who did the overhaul?")[0]
	check_equal(best.document, "Tomek worked on the Gull for nine days.")
	check_near(best.breakdown.event_channel, 1.0)
