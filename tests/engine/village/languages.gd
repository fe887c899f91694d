# The village in German and then in Chinese: a short talk in each, the goal of the game, and the
# letters that its texts need and its font lacks.
extends Node

const Language := preload("res://demo/village/language.gd")
const MapOfVillage := preload("res://demo/village/map.gd")
const VILLAGE := preload("res://demo/village/village.tscn")

const SPEED := 5.0
const MORNING_HOURS := 3.1

var _village: Node
# The most lines that the goal has had.
var _goal_lines := 0


func _ready() -> void:
	Engine.time_scale = SPEED
	for language: String in Language.LOCALES:
		Language.use(language)
		_village = VILLAGE.instantiate()
		add_child(_village)
		while not _village.is_ready():
			await get_tree().process_frame
		_village.talk_to(_village.villager_of("mira"), false)
		var greeting := await _answer()
		await _press("Promise")
		var answer := await _press("What did I promise you?")
		var said := {"greeting": greeting, "answer": answer, "lacks": _lacks(language)}
		said["talk"] = _village.get_node("%Talk/%History").get_parsed_text()
		said["button"] = _shown_on_a_button("Promise")
		said["too_wide"] = _too_wide()
		said["open"] = await _open_matters()
		said["of_the_pig"] = await _find_the_pig()
		said["goal"] = _goal()
		said["goal_lines"] = _goal_lines
		print("@", language, " ", JSON.stringify(said))
		if language != Language.LOCALES.keys().back():
			await _until(func() -> bool: return MemoryServer.get_activity()["queue_length"] == 0)
			_village.free()
	_village.get_node("Day").skip(MORNING_HOURS)
	get_tree().root.propagate_notification(NOTIFICATION_WM_CLOSE_REQUEST)


# What is said of it on the way to the goal.
func _find_the_pig() -> Array[String]:
	var answers: Array[String] = [await _ask("mira"), await _ask("gregor")]
	await _until(func() -> bool: return _village.get_node("Goal").heard.has("elena"))
	_goal()
	_village.get_node("Day").skip(MORNING_HOURS)
	await _until(func() -> bool: return _village.get_node("Goal").heard.has("aldric"))
	_goal()
	answers.append(await _ask("aldric"))
	answers.append(await _ask("bjorn"))
	return answers


func _ask(npc_id: String) -> String:
	_village.last_answer = {}
	_village.talk_to(_village.villager_of(npc_id), false)
	await _answer()
	var answer := await _press("Where is the pig?")
	_goal()
	_village.leave()
	return answer


func _goal() -> String:
	var label: Label = _village.get_node("%Status/%Goal")
	_goal_lines = maxi(_goal_lines, label.get_line_count())
	return label.text


func _until(condition: Callable) -> void:
	while not condition.call():
		await get_tree().process_frame


func _answer() -> String:
	while _village.last_answer.is_empty() or not _village.is_ready():
		await get_tree().process_frame
	return _village.last_answer["response"]


func _press(text: String) -> String:
	_village.last_answer = {}
	_button(text).pressed.emit()
	return await _answer()


func _button(text: String) -> Button:
	for button: Button in _village.get_node("%Talk").find_children("*", "Button", true, false):
		if button.text == text:
			return button
	return null


func _shown_on_a_button(text: String) -> String:
	return _button(text).atr(text)


# The panels whose texts leave the room that the picture of the village has.
func _too_wide() -> Array:
	return ["%Talk", "%Status/Top"].filter(
		func(panel: String) -> bool:
			return _village.get_node(panel).get_combined_minimum_size().x > MapOfVillage.SIZE.x
	)


func _open_matters() -> Array:
	var matters: Array = await MemoryWorld.get_open_matters_async("mira").completed
	return matters.map(func(matter: Dictionary) -> String: return matter["text"])


func _lacks(language: String) -> String:
	var font := ThemeDB.get_default_theme().default_font
	var lacking := {}
	for file: String in Language.FILES:
		var texts := load(file % Language.LOCALES[language]) as Translation
		for message: String in texts.get_translated_message_list():
			for letter: String in message.replace("\n", ""):
				if not font.has_char(letter.unicode_at(0)):
					lacking[letter] = true
	return "".join(lacking.keys())
