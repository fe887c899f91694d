# The village in German and then in Chinese: a short talk in each, and the letters that its texts
# need and its font lacks.
extends Node

const Language := preload("res://demo/village/language.gd")
const MapOfVillage := preload("res://demo/village/map.gd")
const VILLAGE := preload("res://demo/village/village.tscn")

var _village: Node


func _ready() -> void:
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
		print("@", language, " ", JSON.stringify(said))
		_village.free()
	get_tree().quit()


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
