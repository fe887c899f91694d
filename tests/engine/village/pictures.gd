# Takes the pictures of the village for the documents: the first argument is the folder for them. In
# another language than English (--language=zh) it is one.
extends Node

const Language := preload("res://demo/village/language.gd")
const VILLAGE := "res://demo/village/play.tscn"

var _folder := OS.get_cmdline_user_args()[0]
var _village: Node


func _ready() -> void:
	var played: Node = (load(VILLAGE) as PackedScene).instantiate()
	add_child(played)
	_village = played.get_node("Village")
	while not _village.is_ready():
		await get_tree().process_frame
	var player: Node2D = _village.get_node("%Player")
	player.position = Vector2(522, 150)
	await get_tree().create_timer(0.5).timeout
	_village.talk_to(_village.villager_of("mira"), false)
	await _answered()
	await _press("Promise")
	if Language.chosen:
		await _press("What did I promise you?")
		await _press("Give a gift")
		await _press("What do you remember of me?")
		await _shoot("village_" + Language.chosen)
		get_tree().quit()
		return
	await _say("Did I promise you firewood within two days?")
	await _press("Give a gift")
	await _shoot("village_talk")
	await _shoot("village_memories", Rect2i(880, 0, 400, 720))
	_village.get_node("%Status").action_chosen.emit(&"village_prompt")
	await _shoot("village_prompt")
	_village.get_node("%Prompt").hide()
	_village.leave()
	var console: MemoryDebugConsole = _village.get_node("MemoryDebugConsole")
	console.show()
	await console.run_command("feelings mira")
	await console.run_command("npc mira")
	await console.run_command("search firewood for the winter")
	await _shoot("village_console")
	console.hide()
	await _hold_talks(9.2, Vector2(452, 226), 1)
	await _shoot("village_overheard")
	await _hold_talks(0.4, Vector2(400, 240), 2)
	await _hold_talks(1.5, Vector2(400, 240), 3)
	_village.get_node("Day").skip(0.4)
	player.position = Vector2(440, 262)
	await _shoot("village_night")
	await _hold_talks(45.6, Vector2(400, 240), 4)
	_village.get_node("Day").skip(30.0)
	await get_tree().create_timer(0.5).timeout
	_village.get_node("%Status").action_chosen.emit(&"village_journal")
	await _shoot("village_journal")
	_village.get_node("%Journal").close()
	_village.talk_to(_village.villager_of("mira"), false)
	await _answered()
	_village.get_node("%Status").action_chosen.emit(&"village_journal")
	await _shoot("npc_journal", Rect2i(0, 0, 880, 720))
	get_tree().quit()


# Skips some hours, and waits there until so many talks of villagers are over.
func _hold_talks(hours: float, place: Vector2, count: int) -> void:
	_village.get_node("%Player").position = place
	_village.get_node("Day").skip(hours)
	while _village.get_node("Company").count < count:
		await get_tree().process_frame


# Until she has said all.
func _answered() -> void:
	while _village.last_answer.is_empty() or not _village.is_ready():
		await get_tree().process_frame
	_village.get_node("%Talk").skip()


func _say(line: String) -> void:
	_village.last_answer = {}
	_village.get_node("%Talk/%Line").text_submitted.emit(line)
	await _answered()


func _press(text: String) -> void:
	_village.last_answer = {}
	for button: Button in _village.get_node("%Talk").find_children("*", "Button", true, false):
		if button.text == text:
			button.pressed.emit()
	await _answered()


func _shoot(picture: String, part := Rect2i(0, 0, 1280, 720)) -> void:
	await get_tree().create_timer(1.5).timeout
	await RenderingServer.frame_post_draw
	var image := get_viewport().get_texture().get_image().get_region(part)
	image.convert(Image.FORMAT_RGB8)
	var head := PackedInt32Array([image.get_width(), image.get_height()]).to_byte_array()
	FileAccess.open(_folder.path_join(picture), FileAccess.WRITE).store_buffer(
		head + image.get_data()
	)
