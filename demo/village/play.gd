extends Control
## Opens the village, or says on the screen why there is none.
##
## No class of the extension is named in this script, so that it still runs, and says what to do,
## when the extension did not load.

const Language := preload("language.gd")
const VILLAGE := "res://demo/village/village.tscn"
const PROBLEM := """The village cannot be opened: the RAG Memory extension is not loaded.
Its library is missing, or the project was never imported.
Unpack the addon's zip file in this project and open it in the editor once.
In a clone of the repository, run `python3 build.py play`."""


func _ready() -> void:
	if not ClassDB.class_exists(&"RAGMemory"):
		($Problem as Label).text = PROBLEM
		return
	Language.choose()
	add_child((load(VILLAGE) as PackedScene).instantiate())
