@tool
extends RefCounted
## The facts that a bug report needs about the editor and the memory runtime.


## Returns it as JSON; never starts Python.
static func text() -> String:
	var about := {
		"engine": Engine.get_version_info().string,
		"system": "%s %s" % [OS.get_name(), Engine.get_architecture_name()],
		"editor_scale": EditorInterface.get_editor_scale(),
		"saves_folder": ProjectSettings.get_setting("rag_memory/saves_folder", ""),
		"health": MemoryServer.health(),
	}
	return JSON.stringify(about, "  ")
