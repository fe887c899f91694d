@tool
# Which folder the editor looks for saves in, for several values of the project setting.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const SavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const SETTING := "rag_memory/saves_folder"
const FOLDERS: Array[String] = [
	"user://village saves/",
	"user://a/b",
	"user://",
	"user:///",
	"user://.",
	"user://./",
	"user://../saves",
	"res://saves",
	"/tmp/saves",
]


func play() -> void:
	for folder in FOLDERS:
		ProjectSettings.set_setting(SETTING, folder)
		say("path", [folder, SavesFolder.path()])
		say("saves", SavesFolder.list_saves())
