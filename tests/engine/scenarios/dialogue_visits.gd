# Evaluates the expressions of a dialogue file, visit after visit: visits.json in the project has
# the condition of a line, that of an answer, what the line inserts, and the mutation of the answer.
extends "res://tests/engine/scenarios/scenario.gd"


func play() -> void:
	MemoryServer.open_save("visits")
	var mira := make_memory("mira")
	var file: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://visits.json"))
	var visits: Array[Dictionary] = []
	for visit in 5:
		if visit == 2:
			var promise := {"event_type": "promise_made", "participants": ["player"]}
			mira.store("The player promised to mend the roof before winter.", 7, promise)
		var line: bool = _evaluate(file["line"] as String, mira)
		var answer: bool = _evaluate(file["answer"] as String, mira)
		var text: Variant = _evaluate(file["insertion"] as String, mira) if line else ""
		visits.append({"line": line, "answer": answer, "text": text})
		await (_evaluate(file["mutation"] as String, mira) as MemoryRequest).completed
	mira.store_player_action("promise_kept", "mended the roof")
	say("after_promise", _evaluate(file["line"] as String, mira))
	say("visits", visits)


func _evaluate(text: String, mira: RAGMemory) -> Variant:
	var expression := Expression.new()
	var error := expression.parse(text, ["mira"])
	assert(error == OK, text)
	return expression.execute([mira])
