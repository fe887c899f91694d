# What Variants survive the way to Python and back, and which are refused.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const WORDS: Array[String] = [
	"Grüße aus Österreich",
	"你好，世界",
	"こんにちは",
	"Привет, мир",
	"مرحبا بالعالم",
	"ผู้เล่นสัญญา",
	"👩‍👩‍👧‍👦🔥",
	"a\tb\nc\"d'e\\f",
	"zero\u200bwidth",
	"%s %d {} [b]bold[/b]",
	"Robert'); DROP TABLE memories;--",
]


func test_texts_come_back_equal() -> void:
	var memory := make_memory()
	for word: String in WORDS:
		var id := memory.store(word, 5, {"said": word, word: "as a key"})
		var stored := memory.get_memory(id)
		check_equal(stored["document"], word)
		check_equal(stored["metadata"]["said"], word)
		check_equal(stored["metadata"][word], "as a key")
		var found := memory.retrieve_relevant_raw(word, {"limit": 20})
		check(
			found.any(func(entry: Dictionary) -> bool: return entry["id"] == id), "found: " + word
		)


func test_npc_ids_and_event_types_may_be_any_text() -> void:
	for word: String in WORDS:
		var memory := make_memory(word)
		var id := memory.store("I am " + word, 5, {"event_type": word, "timestamp": 5})
		check_equal(id, "%s_5_%s" % [word, word])
		check_equal(memory.get_memory(id)["metadata"]["npc_id"], word)
		check_equal(memory.get_memory_count(), 1)


func test_a_long_text_comes_back_equal() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.max_text_chars = 1000000
	var text := "The winter was long. ".repeat(20000)
	check_equal(memory.get_memory(memory.store(text))["document_full"], text)


func test_plain_values_come_back_equal() -> void:
	_check_round_trip(
		{
			"nothing": null,
			"yes": true,
			"no": false,
			"zero": 0,
			"big": 9223372036854775807,
			"small": -9223372036854775807 - 1,
			"int32": 2147483648,
			"float": 0.1,
			"whole float": 3.0,
			"tiny": 5e-324,
			"huge": 1.7e308,
			"a text": "äöü",
			"list": [1, 2.0, "three", [4, [5]], {"six": 7}],
			"empty list": [],
			"empty": {},
		}
	)


func test_a_key_that_is_no_string_is_refused() -> void:
	expect_error("store(): a key of data is no String: it is 3")
	expect_error("store_batch(): a key of memories is no String")
	expect_error("retrieve_relevant_raw(): a key of options is no String")
	var memory := make_memory()
	check_equal(memory.store("The player lied.", 8, {"event_type": "betrayal", 3: true}), "")
	var batch: Array[Dictionary] = [{"text": "It rained."}, {"text": "It snowed.", 1.5: true}]
	check_equal(memory.store_batch(batch).size(), 0)
	memory.retrieve_relevant_raw("Who lied?", {null: 3})
	check_equal(memory.get_memory_count(), 0)
	var id := memory.store("The player lied.", 8, {"kept": {3: "within a value any key is kept"}})
	check_equal(memory.get_memory(id)["metadata"]["kept"], {3: "within a value any key is kept"})


func test_vectors_and_colours_come_back_equal() -> void:
	_check_round_trip(
		{
			"Vector2": Vector2(1.5, -2),
			"Vector2i": Vector2i(1, -2),
			"Rect2": Rect2(1, 2, 3.5, 4),
			"Rect2i": Rect2i(1, 2, 3, 4),
			"Vector3": Vector3(1, 2, 3.25),
			"Vector3i": Vector3i(1, -2, 3),
			"Transform2D": Transform2D(0.5, Vector2(3, 4)),
			"Vector4": Vector4(1, 2, 3, 4),
			"Vector4i": Vector4i(1, 2, 3, 4),
			"Plane": Plane(0, 1, 0, 5),
			"Quaternion": Quaternion(0, 0, 0, 1),
			"AABB": AABB(Vector3.ONE, Vector3(2, 3, 4)),
			"Basis": Basis(Vector3.UP, 0.5),
			"Transform3D": Transform3D(Basis(Vector3.UP, 0.5), Vector3(1, 2, 3)),
			"Projection": Projection.create_perspective(70, 1.5, 0.1, 100),
			"Color": Color(0.25, 0.5, 0.75, 1),
			"NodePath": NodePath("/root/Village/Mira:position:x"),
			"empty NodePath": NodePath(""),
			"StringName": &"wolf",
			"in a list": [Vector3.ONE, [Color.RED]],
			"in a dictionary": {"where": Vector3.ONE},
		}
	)


func test_packed_arrays_come_back_equal() -> void:
	_check_round_trip(
		{
			"bytes": PackedByteArray([1, 2, 255]),
			"int32": PackedInt32Array([1, -2]),
			"int64": PackedInt64Array([1, -2, 9223372036854775807]),
			"float32": PackedFloat32Array([0.5, 1]),
			"float64": PackedFloat64Array([0.1, 1e300]),
			"strings": PackedStringArray(["äöü", "", "x"]),
			"vector2": PackedVector2Array([Vector2(1, 2)]),
			"vector3": PackedVector3Array([Vector3(1, 2, 3)]),
			"colors": PackedColorArray([Color.RED, Color(0, 0, 0, 0)]),
			"vector4": PackedVector4Array([Vector4(1, 2, 3, 4)]),
			"empty": PackedByteArray(),
		}
	)


func test_dictionaries_with_other_keys_come_back_equal() -> void:
	_check_round_trip(
		{"by number": {1: "one", 2.5: "two and a half", Vector2i(1, 2): "a cell", true: "yes"}}
	)


func test_typed_collections_are_taken() -> void:
	var memory := make_memory()
	var numbers: Array[int] = [1, 2]
	var points: Array[Vector3] = [Vector3.ONE]
	var prices: Dictionary[String, int] = {"bread": 2}
	var id := memory.store("Typed.", 5, {"numbers": numbers, "points": points, "prices": prices})
	var metadata: Dictionary = memory.get_memory(id)["metadata"]
	check(metadata["numbers"] == [1, 2], str(metadata["numbers"]))
	check(metadata["points"] == [Vector3.ONE], str(metadata["points"]))
	check(metadata["prices"] == {"bread": 2}, str(metadata["prices"]))


func test_values_that_do_not_outlive_the_game_are_refused() -> void:
	var memory := make_memory()
	expect_error("is of type Object, which cannot be stored")
	expect_error("is of type Callable, which cannot be stored")
	expect_error("is of type Signal, which cannot be stored")
	expect_error("is of type RID, which cannot be stored")
	var refused: Array = [self, Resource.new(), memory.store, memory.failed, RID(), MemoryServer]
	for value: Variant in refused:
		check_equal(memory.store("A thing.", 5, {"thing": value}), "", type_string(typeof(value)))
		check_equal(memory.store("A thing.", 5, {"things": [[value]]}), "")
		check_equal(memory.store_batch([{"text": "A thing.", "thing": value}]), PackedStringArray())
	check_equal(memory.get_memory_count(), 0)


func test_the_message_names_the_key_of_a_value_that_cannot_be_stored() -> void:
	var memory := make_memory()
	expect_error("store(): data.thing is of type Object")
	memory.store("A thing.", 5, {"thing": self})
	expect_error("store(): data.gift.from[1].who is of type Callable")
	memory.store("A gift.", 5, {"gift": {"from": [1, {"who": memory.store}]}})
	expect_error("store_batch(): memories[1].note.by is of type RID")
	memory.store_batch([{"text": "One."}, {"text": "Two.", "note": {"by": RID()}}])
	expect_error("record_event(): event.extra is of type Signal")
	MemoryWorld.record_event({"summary": "It rained.", "extra": memory.failed})
	check_equal(memory.get_memory_count(), 0)


func test_the_message_names_the_key_that_was_meant() -> void:
	var memory := make_memory()
	expect_error("retrieve_relevant(): there is no option 'limt'. Did you mean 'limit'?")
	check_equal(memory.retrieve_relevant("Rain", {"limt": 3}).size(), 0)
	expect_error('knows_event(): filter has the key "event_typ"')
	check_equal(memory.knows_event({"event_typ": "promise"}), false)
	expect_error("get_tasks(): there is no option 'asignee'. Did you mean 'assignee'?")
	check_equal(MemoryWorld.get_tasks({"asignee": "mira"}).size(), 0)


func test_a_freed_object_is_kept_as_null() -> void:
	var memory := make_memory()
	var freed := Node.new()
	freed.free()
	var id := memory.store("A thing.", 5, {"thing": freed})
	check_equal(memory.get_memory(id)["metadata"]["thing"], null)


func test_what_contains_itself_is_refused() -> void:
	var memory := make_memory()
	var failed := watch(memory.failed)
	var list: Array = []
	list.append(list)
	var dictionary: Dictionary = {}
	dictionary["self"] = dictionary
	expect_error("nested too deeply or contain themselves")
	check_equal(memory.store("A loop.", 5, {"list": list}), "")
	check_equal(memory.store("A loop.", 5, dictionary), "")
	check_equal(await memory.store_async("A loop.", 5, dictionary).completed, "")
	check_equal(failed.size(), 3)
	list.clear()
	dictionary.clear()


func test_deep_nesting_is_refused() -> void:
	var memory := make_memory()
	var deep: Array = []
	for level in 80:
		deep = [deep]
	expect_error("nested too deeply")
	check_equal(memory.store("Deep.", 5, {"deep": deep}), "")
	var allowed: Array = []
	for level in 40:
		allowed = [allowed]
	check(memory.store("Not so deep.", 5, {"deep": allowed}) != "", "40 levels are fine")


func test_numbers_that_are_none_are_refused() -> void:
	var memory := make_memory()
	expect_error("it has to be finite")
	for number: float in [NAN, INF, -INF]:
		check_equal(memory.store("A number.", 5, {"number": number}), "")
		check_equal(memory.store("A number.", 5, {"timestamp": number}), "")


func test_keys_with_a_meaning_are_checked() -> void:
	var memory := make_memory()
	expect_error("event_type is 5 (int): it has to be a String")
	check_equal(memory.store("Wrong.", 5, {"event_type": 5}), "")
	expect_error("memory_tier is 7: it has to be 0 to 2")
	check_equal(memory.store("Wrong.", 5, {"memory_tier": 7}), "")
	expect_error('participants is "Elena" (String): it has to be an Array of Strings')
	check_equal(memory.store("Wrong.", 5, {"participants": "Elena"}), "")
	expect_error("the memory system sets it itself")
	check_equal(memory.store("Wrong.", 5, {"superseded_by": "me"}), "")


func test_an_importance_out_of_range_is_clamped() -> void:
	var memory := make_memory()
	check_equal(memory.get_memory(memory.store("Low.", -3))["metadata"]["importance"], 1)
	check_equal(memory.get_memory(memory.store("High.", 99))["metadata"]["importance"], 10)


func test_nul_and_lone_surrogates_do_no_harm() -> void:
	var memory := make_memory()
	var text := "a" + char(0xD83D) + "b"
	var id := memory.store(text, 5, {"key": text})
	check(id != "", "stored")
	check_equal(memory.get_memory_count(), 1)


func _check_round_trip(data: Dictionary) -> void:
	var memory := make_memory()
	var id := memory.store("Values.", 5, data)
	var metadata: Dictionary = memory.get_memory(id)["metadata"]
	for key: String in data:
		_check_came_back(metadata.get(key), data[key], key)
	var batch := memory.store_batch([{"text": "Values again."}.merged(data)])
	metadata = memory.get_memory(batch[0])["metadata"]
	for key: String in data:
		_check_came_back(metadata.get(key), data[key], key + " in a batch")


# StringName and PackedStringArray come back as what JSON knows: String and Array.
func _check_came_back(value: Variant, expected: Variant, message: String) -> void:
	if expected is StringName:
		check_equal(value, String(expected as StringName), message)
	elif expected is PackedStringArray:
		check_equal(value, Array(expected as PackedStringArray), message)
	else:
		check_equal(value, expected, message)
