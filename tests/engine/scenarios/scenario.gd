# The base of the scripts that tests/engine/*/test_*.py start: says what happened, line by line, and
# quits.
extends SceneTree


# Hears what arrives while the engine quits, when this script has no instance any more.
class Listener:
	func say(value: Variant, name: String) -> void:
		print("@", name, " ", JSON.stringify(value))

	func say_number(_value: Variant, name: String, number: int) -> void:
		say(number, name)


static var listener := Listener.new()

var arguments := OS.get_cmdline_user_args()


func _initialize() -> void:
	_play_to_the_end()


# What the scenario does; it may await.
func play() -> void:
	pass


# Prints a line that the test reads.
func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


func make_memory(npc_id: String) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	root.add_child(memory)
	return memory


func sentences(count: int, winter := 1) -> Array[Dictionary]:
	var memories: Array[Dictionary] = []
	for number in count:
		var text := "Sentence number %d about long winter %d in the mountains." % [number, winter]
		memories.append({"text": text})
	return memories


func frames(count: int) -> void:
	for frame in count:
		await process_frame


# Until the core has come to what the test holds up there under this number (game.py, hold).
func held(number: int) -> void:
	while not FileAccess.file_exists("user://held_%d" % number):
		await process_frame


func release(number: int) -> void:
	FileAccess.open("user://released_%d" % number, FileAccess.WRITE).close()


# Of this process.
func resident_memory_kb() -> int:
	var file: FileAccess = FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line: String = file.get_line()
		if line.begins_with("VmRSS:"):
			return line.trim_prefix("VmRSS:").strip_edges().to_int()
	return 0


func _play_to_the_end() -> void:
	await process_frame
	await play()
	quit(0)
