# Uses every name of the game in res://game/, then every script of the addon and its memory.
extends "scenario.gd"


func play() -> void:
	var names: RefCounted = (load("res://game/uses_all.gd") as GDScript).new()
	say("titles", Array(names.call(&"titles") as PackedStringArray))
	var unusable: Array[String] = []
	for folder: String in ["prompt", "language", "debug"]:
		for file in DirAccess.get_files_at("res://addons/rag_memory/" + folder):
			if file.get_extension() != "gd":
				continue
			var script: GDScript = load("res://addons/rag_memory/%s/%s" % [folder, file])
			if script == null or not (script.can_instantiate() or script.is_abstract()):
				unusable.append(file)
	say("unusable", unusable)
	var memory := make_memory("elena")
	memory.store("The player gave me a red rose.", 6)
	var texts: Array = []
	for recalled: Dictionary in memory.retrieve_scored("What did I give you?"):
		if not recalled["protected"]:
			texts.append(recalled["document_full"])
	say("recalled", texts)
