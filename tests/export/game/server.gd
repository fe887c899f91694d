extends Node
# A dedicated server, as its argument says, which is JSON: keeps a save on PostgreSQL, goes on the
# bus, stores, and kills itself when it shall.


func _ready() -> void:
	var wanted: Dictionary = JSON.parse_string(OS.get_cmdline_user_args()[1])
	var storage := PostgresStorage.new()
	_put(storage, wanted["storage"])
	var bus := EventBus.new()
	_put(bus, wanted["bus"])
	say("is_server", OS.has_feature("dedicated_server"))
	say("has_screen", DisplayServer.get_name() != "headless")
	say("bus", MemoryServer.connect_bus(bus))
	say("open", MemoryServer.open_save("shard_1", {"storage": storage}))
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	if MemoryServer.health()["save_id"] == "shard_1":
		add_child(memory)
		say("known", memory.get_all_memories().map(_text))
		if wanted.has("store"):
			say("stored", memory.store(wanted["store"]))
			say("published", MemoryServer.publish_event({"type": "harvest", "npcId": "elena"}))
	say("python_path", MemoryServer.health()["python_path"])
	if wanted.has("store"):
		OS.kill(OS.get_process_id())
	get_tree().quit()


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


func _put(resource: Resource, values: Dictionary) -> void:
	for each: String in values:
		resource.set(each, values[each])


func _text(memory: Dictionary) -> String:
	return memory["document"]
