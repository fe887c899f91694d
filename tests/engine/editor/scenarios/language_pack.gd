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
	button.unpack("res://another.zip")
	say("after_another_zip", [button.visible, DirAccess.dir_exists_absolute(PLACE)])
	button.unpack("res://pack.zip")
	say("with_the_pack", button.visible)
	say("files", DirAccess.get_files_at(PLACE))


func _is_ours(button: Button) -> bool:
	return button.get_script() == RAGLanguagePackButton
