@tool
extends RefCounted
## The item of Project > Tools that makes an NPC who remembers: a copy of the template's scene,
## script and personality, in a folder of its own.

const ITEM := "New NPC Who Remembers"

const _TEMPLATE := "res://addons/rag_memory/editor/template/"
const _FOLDER := "res://npc_who_remembers"
const _SCENE := "npc_who_remembers.tscn"
const _COPIED: Array[String] = ["gd", "tscn", "tres"]
const _FAILED := (
	"RAG Memory could not write %s (%s): the project's folder may be read-only. Make it writable, "
	+ "and choose the item again."
)


## Makes the folder and opens its scene. What exists is not overwritten.
static func make() -> void:
	var folder := _FOLDER
	var number := 1
	while DirAccess.dir_exists_absolute(folder):
		number += 1
		folder = "%s_%d" % [_FOLDER, number]
	DirAccess.make_dir_absolute(folder)
	for name in DirAccess.get_files_at(_TEMPLATE):
		if name.get_extension() in _COPIED:
			var text := FileAccess.get_file_as_string(_TEMPLATE + name)
			var file := FileAccess.open(folder.path_join(name), FileAccess.WRITE)
			if file == null:
				push_error(_FAILED % [folder, error_string(FileAccess.get_open_error())])
				return
			file.store_string(text.replace(_TEMPLATE, folder + "/"))
			file.close()
			EditorInterface.get_resource_filesystem().update_file(folder.path_join(name))
	EditorInterface.open_scene_from_path(folder.path_join(_SCENE))
