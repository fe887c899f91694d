extends Node
## Runs the demo headless and quits: exit code 0 when it went through, 1 when it did not.
##
## Without arguments Mira of Thornhaven hears ten player lines. With the arguments
## [code]--transcript FILE[/code] the questions of a transcript are asked instead.[br]
## No class of the extension is named in this script, so that it still runs, and says what to do,
## when the extension did not load.

const VILLAGE := "res://demo/village_demo.gd"
const TRANSCRIPT := "res://demo/transcript_demo.gd"


func _ready() -> void:
	var problem: String = await _run()
	if not problem.is_empty():
		printerr("\nThe demo stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run() -> String:
	if not ClassDB.class_exists(&"RAGMemory"):
		return (
			"The RAG Memory extension is not loaded: its library is missing, or the project was never"
			+ " imported.\nRun `python3 build.py demo`, which builds and imports what is missing."
		)
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	if arguments.is_empty():
		return await _start(VILLAGE, [$Mira])
	if arguments.size() == 2 and arguments[0] == "--transcript":
		return await _start(TRANSCRIPT, [self, arguments[1]])
	return (
		"It does not know the arguments `%s`.\nUse none, or `--transcript FILE` with a full path."
		% " ".join(arguments)
	)


func _start(script_path: String, arguments: Array) -> String:
	var script: GDScript = load(script_path)
	if script == null or not script.can_instantiate():
		return "%s cannot be loaded; the messages above say why." % script_path
	var demo: RefCounted = script.new()
	return await demo.callv(&"run", arguments)
