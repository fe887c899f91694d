# The first question to elena, who has many memories, and then one to boris, who has few: who is
# answered first, and with what.
extends "scenario.gd"


func play() -> void:
	var finished: Array[String] = []
	var requests: Array[MemoryRequest] = []
	for npc_id: String in ["elena", "boris"]:
		var request := make_memory(npc_id).retrieve_scored_async("Memory number 7.")
		request.completed.connect(func(_result: Variant) -> void: finished.append(npc_id))
		requests.append(request)
	while finished.size() < requests.size():
		await process_frame
	say("finished", finished)
	for request: MemoryRequest in requests:
		var memories: Array = request.get_result()
		say("error", request.get_error())
		var texts: Array = memories.map(
			func(each: Dictionary) -> String: return each["document_full"]
		)
		say("found", texts.has("Memory number 7."))
