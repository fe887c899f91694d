@tool
# Says when the button for the language pack is there, and has it unpack a zip file.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const RAGLanguagePackButton := preload("res://addons/rag_memory/editor/language_pack_button.gd")
const SETTING := "rag_memory/embedding/language"
const PLACE := "res://addons/rag_memory/models/multilingual/"


func play() -> void:
	var base := EditorInterface.get_base_control()
	var buttons := base.find_children("*", "Button", true, false).filter(_is_ours)
	say("buttons", buttons.size())
	var button: RAGLanguagePackButton = buttons[0]
	say("in_english", button.visible)
	ProjectSettings.set_setting(SETTING, "multilingual")
	await frames(3)
	say("without_the_pack", button.visible)
	for name: String in ["another", "incomplete", "without_a_list", "cut_off", "changed"]:
		button.unpack("res://%s.zip" % name)
		say("after_" + name, [button.visible, DirAccess.dir_exists_absolute(PLACE)])
	# A folder takes the place of a file, which cannot be written then.
	var obstacle := PLACE.path_join("model.onnx/inside")
	DirAccess.make_dir_recursive_absolute(obstacle)
	button.unpack("res://pack.zip")
	say("after_no_room", [button.visible, DirAccess.get_files_at(PLACE)])
	DirAccess.remove_absolute(obstacle)
	DirAccess.remove_absolute(obstacle.get_base_dir())
	button.unpack("res://pack.zip")
	say("with_the_pack", button.visible)
	say("files", DirAccess.get_files_at(PLACE))
	FileAccess.open(PLACE.path_join("model.onnx"), FileAccess.WRITE).close()
	button.refresh()
	say("with_a_broken_pack", button.visible)


func _is_ours(button: Button) -> bool:
	return button.get_script() == RAGLanguagePackButton
