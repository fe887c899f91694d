# Calls every public method of every class of the addon, sets every property and emits every signal,
# with arguments that no game should pass, from the main thread and from others, while saves open
# and close. Arguments: seconds, seed, a folder outside the game, a file with names of options, the
# number of the only batch to run (optional).
#
# After each batch every request has to be complete, and a save has to open and take a memory. The
# calls of the batch that runs lie in user://calls_N.txt, one file a thread: what a crash leaves.
extends "scenario.gd"

const Values := preload("attack_values.gd")
const JOURNAL := "res://addons/rag_memory/journal/npc_journal.tscn"
const CONSOLE := "res://addons/rag_memory/debug/memory_debug_console.tscn"
const CALLS := 60
const CALLS_OF_A_THREAD := 25
const THREADS := 3
const BATCHES_UNTIL_THREADS := 3
const ANSWER_SECONDS := 60.0
const SLOW_MSEC := 1000
## What is not called, and why.
const LEFT_OUT := {
	"MemoryRequest.completed": "the game emits no signal of the addon's requests for it",
}

var values := Values.new()
## Every method, property and signal: {owner, name, arguments, kind}.
var members: Array[Dictionary] = []
## Typed callers of native methods, by class: GDScript that calls by ptrcall.
var typed := {}
var scripts := {}
var pending: Array = []
var called := {}
var calls := 0
var slow: Array = []
var _logs: Array[FileAccess] = []
var _keys_of := {}
var _key_names := RegEx.create_from_string('(?:options|keys) are ([a-z_, ]+)|[Kk]ey "(\\w+)"')


func play() -> void:
	values.outside = arguments[2]
	values.words = JSON.parse_string(FileAccess.get_file_as_string(arguments[3]))
	MemoryServer.call_finished.connect(_learn)
	_list_members()
	say("members", members.size())
	var only := arguments[4].to_int() if arguments.size() > 4 else -1
	var end: int = Time.get_ticks_msec() + int(arguments[0].to_float() * 1000.0)
	var batch := 0
	var most: int = ceili(members.size() * 2.0 / CALLS)
	while (batch < most or Time.get_ticks_msec() < end) and only < 0 or batch == 0:
		await _one_batch(arguments[1].to_int(), batch if only < 0 else only)
		batch += 1
	say("batches", batch)
	say("calls", calls)
	say("called", called.size())
	say("slow", slow.slice(0, 10))
	say("pending", pending.size())


func _list_members() -> void:
	for name: String in ClassDB.get_class_list():
		if ClassDB.class_get_api_type(name) == ClassDB.API_EXTENSION and _is_ours(name):
			var methods := ClassDB.class_get_method_list(name, true)
			typed[name] = _typed_callers(name, methods)
			_add_members(name, methods, ClassDB.class_get_property_list(name, true))
			for info: Dictionary in ClassDB.class_get_signal_list(name, true):
				_add(name, info["name"] as String, info["args"] as Array, "signal")
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if (entry["path"] as String).begins_with("res://addons/rag_memory/"):
			var script: Script = load(entry["path"] as String)
			scripts[entry["class"]] = script
			_add_members(
				entry["class"] as String,
				script.get_script_method_list(),
				script.get_script_property_list()
			)
			for info: Dictionary in script.get_script_signal_list():
				_add(
					entry["class"] as String,
					info["name"] as String,
					info["args"] as Array,
					"signal"
				)


# The engine registers some classes of its own as if an extension did.
func _is_ours(name: String) -> bool:
	return name.begins_with("Memory") or name.begins_with("NPC") or name.begins_with("RAG")


func _add_members(owner: String, methods: Array[Dictionary], properties: Array[Dictionary]) -> void:
	var names := {}
	for method: Dictionary in methods:
		var name: String = method["name"]
		var is_inside := name.begins_with("_") or name.begins_with("@") or name in names
		if not is_inside and not method["flags"] & METHOD_FLAG_VIRTUAL:
			names[name] = true
			_add(owner, name, method["args"] as Array, "method", method["flags"] as int)
	for property: Dictionary in properties:
		var is_group: int = property["usage"] & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_CATEGORY)
		var name: String = property["name"]
		if not is_group and not name.begins_with("_") and not name.ends_with(".gd"):
			_add(owner, name, [property], "property")


func _add(owner: String, name: String, infos: Array, kind: String, flags := 0) -> void:
	if "%s.%s" % [owner, name] not in LEFT_OUT:
		members.append(
			{"owner": owner, "name": name, "arguments": infos, "kind": kind, "flags": flags}
		)


# One static function for each method, with the declared types.
func _typed_callers(owner: String, methods: Array[Dictionary]) -> GDScript:
	var lines := PackedStringArray(["extends RefCounted"])
	for method: Dictionary in methods:
		if method["flags"] & METHOD_FLAG_VIRTUAL:
			continue
		var parameters := PackedStringArray()
		var names := PackedStringArray()
		for info: Dictionary in method["args"]:
			names.append("a%d" % names.size())
			parameters.append("%s: %s" % [names[-1], _type_of(info)])
		var receiver: String = owner if Engine.has_singleton(owner) else "o"
		var declared: String = "Object" if Engine.has_singleton(owner) else owner
		var returned: Dictionary = method["return"]
		var is_void: bool = (
			returned["type"] == TYPE_NIL and not returned["usage"] & PROPERTY_USAGE_NIL_IS_VARIANT
		)
		parameters.insert(0, "%s: %s" % ["o" if receiver == "o" else "_o", declared])
		var call := "%s.%s(%s)" % [receiver, method["name"], ", ".join(names)]
		lines.append("static func %s_(%s):" % [method["name"], ", ".join(parameters)])
		lines.append(("\t%s" if is_void else "\treturn %s") % call)
	var script := GDScript.new()
	script.source_code = "\n".join(lines)
	if script.reload() != OK:
		say("broken", "no typed callers for " + owner)
	return script


func _type_of(info: Dictionary) -> String:
	if info["type"] == TYPE_NIL:
		return "Variant"
	if info["type"] == TYPE_OBJECT:
		return info["class_name"] if info["class_name"] else "Object"
	if info["type"] == TYPE_ARRAY and info["hint"] == PROPERTY_HINT_ARRAY_TYPE:
		return "Array[%s]" % info["hint_string"]
	return type_string(info["type"] as Variant.Type)


func _one_batch(seed_of_all: int, batch: int) -> void:
	seed(hash([seed_of_all, batch]))
	values.random.seed = hash([seed_of_all, batch])
	say("batch", batch)
	_logs = [FileAccess.open("user://calls_0.txt", FileAccess.WRITE)]
	_logs[0].store_line("seed %d, batch %d" % [seed_of_all, batch])
	_make_objects()
	var save := "attack_a" if batch % 2 else "attack_b"
	pending.append([save, MemoryServer.open_save_async(save)])
	var threads := _start_threads() if batch % BATCHES_UNTIL_THREADS == 2 else []
	for number: int in CALLS:
		if number % 2:
			_perform(_made_call(values.pick(members) as Dictionary), 0)
		else:
			_perform_in_order(batch * CALLS / 2 + number / 2)
		if values.random.randi() % 6 == 0:
			await process_frame
		if values.random.randi() % 25 == 0 and threads.is_empty():
			_free_one()
	while threads.any(func(thread: Thread) -> bool: return thread.is_alive()):
		_perform(_made_call(_member("MemoryServer", "open_save_async")), 0)
		for frame: int in 20:
			await process_frame
	for thread: Thread in threads:
		pending.append_array(thread.wait_to_finish() as Array)
	await _complete_all(batch)
	_free_all()
	await _still_works(batch)


# In the order of all, so that none is left out.
func _perform_in_order(place: int) -> void:
	var member: Dictionary = members[place % members.size()]
	var owner: String = member["owner"]
	if not is_instance_valid(values.objects[owner]):
		values.objects[owner] = _new_object(owner)
		if values.objects[owner] is Node:
			root.add_child(values.objects[owner] as Node)
	_perform(_made_call(member), 0)


func _member(owner: String, name: String) -> Dictionary:
	for member: Dictionary in members:
		if member["owner"] == owner and member["name"] == name:
			return member
	return {}


func _make_objects() -> void:
	for name: String in typed.keys() + scripts.keys():
		values.objects[name] = _new_object(name)
	var memory: RAGMemory = values.objects["RAGMemory"]
	memory.npc_id = values.pick(["mira", "gregor", "elena"])
	var dialogue: NPCDialogue = values.objects["NPCDialogue"]
	for node: Variant in values.objects.values():
		if node is Node and node != memory and node != dialogue:
			root.add_child(node as Node)
	memory.add_child(dialogue)
	root.add_child(memory)
	(values.objects["NPCMind"] as NPCMind).memory = memory
	if values.random.randi() % 2:
		dialogue.model = values.objects["NPCCallableLanguageModel"]


func _new_object(name: String) -> Object:
	if Engine.has_singleton(name):
		return Engine.get_singleton(name)
	if name in typed:
		return ClassDB.instantiate(name)
	if name == "MemoryDebugConsole":
		return (load(CONSOLE) as PackedScene).instantiate()
	if name == "NPCJournal" and values.random.randi() % 2:
		return (load(JOURNAL) as PackedScene).instantiate()
	var made: Object = (scripts[name] as Script).call("new")
	if "base_url" in made:
		made.set("base_url", "http://127.0.0.1:9")
	if "timeout_seconds" in made:
		made.set("timeout_seconds", 2.0)
	if "callable" in made:
		made.set("callable", values.callable())
	return made


func _made_call(member: Dictionary) -> Dictionary:
	var owner: String = member["owner"]
	var is_static: bool = member["flags"] & METHOD_FLAG_STATIC
	var is_typed: bool = (
		owner in typed and member["kind"] == "method" and values.random.randi() % 3 == 0
	)
	var infos: Array = member["arguments"]
	var title := "%s.%s" % [owner, (member["name"] as String).trim_suffix("_async")]
	values.keys = _keys_of.get(title, [])
	var passed: Array = []
	# Mostly one argument at most is wrong, so that calls get somewhere.
	var wrong := values.random.randi() % (2 * infos.size() + 1)
	var is_wild := values.random.randi() % 4 == 0
	for info: Dictionary in infos:
		if is_typed and info["type"] != TYPE_NIL or _is_spelled_out(owner, info):
			passed.append(values.of_type(info["type"] as Variant.Type, info))
		elif passed.size() == wrong:
			passed.append(values.anything())
		else:
			passed.append(values.for_argument(info, 3 if is_wild else 1_000_000))
	if values.random.randi() % 30 == 0 and not is_typed:
		passed.append(values.anything())
	return {
		"target": scripts[owner] if is_static else values.objects.get(owner),
		"typed": typed[owner] if is_typed else null,
		"member": member,
		"passed": passed,
	}


# The engine makes texts of an Array before it calls a script that declares texts, and walks along
# every path of what is in it.
func _is_spelled_out(owner: String, info: Dictionary) -> bool:
	return owner in scripts and info["type"] == TYPE_PACKED_STRING_ARRAY


func _perform(call: Dictionary, thread: int) -> Variant:
	var member: Dictionary = call["member"]
	var target: Object = call["target"] if is_instance_valid(call["target"]) else null
	if target == null:
		return null
	var title := "%s.%s" % [member["owner"], member["name"]]
	_logs[thread].store_line(_logged(call))
	_logs[thread].flush()
	var begin := Time.get_ticks_msec()
	var answer: Variant = null
	match member["kind"]:
		"property":
			target.set(member["name"] as StringName, call["passed"][0])
			target.get(member["name"] as StringName)
		"signal":
			target.callv("emit_signal", [member["name"]] + (call["passed"] as Array))
		_ when call["typed"] != null:
			answer = (call["typed"] as GDScript).callv(
				member["name"] + "_", [target] + (call["passed"] as Array)
			)
		_:
			answer = target.callv(member["name"] as StringName, call["passed"] as Array)
	if thread == 0:
		calls += 1
		called[title] = true
		_note_slow(Time.get_ticks_msec() - begin, "blocked: " + _logged(call))
		if _is_request(answer):
			pending.append([_logged(call), answer])
	return answer


# Of a freed object, which may be the result of a request, "is" ends the function.
func _is_request(answer: Variant) -> bool:
	return is_instance_valid(answer) and answer is MemoryRequest


# An error that names the keys of a call lets later calls come further.
func _learn(report: Dictionary) -> void:
	_note_slow(report["worked_ms"] as int, "worked: %s" % report["method"])
	var keys: Array = _keys_of.get_or_add((report["method"] as String).trim_suffix("_async"), [])
	for named: RegExMatch in _key_names.search_all(report["error"] as String):
		for name: String in (named.get_string(1) + named.get_string(2)).split(", "):
			if name and not name in keys:
				keys.append(name.strip_edges())


func _note_slow(msec: int, what: String) -> void:
	if msec > SLOW_MSEC:
		slow.append([msec, what])
		slow.sort_custom(func(a: Array, b: Array) -> bool: return a[0] > b[0])


# A call as its line in the log.
func _logged(call: Dictionary) -> String:
	var member: Dictionary = call["member"]
	var form := "typed " if call["typed"] else ""
	var passed := ", ".join((call["passed"] as Array).map(Values.described))
	return "%s%s.%s(%s)" % [form, member["owner"], member["name"], passed]


# The calls are made here, the threads only perform them. They set no properties and emit no
# signals: the engine guards neither.
func _start_threads() -> Array:
	var threads: Array = []
	var methods := members.filter(
		func(member: Dictionary) -> bool:
			return member["kind"] == "method" and _is_for_threads(member)
	)
	for number: int in THREADS:
		_logs.append(FileAccess.open("user://calls_%d.txt" % (number + 1), FileAccess.WRITE))
		var planned: Array = []
		for call: int in CALLS_OF_A_THREAD:
			planned.append(_made_call(values.pick(methods) as Dictionary))
		var thread := Thread.new()
		thread.start(_perform_all.bind(planned, number + 1))
		threads.append(thread)
	return threads


func _is_for_threads(member: Dictionary) -> bool:
	var name: String = member["name"]
	return (
		not name.begins_with("set_")
		and member["owner"] not in ["MemoryDebugConsole", "NPCDialogue"]
		and not "Model" in (member["owner"] as String)
		and not "Embedding" in (member["owner"] as String)
	)


func _perform_all(planned: Array, thread: int) -> Array:
	var requests: Array = []
	for call: Dictionary in planned:
		var answer: Variant = _perform(call, thread)
		if _is_request(answer):
			requests.append([_logged(call), answer])
	return requests


func _free_one() -> void:
	var name: String = values.pick(values.objects.keys())
	var object: Variant = values.objects[name]
	if is_instance_valid(object) and object is Node:
		(object as Node).free()


func _free_all() -> void:
	for object: Variant in values.objects.values():
		if is_instance_valid(object) and object is Node:
			(object as Node).free()
	values.objects.clear()


func _complete_all(batch: int) -> void:
	var end: int = Time.get_ticks_msec() + int(ANSWER_SECONDS * 1000.0)
	var is_open := func(entry: Array) -> bool: return not (entry[1] as MemoryRequest).is_completed()
	while pending.any(is_open) and Time.get_ticks_msec() < end:
		await process_frame
	for entry: Array in pending.filter(is_open):
		say("hanging", "batch %d: %s" % [batch, entry[0]])
	pending.clear()


# After what was set is set back, saves open and take memories.
func _still_works(batch: int) -> void:
	for property: String in ["summarizer", "reflector", "sentiment_analyzer", "profile_writer"]:
		MemoryServer.set(property, null)
	for property: String in ["extractor", "debate_writer", "embedding_model", "calendar"]:
		MemoryServer.set(property, null)
	MemoryServer.task_validator = Callable()
	MemoryServer.set_clock(Callable())
	MemoryWorld.config = null
	MemoryWorld.persistent = true
	for save: String in ["attack_a", "attack_b"]:
		var opening := MemoryServer.open_save_async(save)
		var is_opened: Variant = await opening.completed
		var memory := make_memory("witness")
		var storing := memory.store_async("It still works after batch %d." % batch)
		await storing.completed
		memory.free()
		if is_opened != OK or storing.get_error():
			say("broken", [batch, save, is_opened, opening.get_error(), storing.get_error()])
