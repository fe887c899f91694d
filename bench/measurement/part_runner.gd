extends Node
## Runs one part of a benchmark inside a game that game.py makes and starts.
##
## Arguments: the name of a script in this folder, the JSON file with its input and
## the JSON file for its samples. Exit code 0 when the samples were written.[br]
## No class of the extension is named here, because one part runs in an engine without it.


func _ready() -> void:
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	var problem: String = (
		"Usage: PART INPUT OUTPUT; `python3 build.py bench NAME` gives them."
		if arguments.size() != 3
		else await _run(arguments[0], arguments[1], arguments[2])
	)
	if not problem.is_empty():
		printerr("The measurement stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run(part_name: String, input_path: String, output_path: String) -> String:
	var script: GDScript = load("res://bench/measurement/%s.gd" % part_name)
	if script == null or not script.can_instantiate():
		return "measurement/%s.gd cannot be loaded; the messages above say why." % part_name
	var input: Variant = JSON.parse_string(FileAccess.get_file_as_string(input_path))
	if not input is Dictionary:
		return "%s holds no JSON object." % input_path
	var part: Node = script.new()
	add_child(part)
	var samples: Dictionary = await part.call(&"measure", input)
	if samples.has("problem"):
		return samples["problem"]
	var file: FileAccess = FileAccess.open(output_path, FileAccess.WRITE)
	if file == null:
		return "%s: %s" % [output_path, error_string(FileAccess.get_open_error())]
	file.store_string(JSON.stringify(samples))
	return ""
