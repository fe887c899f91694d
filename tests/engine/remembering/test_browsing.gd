# What tools need of a memory, through the public methods.
extends "res://tests/engine/case.gd"


func test_pages_of_a_large_memory() -> void:
	var memory := make_memory()
	var batch: Array[Dictionary] = []
	for number in 250:
		batch.append({"text": "Barrel %d." % number, "importance": number % 10 + 1})
	memory.store_batch(batch)
	var request := memory.browse_async({"sort": "importance", "offset": 100, "limit": 50})
	check(not request.is_completed(), "browse_async() must not block")
	var page: Dictionary = await request.completed
	check_equal(page.total, 250)
	check_equal((page.rows as Array).size(), 50)
	var row: Dictionary = page.rows[0]
	check_equal(row, memory.get_memory(row.id as String), "a row is a whole memory")
	check_equal(row.metadata.importance, 6)
	check_equal(memory.browse({"text": "barrel 77"}).rows[0].document_full, "Barrel 77.")
	check_equal(memory.browse({"similar_to": "Barrel 5.", "limit": 1}).total, 250)
	expect_error("browse(): there is no option 'page'")
	check_equal(memory.browse({"page": 2}), {})


func test_forgetting_is_undone_exactly() -> void:
	# Godot's JSON does not give back every digit of a fractional time.
	MemoryServer.set_clock(func() -> int: return 77)
	var memory := make_memory()
	var promise := memory.store("The player promised.", 6, {"event_type": "promise_made"})
	var breach := memory.store("No.", 8, {"event_type": "promise_broken"})
	var before := memory.export_json()
	var captured := memory.capture_memories(PackedStringArray([promise, breach]))
	memory.forget(breach)
	memory.update_memory(promise, {"text": "Perhaps."})
	check(memory.export_json() != before, "something has changed")
	check_equal(memory.put_back_memories(captured), 2)
	check_equal(memory.export_json(), before)
	check_equal(memory.get_memory(promise).metadata.superseded_by, breach)
	var as_json: Variant = JSON.parse_string(JSON.stringify(captured, "", true, true))
	memory.forget(promise)
	check_equal(memory.put_back_memories(as_json as Dictionary), 2, "a capture survives JSON")
	check_equal(memory.export_json(), before)
	MemoryServer.set_clock(Callable())


func test_a_table_goes_out_and_comes_back() -> void:
	var memory := make_memory("table out")
	memory.store('She said "no",\nthen left.', 9, {"topics": ["a,b"], "quest": "ring"})
	var other := make_memory("table in")
	check_equal(other.import_csv(memory.export_csv()), 1)
	check_equal(other.export_csv(), memory.export_csv())
	expect_error('importance is "high"')
	check_equal(other.import_csv("text,importance\nA.,high\n"), 0)


func test_the_npcs_of_the_save_and_a_timeline() -> void:
	var memory := make_memory("npc with a life")
	memory.store("The player promised.", 6, {"event_type": "promise_made", "timestamp": 100.0})
	memory.store("No.", 8, {"event_type": "promise_broken", "timestamp": 200.0})
	var found: Array = MemoryServer.list_npcs().filter(
		func(npc: Dictionary) -> bool: return npc.npc_id == memory.npc_id
	)
	check_equal(found.size(), 1)
	check_equal(found[0].total, 2)
	check_equal(found[0].superseded, 1)
	var life := memory.get_timeline({"buckets": 2})
	check_equal(life.begin, 100.0)
	check_equal(life.links[0].kind, "superseded")


func test_snapshots_are_compared() -> void:
	var memory := make_memory("npc with two pasts")
	memory.store("It rained.")
	check_equal(MemoryServer.snapshot("browsing_before"), OK)
	memory.store("The sun came out.")
	var found := MemoryServer.compare_snapshots("browsing_before")
	check_equal(found.added, 1)
	check_equal(found.npcs[memory.npc_id].added[0].text, "The sun came out.")
	expect_error("there is no snapshot 'never_taken'")
	check_equal(MemoryServer.compare_snapshots("never_taken"), {})
