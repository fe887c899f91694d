# A game server on the bus. Its argument is JSON: what it does, step by step, as the test says.
extends "scenario.gd"

var minds: Dictionary[String, NPCMind] = {}
var arrived := 0


func play() -> void:
	MemoryServer.world_event.connect(_on_world_event)
	MemoryServer.command.connect(
		func(npc_id: String, text: String) -> void: say("command", [npc_id, text])
	)
	var steps: Array = JSON.parse_string(arguments[0])
	for step: Array in steps:
		var name: String = step[0]
		await call(name, step[1])
		if name == "join" and not MemoryServer.health().has("bus") and steps.size() > 2:
			return


func open(save_id: String) -> void:
	say("opened", MemoryServer.open_save(save_id))


func open_shared(values: Dictionary) -> void:
	var storage := MemoryPostgresStorage.new()
	for each: String in values:
		storage.set(each, values[each])
	say("opened", MemoryServer.open_save("shard", {"storage": storage}))


func npc(npc_id: String) -> void:
	var mind := NPCMind.new()
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	memory.add_child(mind)
	root.add_child(memory)
	minds[npc_id] = mind


func free_npc(npc_id: String) -> void:
	minds[npc_id].get_parent().queue_free()
	minds.erase(npc_id)
	await process_frame
	say("freed", npc_id)


func give_away(npc_id: String) -> void:
	say("released", MemoryServer.release_npc(npc_id))


func take_back(npc_id: String) -> void:
	say("acquired", MemoryServer.acquire_npc(npc_id))


func join(values: Dictionary) -> void:
	var bus := MemoryEventBus.new()
	var cache: MemoryHotCache = null if values.get("is_without_cache") else MemoryHotCache.new()
	values.erase("is_without_cache")
	for each: String in values:
		bus.set(each, values[each])
		if cache != null and each in ["url", "password_file", "timeout_seconds"]:
			cache.set(each, values[each])
	say("joined", MemoryServer.connect_bus(bus, cache))


func leave(_nothing: Variant) -> void:
	say("left", MemoryServer.disconnect_bus())


func publish(event: Dictionary) -> void:
	say("published", await MemoryServer.publish_event_async(event).completed)


func publish_many(values: Dictionary) -> void:
	for number in int(values["count"]):
		var event: Dictionary = values["event"].duplicate()
		event["content"] = str(number)
		while not await MemoryServer.publish_event_async(event).completed:
			pass


# Some in one frame, again and again, as soon as the last of them have come.
func publish_bursts(values: Dictionary) -> void:
	for burst in int(values["bursts"]):
		for number in 3:
			MemoryServer.publish_event_async(values["event"])
		await wait_for(3 * (burst + 1))


func order(command: Array) -> void:
	say("ordered", MemoryServer.send_command(command[0], command[1]))


# Until so many events came, and how many were in memory at most.
func wait_for(count: int) -> void:
	var most_in_work := 0
	while arrived < count:
		await process_frame
		var bus: Dictionary = MemoryServer.health()["bus"]
		most_in_work = maxi(most_in_work, bus["in_work"])
	say("most_in_work", most_in_work)


func connected(wanted: bool) -> void:
	while MemoryServer.health()["bus"]["is_connected"] != wanted:
		await process_frame
	say("connected", wanted)


# Makes calls that have nothing to do with the bus.
func make_calls(count: int) -> void:
	for number in count:
		await minds.values()[0].perceive_async({"action": "waved", "content": "own"}).completed
	say("called", count)


func felt(npc_id: String) -> void:
	say("felt", minds[npc_id].get_dispositions())


func near(npc_id: String) -> void:
	while minds[npc_id].build_listener_context(["kael"])["nearby"].is_empty():
		await process_frame
	say("near", minds[npc_id].build_listener_context(["kael"])["nearby"])


func hot(npc_id: String) -> void:
	var memory: Dictionary = {}
	while memory.is_empty():
		await process_frame
		memory = await MemoryServer.get_hot_memory_async(npc_id).completed
	say("hot", memory)


# Asked for once.
func hot_now(npc_id: String) -> void:
	say("hot", await MemoryServer.get_hot_memory_async(npc_id).completed)


func await_file(path: String) -> void:
	while not FileAccess.file_exists(path):
		await process_frame


func perceived(wanted: Array) -> void:
	var npc_id: String = wanted[0]
	while minds[npc_id].get_interactions("", 100).size() < wanted[1]:
		await process_frame
	say("perceived", wanted)


func stay(_nothing: Variant) -> void:
	say("staying", true)
	while true:
		await process_frame


func _on_world_event(event: Dictionary) -> void:
	arrived += 1
	say("event", event)
