# A week in the village: villagers talk with each other, one overhears it, one is deaf, two whisper
# and two bargain, and a promise of the player becomes overdue. Says what the player notices, and
# what each of them remembers and answers.
extends "day.gd"

const BEGINNING := 36 * 86400.0
const ABOUT_THE_CART := "What do you know of the salt cart?"
const ABOUT_THE_PIG := "Where is the pig?"
const ABOUT_THE_PROMISE := "What did I promise you?"
const BESIDE_ALDRIC := Vector2(452, 226)
const BESIDE_BJORN := Vector2(400, 240)
const EVERYBODY: Array[String] = ["mira", "gregor", "elena", "bjorn", "mathias", "aldric", "varn"]


func play() -> void:
	await find_the_pig()
	await meet_far("mira")
	await do_deed("Promise")
	for time: int in 3:
		await speak(ABOUT_THE_PROMISE)
		say("asked_%d" % (time + 1), village.last_answer["response"])
	say("history", history())
	await press(KEY_ESCAPE)

	player.position = BESIDE_ALDRIC
	await talks_are_held(1, 36, 18.0)
	say("overheard", history())
	player.position = BESIDE_BJORN
	await talks_are_held(2, 36, 18.5)
	say("bargain", history())
	await say_journal("journal_at_first")
	await talks_are_held(3, 36, 20.0)
	say("whisper", history())
	await say_memories("first_evening")

	await wait_for(37, 10.0)
	# Not Mira: a greeting does not say again what the one before has said, such as a promise.
	for id: String in EVERYBODY.slice(1):
		await ask(id, ABOUT_THE_CART)
	await ask("gregor", "What does Bjorn owe you?")
	await ask("bjorn", "What do you owe Gregor?")
	player.position = BESIDE_BJORN
	await talks_are_held(4, 38, 18.0)
	say("paid_in_part", history())
	await say_journal("journal_in_part")

	await wait_for(39, 10.0)
	await until("the promise is overdue", func() -> bool: return "Overdue" in message())
	say("overdue", message())
	await meet_far("mira")
	say("reminded", village.last_answer["response"])
	await press(KEY_ESCAPE)
	player.position = BESIDE_ALDRIC
	await talks_are_held(5, 39, 18.0)
	say("shouted", history())
	await wait_for(40, 10.0)
	await until("the silver is overdue", func() -> bool: return "Bjorn" in message())
	say("overdue_silver", message())
	await say_journal("journal_overdue")
	for id: String in EVERYBODY:
		await ask(id, "Who robbed the salt cart?")
	player.position = BESIDE_BJORN
	await talks_are_held(6, 41, 18.0)
	say("paid", history())
	await wait_for(42, 12.0)
	await meet_far("mira")
	await do_deed("Keep my word")
	say("kept", village.last_answer["response"])
	await press(KEY_ESCAPE)
	await wait_for(43, 10.0)
	await meet_far("mira")
	say("greeted_at_last", village.last_answer["response"])
	await press(KEY_ESCAPE)
	await say_journal("journal_at_last")
	await say_memories("at_last")


# The goal of the game, from beginning to end.
func find_the_pig() -> void:
	say("goal_at_first", goal())
	for id: String in ["aldric", "mira", "gregor"]:
		await ask(id, ABOUT_THE_PIG)
		say("goal_after_" + id, goal())
	await until("Elena hears of the cart", func() -> bool: return "Elena" in goal())
	say("first_news", message())
	await wait_for(36, 12.0)
	await until("Aldric hears of the cart", func() -> bool: return "has heard" in goal())
	say("second_news", message())
	await ask("aldric", ABOUT_THE_PIG)
	say("goal_reached", goal())
	say("closing_line", history())
	await ask("bjorn", ABOUT_THE_PIG)


func begin_something() -> void:
	village._act(&"village_new")


func goal() -> String:
	return village.get_node("%Status/%Goal").text


# Waits with the key for an hour until this hour of this day.
func wait_for(date: int, hour: float) -> void:
	var day: Node = village.get_node("Day")
	while day.now < date * 86400.0 + hour * 3600.0:
		await press(KEY_F3)
	await until("the village is ready", func() -> bool: return village.is_ready())


func talks_are_held(count: int, date: int, hour: float) -> void:
	await wait_for(date, hour)
	var company: Node = village.get_node("Company")
	await until("%d talks" % count, func() -> bool: return company.count == count)
	await get_tree().process_frame


func ask(npc_id: String, question: String) -> void:
	await meet_far(npc_id)
	var greeting: String = village.last_answer["response"]
	await speak(question)
	say("asked", [npc_id, greeting, question, village.last_answer["response"]])
	await press(KEY_ESCAPE)


func say_journal(name: String) -> void:
	await press(KEY_F7)
	var journal: Node = village.get_node("%Journal")
	await until(
		"the journal",
		func() -> bool:
			return journal.visible and journal.get_node("%Entries").get_child_count() > 0
	)
	var labels := journal.get_node("%Entries").find_children("*", "Label", true, false)
	say(name, labels.map(func(label: Label) -> String: return label.text))
	await press(KEY_F7)


# What each of them has experienced since the beginning.
func say_memories(name: String) -> void:
	var known := {}
	for id: String in EVERYBODY:
		var all: Array = await village.villager_of(id).memory.get_recent_async(60, 0, []).completed
		all = all.filter(
			func(of: Dictionary) -> bool: return of["metadata"]["timestamp"] >= BEGINNING
		)
		known[id] = all.map(func(of: Dictionary) -> String: return of["document_full"])
	say(name, known)
