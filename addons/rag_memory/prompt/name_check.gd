extends RefCounted
## The consequences of [method MemoryServer.check_names] for memories that an [NPCWorldKnowledge]
## allows.


## A memory as check_names() takes it.
static func question(text: String, data: Dictionary) -> Dictionary:
	var participants: Variant = data.get("participants", [])
	if not (participants is Array or participants is PackedStringArray):
		participants = []
	return {"text": text, "participants": PackedStringArray(Array(participants))}


## The result of NPCWorldKnowledge.check_memory() when check_names() could not answer.
static func unchecked(text: String, data: Dictionary) -> Dictionary:
	var result := outcome(text, data, {})
	result["accepted"] = false
	result["reason"] = (
		"The names could not be checked, because the memory system does not answer. "
		+ "See MemoryServer.health(), or store with check_names set to false."
	)
	return result


## The result of NPCWorldKnowledge.check_memory(), from what check_names() found of the memory; from
## an empty dictionary, when it was not asked, everything is accepted.
static func outcome(
	text: String, data: Dictionary, result: Dictionary, corrects := true
) -> Dictionary:
	var unknown := PackedStringArray(Array(result.get("unknown_names", [])))
	var corrections: Dictionary = result.get("corrections", {})
	if not corrects:
		unknown.append_array(PackedStringArray(corrections.keys()))
		corrections = {}
	var reasons := PackedStringArray()
	if not unknown.is_empty():
		var who := " or ".join(unknown)
		reasons.append(
			"Nobody in this world is called %s. Add the name to NPCWorldKnowledge," % who
		)
		reasons.append("or store with check_names set to false.")
	elif not corrections.is_empty():
		text = result["text"]
		if data.has("participants"):
			data = data.merged({"participants": result["participants"]}, true)
	for wrong: String in corrections:
		reasons.append("%s is not known; %s is meant." % [wrong, corrections[wrong]])
	return {
		"accepted": unknown.is_empty(),
		"text": text,
		"data": data,
		"unknown_names": unknown,
		"corrections": corrections,
		"reason": " ".join(reasons),
	}
