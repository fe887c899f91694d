# An NPC with the script that docs/recipes.md makes of a recipe: res://recipe.gd. Arguments: the
# address in the recipe, and the address of a real server; without the latter a server of ours
# answers with the parts in res://answers.json, one array for each question.
extends "res://tests/engine/scenarios/scenario.gd"

const ScriptedServer := preload("res://tests/engine/language/scripted_server.gd")
const NobodyWhoStandIn := preload("res://tests/engine/documentation/examples/nobodywho_stand_in.gd")

var _npc := Node.new()


func play() -> void:
	var server: ScriptedServer = null
	var address := arguments[1] if arguments.size() > 1 else ""
	if not address:
		var parts: Array = JSON.parse_string(FileAccess.get_file_as_string("res://answers.json"))
		server = ScriptedServer.new(parts)
		address = "http://127.0.0.1:%d" % server.port
	var script := GDScript.new()
	script.source_code = FileAccess.get_file_as_string("res://recipe.gd").replace(
		arguments[0], address
	)
	say("reload", script.reload())
	_add_nodes(script)
	var label: Label = _npc.get_node("Label")
	var dialogue: NPCDialogue = _npc.get_node("RAGMemory/NPCDialogue")
	var answers: Array[Dictionary] = []
	dialogue.finished.connect(answers.append)
	await _npc.call("_on_player_spoke", "Will you mend my roof?")
	var answer := answers[0]
	say("response", answer["response"])
	say("from_memory", answer["from_memory"])
	say("error", answer["error"])
	say("trust_change", (answer["analysis"] as Dictionary).get("trust_change", 0))
	say("label", label.text)
	say("turns", _npc.get_node("RAGMemory").get_turns().size())
	if server != null:
		server.close()
		say("requests", server.requests)


func _add_nodes(script: GDScript) -> void:
	var memory := RAGMemory.new()
	memory.name = "RAGMemory"
	memory.npc_id = "mira"
	_npc.add_child(memory)
	var dialogue := NPCDialogue.new()
	dialogue.name = "NPCDialogue"
	memory.add_child(dialogue)
	for child: Node in [Label.new(), NobodyWhoStandIn.new()]:
		_npc.add_child(child)
	_npc.get_child(1).name = "Label"
	_npc.get_child(2).name = "NobodyWhoChat"
	_npc.set_script(script)
	root.add_child(_npc)
