# What is open between NPCs and the player, until which day, and what the game is told of it.
extends "res://tests/engine/case.gd"

const _DAY := 86400.0

var _now := 10.3 * _DAY


func after_each() -> void:
	MemoryServer.set_clock(Callable())


func make_npc() -> RAGMemory:
	_now = 10.3 * _DAY
	MemoryServer.set_clock(func() -> float: return _now)
	check_equal(MemoryServer.open_save("matters_%d" % Time.get_ticks_usec()), OK)
	var memory := make_memory()
	memory.npc_id = "mira"
	return memory


func test_a_promise_becomes_overdue_once() -> void:
	var mira := make_npc()
	var overdue: Array[Array] = watch(MemoryWorld.matter_overdue)
	MemoryWorld.register_character("mira", {"name": "Mira"})
	mira.store_turn("I'll bring you the medicine by tomorrow.", "Thank you.")
	var open: Dictionary = mira.get_open_matters("player")[0]
	check_equal([open["kind"], open["by"], open["to"]], ["promise", "player", "mira"])
	check_equal([open["state"], open["due_day"], open["amount"]], ["open", 11.0, null])
	check_equal(
		open["text"],
		(
			'The player promised Mira: "I\'ll bring you the medicine by tomorrow."'
			+ " It is due tomorrow."
		)
	)
	_now = 12.5 * _DAY
	await until(func() -> bool: return mira.get_memory_count() > 0 and not overdue.is_empty())
	check_equal(overdue[0][0], "mira")
	check_equal((overdue[0][1] as Dictionary)["state"], "overdue")
	var greeting: String = mira.answer_from_memory("greeting")["response"]
	check_contains(greeting, "It was due yesterday and has not been done.")
	mira.store_turn("Here's the medicine.", "Late, but thank you.")
	check_equal(mira.get_open_matters().size(), 0)
	var closed: Array = await MemoryWorld.get_open_matters_async("", "player", true).completed
	check_equal((closed[0] as Dictionary)["state"], "kept")
	await frames(10)
	check_equal(overdue.size(), 1, "once")


func test_a_debt_is_paid_in_parts_and_the_journal_shows_the_rest() -> void:
	var mira := make_npc()
	mira.store_turn("I owe you 50 gold for the horse.", "Yes.")
	mira.store_turn("Here's 20 gold of it.", "Thirty left.")
	var debt: Dictionary = MemoryWorld.get_open_matters("mira")[0]
	check_equal([debt["amount"], debt["rest"], debt["unit"]], [50.0, 30.0, "gold"])
	var answer := {"response": "Twenty left."}
	var exchange: Dictionary = mira.record_exchange("Here's another 10 gold.", answer)
	check_equal(mira.get_open_matters()[0]["rest"], 20.0)
	mira.undo_exchange(exchange["exchange"])
	check_equal(mira.get_open_matters()[0]["rest"], 30.0)
	check_equal(mira.get_open_matters("bjorn").size(), 0)


func test_a_player_reads_corrects_and_forgets_in_the_journal() -> void:
	var mira := make_npc()
	var journal: NPCJournal = (
		load("res://addons/rag_memory/journal/npc_journal.tscn").instantiate() as NPCJournal
	)
	add_child(journal)
	var changed: Array[Array] = watch(journal.memory_changed)
	journal.show_npc(mira, "What Mira remembers")
	await until(func() -> bool: return "Talk to someone" in _text_of(journal))
	mira.store_turn("I'll bring you the medicine by tomorrow.", "Thank you.")
	var cape := mira.store("The player wears a red cape.", 5)
	var hidden := {"secret": true, "participants": ["gregor"]}
	mira.store("Gregor told me that the map lies under the floor.", 8, hidden)
	mira.store_relationship("player", {"trust": 45, "affection": 20})
	journal.refresh()
	await until(func() -> bool: return "a red cape" in _text_of(journal))
	var promise := '[open] The player promised Mira: "I\'ll bring you the medicine by tomorrow."'
	check_contains(_text_of(journal), promise)
	check(not "the map lies" in _text_of(journal), "a secret")
	check(not "trust" in _text_of(journal), "the numbers of the game")

	_press_button(journal, "Correct")
	var field: LineEdit = journal.find_children("*", "LineEdit", true, false)[0]
	check_equal(field.text, "The player wears a red cape.")
	field.text = "The player wears a blue cape."
	_press(KEY_ENTER)
	await until(func() -> bool: return "a blue cape" in _text_of(journal))
	check_equal(mira.get_memory(cape)["document_full"], "The player wears a blue cape.")
	_press_button(journal, "Forget")
	check_equal(mira.get_memory(cape).is_empty(), false, "it asks first")
	_press(KEY_ENTER)
	await until(func() -> bool: return not "a blue cape" in _text_of(journal))
	check_equal(mira.get_memory(cape), {})
	check_equal(changed.map(func(sent: Array) -> String: return sent[0]), [cape, cape])
	_press(KEY_ESCAPE)
	check_equal(journal.visible, false)
	journal.free()


func _text_of(journal: NPCJournal) -> String:
	var labels := journal.find_children("*", "Label", true, false)
	return "\n".join(labels.map(func(label: Label) -> String: return label.text))


# Presses the button of this text in the row about the cape, with the keyboard.
func _press_button(journal: NPCJournal, text: String) -> void:
	for button: Button in journal.find_children("*", "Button", true, false):
		var beside := button.get_parent().get_child(0) as Label
		if button.text == text and beside != null and "cape" in beside.text:
			button.grab_focus()
	_press(KEY_ENTER)


func _press(key: Key) -> void:
	for is_pressed: bool in [true, false]:
		var event := InputEventKey.new()
		event.keycode = key
		event.physical_keycode = key
		event.pressed = is_pressed
		get_viewport().push_input(event)
