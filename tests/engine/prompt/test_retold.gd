# An NPC does not say everything twice to the same listener.
extends "res://tests/engine/case.gd"


func make_npc() -> RAGMemory:
	check_equal(MemoryServer.open_save("retold_%d" % Time.get_ticks_usec()), OK)
	var memory := make_memory("mira")
	memory.store("Ulf stole the bell of the chapel.", 6)
	memory.store("The miller has bought a new horse.", 6)
	return memory


func say(memory: RAGMemory, line: String) -> String:
	var begun := memory.begin_exchange("line" if line else "greeting", line)
	return memory.finish_exchange(begun["exchange"])["response"]


func test_the_same_question_three_times() -> void:
	var mira := make_npc()
	var first := say(mira, "Who stole the bell?")
	check_contains(first, "Ulf stole the bell")
	check("told you" not in first, first)
	check_contains(say(mira, "Who stole the bell?"), "told you")
	var third := say(mira, "Who stole the bell?")
	check(third.begins_with("You keep") or third.begins_with("How often"), third)
	check("told you" not in say(mira, "What has the miller bought?"), "another question")


func test_what_was_told_steps_back_and_explain_shows_it() -> void:
	var mira := make_npc()
	say(mira, "Who stole the bell?")
	var bell: Dictionary = {}
	for memory: Dictionary in mira.retrieve_scored("What is new in the village?"):
		if "bell" in memory["document_full"] and memory["metadata"]["event_type"] == "general":
			bell = memory
	check(bell.has("last_told"), str(bell))
	check(bell["breakdown"]["cooldown"] < 0.6, str(bell["breakdown"]))
	var why: Dictionary = mira.explain("What is new in the village?", bell["id"])
	check(why["breakdown"]["cooldown"] < 0.6, str(why))
	why = mira.explain("Who stole the bell?", bell["id"])
	check_equal(why["breakdown"]["cooldown"], 1.0, "it is asked for again")
	mira.config = MemoryConfig.new()
	mira.config.score_mode = MemoryConfig.PRODUCT
	why = mira.explain("What is new in the village?", bell["id"])
	check(not (why["breakdown"] as Dictionary).has("cooldown"), "PRODUCT")


func test_greetings_are_different_and_a_prompt_says_what_was_told() -> void:
	var mira := make_npc()
	say(mira, "Who stole the bell?")
	var prompt: Dictionary = mira.build_prompt("line", "And what else?")
	check_contains(prompt["sections"]["guidance"]["text"], "in this talk already")
	var greeting := say(mira, "")
	check(say(mira, "") != greeting, greeting)
	prompt = mira.build_prompt("greeting")
	check_contains(prompt["sections"]["guidance"]["text"], "Your last greeting was")
