# Says what the rules of the project make of an event, a memory, a turn and a question, blocking
# and not.
extends "scenario.gd"


func play() -> void:
	var memory: RAGMemory = make_memory("elena")
	var mind: NPCMind = NPCMind.new()
	memory.add_child(mind)
	say("importance", memory.calculate_importance("harvest", {}, {}))
	say("own_importance", memory.calculate_importance("small_talk", {}, {}))
	memory.store("The barn burned down.", 5, {"event_type": "harvest"})
	memory.store("The player sang a song.", 5)
	var found: Array[Dictionary] = memory.retrieve_relevant_raw("Who sang a song?")
	say("first", found[0].document_full)
	say("tier", found[0].metadata.memory_tier)
	say("said", found[0].breakdown.get("rule_channel", 0.0))
	found = await memory.retrieve_relevant_raw_async("Who sang a song?").completed
	say("first_async", found.map(_text_of))
	say("sentiment", mind.analyze_sentiment("Howdy", "spoke"))
	say("felt", mind.perceive({"action": "helped", "source_id": "player"}).sentiment)
	var harvest: Dictionary = mind.perceive({"action": "harvest", "source_id": "player"})
	var kept: Dictionary = memory.get_memory(harvest.memory_id) if harvest.memory_id else {}
	say("perceived", [harvest.importance, kept.metadata.memory_tier] if kept else [])
	var ids: PackedStringArray = mind.reflect(true)
	say("insight", memory.get_memory(ids[0]).document_full if ids else "")
	memory.store_turn("My name is Tom.", "Hello, Tom.")
	say("facts", memory.get_recent(1).map(_text_of))
	var requests: Array[MemoryRequest] = []
	for number: int in 20:
		requests.append(memory.retrieve_scored_async("Question %d about the barn" % number))
	var answers: Array = []
	for request: MemoryRequest in requests:
		answers.append(await request.completed)
	say("answered", answers.filter(func(each: Array) -> bool: return not each.is_empty()).size())


func _text_of(entry: Dictionary) -> String:
	return entry.document_full
