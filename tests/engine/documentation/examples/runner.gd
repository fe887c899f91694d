# Runs the examples of the documentation one after the other; see test_examples.py.
# Arguments: the folder of the examples' scripts 0.gd, 1.gd, ..., and how many there are.
extends SceneTree

const Judge = preload("res://tests/engine/documentation/examples/judge.gd")
const NobodyWhoStandIn = preload("res://tests/engine/documentation/examples/nobodywho_stand_in.gd")
const TIME_LIMIT_MSEC := 180_000
const FRAMES_AFTER_EXAMPLE := 3

const CALLED_BY_ENGINE: Array[String] = [
	"_init", "_enter_tree", "_ready", "_process", "_exit_tree", "_unhandled_input"
]

# What an argument of an example's function is, by its type.
const SAMPLES: Dictionary[int, Variant] = {
	TYPE_STRING: "Did I keep my promise about the roof?",
	TYPE_INT: 1,
	TYPE_FLOAT: 1.0,
	TYPE_BOOL: true,
	TYPE_DICTIONARY: {},
	TYPE_ARRAY: [],
	TYPE_PACKED_STRING_ARRAY: [],
}

# The same for arguments of these names.
const NAMED_SAMPLES: Dictionary[String, Variant] = {
	"slot": "slot_1",
	"save_id": "slot_1",
	"method": &"get_class",
	"answer": "I will mend your roof.",
	"profile": "anna",
	"path": "user://rag_memory/from_elsewhere.sqlite3",
	"info": {"memories": 1, "npcs": 1, "generation": 1, "last_played": 0.0},
}

var _judge: Judge
var _is_done := false


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	_run_all(arguments[0], arguments[1].to_int())


func _run_all(folder: String, count: int) -> void:
	await process_frame
	MemoryServer.open_save("village_lore")
	MemoryServer.close_save()
	DirAccess.make_dir_absolute("res://prepared_saves")
	DirAccess.copy_absolute(
		"user://rag_memory/village_lore.sqlite3", "res://prepared_saves/village_lore.sqlite3"
	)
	for number: int in count:
		await _run_one("%s/%d.gd" % [folder, number], number)
	quit(0)


func _run_one(path: String, number: int) -> void:
	print("@begin %d" % number)
	_judge = Judge.new()
	_judge.name = "Examples"
	root.add_child(_judge)
	var script: GDScript = load(path)
	if script == null or not script.can_instantiate():
		_judge.faults.append("it is not valid GDScript")
	else:
		if (
			script.source_code.contains("slot: String")
			or script.source_code.contains("save_id: String")
		):
			MemoryServer.open_save("slot_1")
			MemoryServer.open_save("game")
			MemoryServer.snapshot("slot_1")
		MemoryServer.open_save("example_%d" % number)
		_is_done = false
		_play(script)
		var started := Time.get_ticks_msec()
		while not _is_done and Time.get_ticks_msec() - started < TIME_LIMIT_MSEC:
			await process_frame
		if not _is_done:
			_judge.faults.append("it awaits something that does not come")
		MemoryServer.set_clock(Callable())
		MemoryServer.calendar = null
		MemoryServer.summarizer = Callable()
		MemoryServer.reflector = Callable()
		MemoryServer.sentiment_analyzer = Callable()
	for frame: int in FRAMES_AFTER_EXAMPLE:
		await process_frame
	print("@end ", JSON.stringify({"faults": _judge.faults, "checks": _judge.checks}))
	_judge.free()


func _play(script: GDScript) -> void:
	var npc: Node = ClassDB.instantiate(script.get_instance_base_type())
	npc.name = "Mira"
	var memory := RAGMemory.new()
	memory.name = "RAGMemory"
	memory.npc_id = "mira"
	npc.add_child(memory)
	var mind := NPCMind.new()
	mind.name = "NPCMind"
	memory.add_child(mind)
	var dialogue := NPCDialogue.new()
	dialogue.name = "NPCDialogue"
	memory.add_child(dialogue)
	var label := Label.new()
	label.name = "Label"
	npc.add_child(label)
	var chat: Node = NobodyWhoStandIn.new()
	chat.name = "NobodyWhoChat"
	npc.add_child(chat)
	npc.set_script(script)
	npc.set("npc_id", "mira")
	root.add_child(npc)
	if script.source_code.contains("\nfunc run_example("):
		await npc.call(&"run_example")
	else:
		await _call_functions(npc, script)
	await process_frame
	npc.free()
	_is_done = true


# Everything the example defines itself, in its order; the engine calls _ready() and its like.
func _call_functions(npc: Node, script: GDScript) -> void:
	for method: Dictionary in script.get_script_method_list():
		var name: String = method["name"]
		if name.contains("_example") or name.begins_with("@") or name in CALLED_BY_ENGINE:
			continue
		var arguments := []
		for argument: Dictionary in method["args"]:
			var sample: Variant = NAMED_SAMPLES.get(argument["name"], SAMPLES.get(argument["type"]))
			arguments.append(sample.duplicate() if sample is Dictionary else sample)
		await npc.callv(name, arguments)
