# Every method with odd values for every argument, and odd values inside of them; every property;
# and odd values that functions of the game return. The test looks at what is printed.
extends "scenario.gd"

const KEYS: Array[String] = [
	"event_type",
	"emotion",
	"participants",
	"location",
	"topics",
	"interaction_type",
	"memory_tier",
	"is_milestone",
	"milestone_type",
	"is_first",
	"info_type",
	"slot_type",
	"timestamp",
	"entities",
	"document_short",
	"check_names",
	"importance",
	"text",
	"limit",
	"min_importance",
	"filter",
	"sort",
	"descending",
	"offset",
	"similar_to",
	"locate",
	"archived",
	"max_memory_chars",
	"begin",
	"end",
	"buckets",
	"trust",
	"affection",
	"familiarity",
	"met",
	"trust_change",
	"npc_died",
	"learned_about_player",
	"prepared",
	"vector_cache_mib",
	"cause",
	"metadata",
	"id",
	"similarity",
	"wholly_unknown",
]
const LEFT_OUT: Array[String] = ["health", "preload", "current_save", "set_clock", "get_activity"]

var _count := 0


func play() -> void:
	say("open", MemoryServer.open_save("odd"))
	var memory := make_memory("elena")
	memory.store("The mill burned down.")
	_call_every_method(memory)
	_call_every_method(MemoryConfig.new())
	_call_every_method(MemoryServer)
	for object: Object in [memory, MemoryConfig.new()]:
		_set_every_property(object)
	for id in ["", " ", "a" + char(0) + "b"]:
		memory.npc_id = id
		memory.store("Who am I?")
	memory.npc_id = "elena"
	for value: Variant in _odd():
		for key in ["tier_weights", "event_type_importance", "supersession_pairs", "score_mode"]:
			memory.config = MemoryConfig.new()
			memory.config.set(key, value)
			memory.config.set(key, {"rumor": value})
			memory.store("What is right?")
	memory.free()
	MemoryServer.close_save()
	MemoryServer.open_save("odd again")
	_answer_oddly(make_memory("boris"))
	await frames(5)
	say("calls", _count)


func _call_every_method(object: Object) -> void:
	for method: Dictionary in ClassDB.class_get_method_list(object.get_class(), true):
		var name: String = method["name"]
		var is_asynchronous := name.ends_with("_async")
		if name in LEFT_OUT or method["flags"] & METHOD_FLAG_VIRTUAL or is_asynchronous:
			continue
		var declared: Array = method["args"]
		for wrong in declared.size():
			for value: Variant in _values_for(declared[wrong]["type"] as Variant.Type):
				var arguments := declared.map(_plain_argument)
				arguments[wrong] = value
				object.callv(name, arguments)
				_count += 1


func _set_every_property(object: Object) -> void:
	for property: Dictionary in ClassDB.class_get_property_list(object.get_class(), true):
		if not property["usage"] & PROPERTY_USAGE_GROUP:
			var before: Variant = object.get(property["name"] as String)
			for value: Variant in _odd():
				object.set(property["name"] as String, value)
				_count += 1
			object.set(property["name"] as String, before)


func _answer_oddly(memory: RAGMemory) -> void:
	for value: Variant in _odd():
		MemoryServer.set_clock(func() -> Variant: return value)
		memory.store("The time is wrong.")
	MemoryServer.set_clock(func(_more: int) -> float: return 1.0)
	memory.store("The time is wrong.")
	MemoryServer.set_clock(Callable())
	for value: Variant in _odd():
		MemoryServer.summarizer = func(_request: Dictionary) -> Variant: return value
		_store_talks(memory)
		memory.consolidate()
	MemoryServer.summarizer = Callable()


func _store_talks(memory: RAGMemory) -> void:
	var talks: Array[Dictionary] = []
	for number in 5:
		var text := "The player asked for bread number %d." % number
		var data := {"event_type": "conversation", "timestamp": 100.0, "topics": ["bread"]}
		talks.append({"text": text, "importance": 3}.merged(data))
	memory.store_batch(talks)


func _plain_argument(argument: Dictionary) -> Variant:
	var plain: Dictionary = {
		TYPE_STRING: "text",
		TYPE_INT: 3,
		TYPE_BOOL: true,
		TYPE_FLOAT: 0.5,
		TYPE_DICTIONARY: {},
		TYPE_ARRAY: [],
		TYPE_PACKED_STRING_ARRAY: PackedStringArray(),
	}
	return plain.get(argument["type"])


func _values_for(type: Variant.Type) -> Array:
	var values := _odd()
	if type == TYPE_DICTIONARY:
		for key in KEYS:
			for value: Variant in _odd():
				values.append({key: value})
				if key == "filter":
					values.append({"filter": {"importance": value}})
					values.append({"filter": {"importance": {"in": value}}})
					values.append({"filter": {"text": {">": value}}})
				values.append({"text": "A text.", "metadata": {key: value}})
	if type == TYPE_ARRAY:
		for value: Variant in _odd():
			values.append([value])
			var typed: Array[Dictionary] = [{"text": value}]
			values.append(typed)
			typed = [{"text": "The mill.", "importance": value, "participants": [value]}]
			values.append(typed)
	if type == TYPE_STRING:
		(
			values
			. append_array(
				[
					"text,importance\nThe mill.,high\n",
					"text,timestamp\nThe mill.,late\n",
					"text,is_milestone\nThe mill.,perhaps\n",
					"text,metadata\nThe mill.,[1\n",
					"text,participants\nThe mill.,[1\n",
					"text,importance\nThe mill.,3,4\n",
					"{",
					"[1, 2]",
					'{"format": "rag_memory", "version": "x"}',
					'{"memories": null}',
				]
			)
		)
		for value: Variant in [null, true, 5, "x", [null], {"text": null}, {"text": 5}]:
			values.append(_exported([value]))
	return values


func _exported(memories: Array) -> String:
	var memory := make_memory("exporter")
	var exported: Dictionary = JSON.parse_string(memory.export_json())
	memory.free()
	exported["memories"] = memories
	return JSON.stringify(exported)


func _odd() -> Array:
	return [
		null,
		true,
		-1,
		9223372036854775807,
		0.5,
		NAN,
		INF,
		"",
		"text\twith \"quotes\" and 'more'",
		Vector2.ONE,
		Color.RED,
		&"name",
		NodePath("a/b:c"),
		RID(),
		root,
		Callable(),
		{},
		{"a": null},
		{1: true},
		[],
		[1, "two", null, true],
		[null],
		PackedByteArray([1]),
		PackedStringArray(["a"]),
	]
