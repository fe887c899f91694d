extends Node
# A dedicated server, as its argument says, which is JSON: keeps a save on PostgreSQL, goes on the
# bus, stores, and kills itself when it shall.

const EVENT := {"type": "item_gifted", "npcId": "elena", "sourceId": "kael", "content": "A rose."}


func _ready() -> void:
	var wanted: Dictionary = JSON.parse_string(OS.get_cmdline_user_args()[1])
	var storage := MemoryPostgresStorage.new()
	_put(storage, wanted["storage"])
	var bus := MemoryEventBus.new()
	_put(bus, wanted["bus"])
	say("is_server", OS.has_feature("dedicated_server"))
	say("has_screen", DisplayServer.get_name() != "headless")
	say("bus", MemoryServer.connect_bus(bus))
	var opened := MemoryServer.open_save("shard_1", {"storage": storage})
	say("open", opened)
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	if opened == OK:
		add_child(memory)
		say("known", memory.retrieve_relevant_raw("What did you get by the well?").map(_text))
		if wanted.has("store"):
			say("stored", memory.store(wanted["store"]))
			say("published", MemoryServer.publish_event(EVENT))
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
