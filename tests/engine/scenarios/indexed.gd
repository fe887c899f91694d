# Elena with a search index: "build" stores memories, "ask" says what is found. Before the end the
# worker has time to complete the index.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	memory.config = MemoryConfig.new()
	memory.config.relevance_mode = MemoryConfig.DENSE
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
	while MemoryServer.health()["save"]["pending_vectors"] > 0:
		await create_timer(0.1).timeout
	MemoryServer.close_save()
