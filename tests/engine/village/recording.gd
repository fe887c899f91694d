# Plays a story in the village for the documents. Its first frames, as many as the second argument
# says, become pictures in the folder of the first. The engine is started with --fixed-fps: each
# frame is as long as that says, however long it took to draw.
extends Node

const VILLAGE := "res://demo/village/play.tscn"

var _folder := OS.get_cmdline_user_args()[0]
var _frames := int(OS.get_cmdline_user_args()[1])
var _frame := 0
var _village: Node
var _player: Node2D


func _ready() -> void:
	var played: Node = (load(VILLAGE) as PackedScene).instantiate()
	add_child(played)
	_village = played.get_node("Village")
	_player = _village.get_node("%Player")
	while not _village.is_ready():
		await get_tree().process_frame
	RenderingServer.frame_post_draw.connect(_record)
	await _wait(1.0)
	await _walk_to("mira")
	await _press("Promise")
	await _wait(3.5)
	_village.leave()
	await _walk_to("gregor")
	await _press("Steal")
	await _wait(3.0)
	_village.leave()
	await _walk_to("elena")
	await _press("Was anything stolen?")
	await _wait(3.5)
	_village.leave()
	# At the Copper Kettle, where one hears what villagers say to each other.
	_player.position = Vector2(452, 226)
	_village.get_node("Day").skip(9.2)
	while _village.get_node("Company").count == 0:
		await get_tree().process_frame
	await _wait(4.5)
	_village.get_node("Day").skip(72.0)
	await _wait(3.0)
	await _walk_to("mira")
	await _press("What did I promise you?")
	await _wait(3.5)
	await _press("Keep my word")
	# Her answer stays until the recording ends.


# To a villager, who greets.
func _walk_to(npc_id: String) -> void:
	var villager: Node2D = _village.villager_of(npc_id)
	_village.last_answer = {}
	var side := 42.0 if villager.position.x < _player.position.x else -42.0
	_player.walk_to(villager.position + Vector2(side, 8.0))
	_village._wanted = villager
	await _answered()


# Until the answer is shown, letter by letter.
func _answered() -> void:
	while _village.last_answer.is_empty() or not _village.is_ready():
		await get_tree().process_frame
	while not _village.get_node("%Talk").is_shown_whole():
		await get_tree().process_frame


func _press(text: String) -> void:
	_village.last_answer = {}
	for button: Button in _village.get_node("%Talk").find_children("*", "Button", true, false):
		if button.text == text:
			button.grab_focus()
			await _wait(0.5)
			button.pressed.emit()
	if text == "Steal":
		while not _village.is_ready():
			await get_tree().process_frame
		return
	await _answered()


func _wait(seconds: float) -> void:
	await get_tree().create_timer(seconds).timeout


func _record() -> void:
	if _frame == _frames:
		get_tree().quit()
		return
	var picture := get_viewport().get_texture().get_image()
	picture.save_png(_folder.path_join("%04d.png" % _frame))
	_frame += 1
