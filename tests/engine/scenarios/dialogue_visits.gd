# Evaluates the expressions of a dialogue file, visit after visit: expressions.json in the project
# has its conditions, what its line inserts, and the mutation of an answer.
extends "res://tests/engine/scenarios/visits.gd"

var _expressions: Dictionary = JSON.parse_string(
	FileAccess.get_file_as_string("res://expressions.json")
)


func visit() -> void:
	var values := {}
	for name: String in ["promise", "roof", "mill", "name"]:
		values[name] = _evaluate(name)
	if values["promise"]:
		values["quote"] = _evaluate("quote")
		_evaluate("mutation")
	say("visit", values)


func _evaluate(name: String) -> Variant:
	var expression := Expression.new()
	var error := expression.parse(_expressions[name] as String, ["NPCs"])
	assert(error == OK, expression.get_error_text())
	return expression.execute([npcs], npcs)
