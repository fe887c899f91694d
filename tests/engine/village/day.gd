# A day in the village, played with keys: talks, a gift, a promise, a theft before a witness, a week
# later the broken promise, then saving, more talk, and loading. Says what the test wants to know.
# It stands alone, because it is also put into an exported game.
extends Node

const SPEED := 3.0
const LIMIT_MSEC := 600_000
const VILLAGE := "res://demo/village/play.tscn"
const ASKED := "Did I promise you firewood within two days?"
const SECRET := "My real name is Zanzibar, and I hate you and your stupid tavern."

var village: Node
var player: Node2D
var talk: Control


func _ready() -> void:
	Engine.time_scale = SPEED
	# On a busy machine a frame would have eight steps, and the player be past what is waited for.
	Engine.max_physics_steps_per_frame = 1
	get_tree().root.size = Vector2i(1280, 720)
	var played: Node = (load(VILLAGE) as PackedScene).instantiate()
	add_child(played)
	village = played.get_node("Village")
	player = village.get_node("%Player")
	talk = village.get_node("%Talk")
	await until("the village is ready", func() -> bool: return village.is_ready())
	say("message", message())
	await press(KEY_F9)
	say("no_save", message())
	await play()
	begin_something()
	get_tree().root.propagate_notification(NOTIFICATION_WM_CLOSE_REQUEST)


# The window is closed in the middle of this.
func begin_something() -> void:
	village.talk_to(village.villager_of("mira"), false)
	village._do(&"steal")


func play() -> void:
	# Once around the well to the kitchen of the tavern.
	await walk(KEY_D, func() -> bool: return player.position.x > 582.0)
	await walk(KEY_W, func() -> bool: return player.position.y < 178.0)
	say("hint", village.get_node("%Talk/%Hint").text)
	await meet("mira")
	say("greeted", village.last_answer["response"])
	await tell_feelings("at_first", "mira")
	await speak("Good day, Mira. It is good to see you.")
	await leave_while_promising("mira")
	await do_deed("Promise")
	await tell_feelings("promised", "mira")
	await speak(ASKED)
	say("recalled", texts(village.last_answer["memories"]))
	say("answer", village.last_answer["response"])
	await until("the panel shows the promise", func() -> bool: return "firewood" in panel())
	say("panel", panel())
	say("history", history())
	await do_deed("Give a gift")
	await tell_feelings("given", "mira")
	await press(KEY_F2)
	say("prompt", village.get_node("%Prompt/%Text").get_parsed_text())
	await press(KEY_ESCAPE)
	await press(KEY_ESCAPE)

	await walk(KEY_S, func() -> bool: return player.position.y > 210.0)
	await walk(KEY_A, func() -> bool: return player.position.x < 262.0)
	await walk(KEY_W, func() -> bool: return player.position.y < 186.0)
	await walk(KEY_A, func() -> bool: return player.position.x < 190.0)
	await meet("gregor")
	await do_deed("Steal")
	say("theft", message())
	await tell_feelings("robbed", "gregor")
	await press(KEY_ESCAPE)
	await walk(KEY_A, func() -> bool: return player.position.x < 100.0)
	await meet("elena")
	await do_deed("Was anything stolen?")
	say("witnessed", texts(village.last_answer["memories"]))
	say("told", village.last_answer["response"])
	await tell_feelings("witness", "elena")
	await press(KEY_ESCAPE)

	var before: float = village.get_node("Day").now
	await press(KEY_F6)
	say("hours_waited", roundi((village.get_node("Day").now - before) / 3600.0))
	await tell_feelings("a_week_later", "mira")
	await meet_far("mira")
	await do_deed("Break my word")
	await tell_feelings("broken", "mira")
	say("promise_now", await superseded("mira", "promise_made"))

	await press(KEY_F5)
	await until("it is saved", func() -> bool: return message().begins_with("Saved"))
	await tell_feelings("saved", "mira")
	await speak(SECRET)
	await tell_feelings("insulted", "mira")
	say("heard", await remembers("mira", "Zanzibar"))
	await press(KEY_F9)
	await until("it is loaded", func() -> bool: return message().begins_with("Loaded"))
	await tell_feelings("loaded", "mira")
	say("forgotten", not await remembers("mira", "Zanzibar"))
	say("kept", await remembers("mira", "broke the promise"))
	await save_while_they_talk()
	await play_with_pad()


# Where the saved game has left the player: beside Mira.
func play_with_pad() -> void:
	var before := player.position.y
	await push_stick(1.0)
	await until(
		"the stick moves the player", func() -> bool: return player.position.y > before + 5.0
	)
	await push_stick(0.0)
	village.last_answer = {}
	await press_pad(JOY_BUTTON_A)
	await until("an answer", func() -> bool: return not village.last_answer.is_empty())
	await press_pad(JOY_BUTTON_Y)
	say("pad_greeted", village.partner.memory.npc_id)
	await press_pad(JOY_BUTTON_A)
	var line := "You: What do you remember of me?"
	await until("the pad says a line", func() -> bool: return line in history())
	await press_pad(JOY_BUTTON_X)
	say("pad_prompt", village.get_node("%Prompt").visible)
	await press_pad(JOY_BUTTON_B)
	await press_pad(JOY_BUTTON_B)
	say("pad_left", village.partner == null)
	await press_pad(JOY_BUTTON_START)
	say("pad_menu", (get_viewport().gui_get_focus_owner() as Button).text)


# What is not said, or not heard, is no promise.
func leave_while_promising(npc_id: String) -> void:
	village._do(&"promise")
	village.leave()
	await until("the village is ready", func() -> bool: return village.is_ready())
	say("unsaid", [message(), village.deeds.promises])
	await meet(npc_id)


# The talk of two villagers is saved as a whole, or not at all.
func save_while_they_talk() -> void:
	var dialogue: NPCDialogue = village.villager_of("elena").dialogue
	dialogue.say("Good day.", {"speaker": "gregor", "response": "Good day to you."})
	village._act(&"village_save")
	say("saved_in_talk", message())
	dialogue.cancel()


func push_stick(down: float) -> void:
	var event := InputEventJoypadMotion.new()
	event.axis = JOY_AXIS_LEFT_Y
	event.axis_value = down
	Input.parse_input_event(event)
	await get_tree().physics_frame


func press_pad(button: JoyButton) -> void:
	for is_pressed: bool in [true, false]:
		var event := InputEventJoypadButton.new()
		event.button_index = button
		event.pressed = is_pressed
		Input.parse_input_event(event)
	for frame: int in 3:
		await get_tree().process_frame


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


# Waits for what the condition says. What does not come in a long time is named, and ends the day.
func until(what: String, condition: Callable) -> void:
	var end := Time.get_ticks_msec() + LIMIT_MSEC
	while not condition.call():
		if Time.get_ticks_msec() > end:
			var seen := [what, player.position, message(), history()]
			push_error("Waited in vain: %s. Player at %s, message %s, talk %s" % seen)
			get_tree().quit(1)
			end += LIMIT_MSEC
		await get_tree().process_frame


func press(code: Key) -> void:
	send(code, true)
	send(code, false)
	for frame: int in 3:
		await get_tree().process_frame


func send(code: Key, is_pressed: bool, letter := 0) -> void:
	var event := InputEventKey.new()
	event.keycode = code
	event.physical_keycode = code
	event.unicode = letter
	event.pressed = is_pressed
	Input.parse_input_event(event)


# Holds a key until the player is there.
func walk(code: Key, is_there: Callable) -> void:
	send(code, true)
	await until("the player has walked", is_there)
	send(code, false)
	await get_tree().physics_frame


func meet(npc_id: String) -> void:
	village.last_answer = {}
	await press(KEY_E)
	await until("%s listens" % npc_id, func() -> bool: return village.partner != null)
	say("met", village.partner.memory.npc_id == npc_id)
	await answered()


# With the mouse, from wherever the player is.
func meet_far(npc_id: String) -> void:
	var villager: Node2D = village.villager_of(npc_id)
	village.last_answer = {}
	for is_pressed: bool in [true, false]:
		var click := InputEventMouseButton.new()
		click.button_index = MOUSE_BUTTON_LEFT
		click.position = villager.get_global_transform_with_canvas().origin - Vector2(0, 16)
		click.pressed = is_pressed
		Input.parse_input_event(click)
	await until("%s listens" % npc_id, func() -> bool: return village.partner == villager)
	await answered()


# Types a line into the field that has the focus.
func speak(line: String) -> void:
	for letter: String in line:
		send(KEY_UNKNOWN, true, letter.unicode_at(0))
		send(KEY_UNKNOWN, false, letter.unicode_at(0))
	await get_tree().process_frame
	village.last_answer = {}
	await press(KEY_ENTER)
	await answered()


# A button of the talk panel, by its text.
func do_deed(text: String) -> void:
	for button: Button in talk.find_children("*", "Button", true, false):
		if button.text == text:
			village.last_answer = {}
			button.grab_focus()
			await press(KEY_ENTER)
			await until("the village is ready", func() -> bool: return village.is_ready())
			if text != "Steal":
				await answered()


# Until she has answered, and all of it is shown.
func answered() -> void:
	await until("an answer", func() -> bool: return not village.last_answer.is_empty())
	await press(KEY_ENTER)
	await until("the whole answer", func() -> bool: return talk.is_shown_whole())


func tell_feelings(name: String, npc_id: String) -> void:
	var mind: NPCMind = village.villager_of(npc_id).mind
	var felt: Dictionary = await mind.get_disposition_async("player").completed
	var emotion: Dictionary = await mind.get_emotion_async().completed
	var memory: RAGMemory = village.villager_of(npc_id).memory
	var stands: Dictionary = await memory.get_relationship_async("player").completed
	var told := {"strength": felt["strength"], "mood": emotion["mood"]}
	told["trust"] = stands.get("trust", 0)
	say(name, told)


func remembers(npc_id: String, words: String) -> bool:
	var memory: RAGMemory = village.villager_of(npc_id).memory
	var count: int = await memory.get_memory_count_async().completed
	var all: Array = await memory.get_recent_async(count).completed
	return all.any(func(each: Dictionary) -> bool: return words in each["document"])


# Whether the newest memory of this type was replaced.
func superseded(npc_id: String, event_type: String) -> bool:
	var memory: RAGMemory = village.villager_of(npc_id).memory
	var found: Array = await (
		memory
		. retrieve_relevant_raw_async("firewood", {"filter": {"event_type": event_type}})
		. completed
	)
	return not found.is_empty() and found[0]["metadata"].get("superseded_by", "") != ""


func message() -> String:
	return village.get_node("%Status/%Message").text


# What stands beside the talk.
func panel() -> String:
	var lines := PackedStringArray()
	for label: Label in village.get_node("%Memories").find_children("*", "Label", true, false):
		if label.is_visible_in_tree():
			lines.append(label.text)
	return "\n".join(lines)


func history() -> String:
	return talk.get_node("%History").get_parsed_text()


func texts(memories: Array) -> Array:
	return memories.map(func(each: Dictionary) -> String: return each["document_full"])
