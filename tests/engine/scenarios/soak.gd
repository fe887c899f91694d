# Random calls of every method from many nodes, while nodes are freed, saves are switched and
# requests are cancelled. Arguments: seconds, seed.
#
# What NPCs named ledger_* stored and got an id for is written down and looked up, at the end and
# whenever there is much of it; then they begin anew, so that memory grows only when it leaks. Every
# few seconds nothing is asked any more until all is answered: then no object may be left over.
extends "scenario.gd"

const LEDGER_SAVES: Array[String] = ["soak_a", "soak_b"]
const WILD_SAVE := "soak_wild"
const NODES := 12
const IN_FLIGHT := 60
const ROUND_SECONDS := 6.0
const QUIET_SECONDS := 300.0
const MOST_ENTRIES := 300
const WORDS: Array[String] = [
	"the miller",
	"a silver ring",
	"betrayal",
	"was sold",
	"at dawn",
	"鍵",
	"مفتاح",
	"Ключ",
	"🗝",
	"promised",
	"nobody",
	"the old bridge",
	"burned",
	"trust",
	"",
	"'",
	"%s",
	"{}",
	"NEAR",
	'"',
]
const OPTIONS: Array[Dictionary] = [
	{},
	{"limit": 3},
	{"limit": 3, "min_importance": 4},
	{"filter": {"importance": {">=": 4}}},
	{"importance": 9},
	{"trust": 500, "fear": -3},
	{"event_type": "betrayal", "slot_type": "current_role", "participants": ["Edda"]},
	{"text": "changed"},
	{"nonsense": [1, {"a": Vector2.ONE}]},
]

var random := RandomNumberGenerator.new()
var nodes: Array[RAGMemory] = []
var ledger: Dictionary[String, Dictionary] = {}
var known_ids: Array[String] = []
var target_save := ""
var in_flight := 0
var calls := 0
var failed := 0
var cancelled := 0
var freed := 0
var looked_up := 0
var lost: Array[String] = []
var object_counts: Array[int] = []
var resident_kb: Array[int] = []
var wild_methods: Array[Dictionary] = []


func play() -> void:
	random.seed = arguments[1].to_int()
	for method: Dictionary in ClassDB.class_get_method_list("RAGMemory", true):
		var name: String = method["name"]
		if name.ends_with("_async"):
			wild_methods.append(method)
	_open(LEDGER_SAVES[0])
	var end: int = Time.get_ticks_msec() + int(arguments[0].to_float() * 1000)
	while Time.get_ticks_msec() < end:
		if not await _one_round():
			return
		if _entries() > MOST_ENTRIES:
			await _look_up()
	await _look_up()
	say("entries", looked_up)
	say("lost", lost)
	say("methods", wild_methods.size())
	say("calls", calls)
	say("failed", failed)
	say("cancelled", cancelled)
	say("freed", freed)
	say("object_counts", object_counts)
	say("resident_kb", resident_kb)


# Calls for a few seconds, then waits until everything is answered; false when something never is.
func _one_round() -> bool:
	for number in NODES:
		nodes.append(_new_node(number))
	var end: int = Time.get_ticks_msec() + int(ROUND_SECONDS * 1000)
	while Time.get_ticks_msec() < end:
		for action in random.randi_range(1, 5):
			if in_flight < IN_FLIGHT:
				_act()
		await process_frame
	var deadline: int = Time.get_ticks_msec() + int(QUIET_SECONDS * 1000)
	while in_flight > 0:
		if Time.get_ticks_msec() > deadline:
			say("hanging", in_flight)
			return false
		await process_frame
	for node in nodes:
		node.free()
	nodes.clear()
	await frames(3)
	object_counts.append(int(Performance.get_monitor(Performance.OBJECT_COUNT)))
	resident_kb.append(resident_memory_kb())
	print("%d calls, %d objects, %d MB" % [calls, object_counts[-1], resident_kb[-1] / 1000])
	return true


func _new_node(number: int) -> RAGMemory:
	var node := RAGMemory.new()
	node.npc_id = "%s_%d" % ["ledger" if number % 3 == 0 else "wild", number % 5]
	if number % 3 == 1:
		node.config = MemoryConfig.new()
		node.config.semantic_top_k = random.randi_range(0, 30)
		node.config.relevance_mode = random.randi_range(MemoryConfig.HYBRID, MemoryConfig.DENSE)
		node.config.exact_search_limit = random.randi_range(0, 100)
	node.persistent = number != 5
	root.add_child(node)
	return node


func _act() -> void:
	calls += 1
	var place: int = random.randi_range(0, nodes.size() - 1)
	var node: RAGMemory = nodes[place]
	var is_ledger: bool = node.npc_id.begins_with("ledger")
	var dice: float = random.randf()
	if dice < 0.02:
		freed += 1
		node.free()
		nodes[place] = _new_node(place)
	elif dice < 0.04:
		_open((LEDGER_SAVES + [WILD_SAVE])[random.randi_range(0, 2)])
	elif dice < 0.06:
		_call_server()
	elif dice < 0.1:
		node.retrieve_scored(_text())
	elif is_ledger:
		if dice < 0.5:
			_store_in_ledger(node)
		else:
			_wait(node.retrieve_scored_async(_text()), random.randf() < 0.1)
	else:
		_call_wildly(node)


func _open(save_id: String) -> void:
	target_save = save_id
	_wait(MemoryServer.open_save_async(save_id), false)


func _call_server() -> void:
	var slot: String = "slot_%d" % random.randi_range(0, 2)
	match random.randi_range(0, 7):
		0:
			_wait(MemoryServer.snapshot_async(slot), false)
		1:
			_wait(MemoryServer.list_saves_async(), false)
		2:
			MemoryServer.health()
		3:
			MemoryServer.register_names(PackedStringArray([_text()]))
		4:
			_wait(MemoryServer.delete_save_async("soak_gone"), false)
		5:
			_wait(MemoryServer.list_npcs_async(), false)
		6 when target_save == WILD_SAVE:
			_wait(MemoryServer.rollback_to_async(Time.get_unix_time_from_system() - 5.0), false)
		7 when target_save == WILD_SAVE:
			_wait(MemoryServer.restore_async(slot), false)


# The request's answer decides: an id means that the memory is there for good.
func _store_in_ledger(node: RAGMemory) -> void:
	var text: String = "Entry %d about %s." % [calls, _text()]
	var key: String = "%s/%s" % [target_save, node.npc_id]
	var request: MemoryRequest = node.store_async(text, random.randi_range(1, 10))
	if random.randf() < 0.1:
		_wait(request, true)
		return
	in_flight += 1
	var id: Variant = await request.completed
	in_flight -= 1
	if request.get_error().is_empty() and id is String and not target_save.is_empty():
		if key.begins_with("soak_") and not key.begins_with(WILD_SAVE):
			ledger.get_or_add(key, {})[id] = text
	else:
		failed += 1


func _call_wildly(node: RAGMemory) -> void:
	var method: Dictionary = wild_methods[random.randi_range(0, wild_methods.size() - 1)]
	var values: Array = []
	for argument: Dictionary in method["args"]:
		values.append(_value_of(argument["type"]))
	var name: String = method["name"]
	var request: MemoryRequest = node.callv(name, values)
	if request != null:
		_wait(request, random.randf() < 0.05)


func _value_of(type: Variant.Type) -> Variant:
	var value: Variant = null
	match type:
		TYPE_STRING:
			value = _text()
			if not known_ids.is_empty() and random.randf() < 0.5:
				value = known_ids[random.randi_range(0, known_ids.size() - 1)]
		TYPE_INT:
			value = [-1, 0, 1, 5, 10, 1000][random.randi_range(0, 5)]
		TYPE_FLOAT:
			value = random.randf_range(-1.0, 10.0)
		TYPE_BOOL:
			value = random.randf() < 0.5
		TYPE_DICTIONARY:
			value = OPTIONS[random.randi_range(0, OPTIONS.size() - 1)]
		TYPE_PACKED_STRING_ARRAY:
			value = PackedStringArray([_text(), _text()])
		TYPE_ARRAY:
			var memories: Array[Dictionary] = []
			for number in random.randi_range(0, 4):
				memories.append({"text": _text() + "x", "importance": number})
			value = memories
	return value


func _wait(request: MemoryRequest, cancels: bool) -> void:
	in_flight += 1
	if cancels:
		cancelled += 1
		request.cancel()
	var result: Variant = await request.completed
	in_flight -= 1
	if not request.get_error().is_empty():
		failed += 1
	elif result is String and result.length() < 100 and known_ids.size() < 1000:
		known_ids.append(result)


func _text() -> String:
	var parts: Array[String] = []
	for word in random.randi_range(1, 6):
		parts.append(WORDS[random.randi_range(0, WORDS.size() - 1)])
	return " ".join(parts)


func _entries() -> int:
	var entries := 0
	for key: String in ledger:
		entries += ledger[key].size()
	return entries


# Every memory of the ledger, in its save and word for word; then they are cleared.
func _look_up() -> void:
	for key: String in ledger:
		var parts: PackedStringArray = key.split("/")
		await MemoryServer.open_save_async(parts[0]).completed
		target_save = parts[0]
		var node := make_memory(parts[1])
		for id: String in ledger[key]:
			looked_up += 1
			var found: Variant = await node.get_memory_async(id).completed
			if found.get("document_full") != ledger[key][id]:
				lost.append("%s: %s" % [key, id])
		await node.clear_all_memories_async().completed
		node.free()
	ledger.clear()
