@tool
extends RefCounted
## Keeps where a splitter was dragged to, for the next time the project is opened.

const _SECTION := "rag_memory"


## Puts a splitter where it was last, and keeps where it is dragged to under [param key].
static func keep(split: SplitContainer, key: String) -> void:
	var settings := EditorInterface.get_editor_settings()
	split.split_offset = settings.get_project_metadata(_SECTION, key, split.split_offset)
	split.drag_ended.connect(
		func() -> void: settings.set_project_metadata(_SECTION, key, split.split_offset)
	)
