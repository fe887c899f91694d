# Elena with a search index: "build" stores memories, "ask" says what is found. Between question
# and end there is time in which the worker has nothing else to do.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	memory.config = MemoryConfig.new()
	memory.config.exact_search_limit = 10
	if arguments[0] == "build":
		memory.store_batch(sentences(60))
	var found: Array[String] = []
	for entry in memory.retrieve_relevant_raw("Sentence number 17 about the winter", {"limit": 10}):
		found.append(entry["document"])
	say("found", found)
	say(
		"filtered",
		memory.retrieve_relevant_raw("winter", {"limit": 60, "min_importance": 5}).size()
	)
	await create_timer(0.5).timeout
	MemoryServer.close_save()
