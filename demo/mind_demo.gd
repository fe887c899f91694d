extends Node
## A week in Thornhaven: Rowan insults Bjorn, helps Greta and robs Varn, headless. Prints how what
## they feel changes from day to day, what they conclude, and what a language model would be told
## when two of them are spoken to at once. Exit code 0 when it went through.

const RecallReport := preload("recall_report.gd")

const SAVE_ID := "demo_mind"
const EVENTS_FILE := "res://demo/mind_events.json"
const ROWAN := {"source_id": "rowan", "source_name": "Rowan"}
const LENA := {"source_id": "lena", "source_name": "Lena"}
const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0
const DAYS := 7

var _now := 0.0


func _ready() -> void:
	var problem: String = await _run()
	if not problem.is_empty():
		printerr("\nThe demo stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run() -> String:
	MemoryServer.set_clock(func() -> float: return _now)
	var saves: PackedStringArray = await MemoryServer.list_saves_async().completed
	if SAVE_ID in saves:
		await MemoryServer.delete_save_async(SAVE_ID).completed
	var opening: MemoryRequest = MemoryServer.open_save_async(SAVE_ID)
	await opening.completed
	if not opening.get_error().is_empty():
		return opening.get_error()
	var file := FileAccess.open(EVENTS_FILE, FileAccess.READ)
	var events: Array = JSON.parse_string(file.get_as_text())
	for day: int in range(1, DAYS + 1):
		RecallReport.print_heading("Day %d" % day)
		for event: Dictionary in events:
			if int(event["day"]) == day:
				var problem: String = await _happens(event)
				if not problem.is_empty():
					return problem
		_now = (day + 1) * SECONDS_PER_DAY
		for mind: NPCMind in _minds():
			var reflecting: MemoryRequest = mind.reflect_async()
			for id: String in await reflecting.completed:
				var insight: Dictionary = _memory_of(mind).get_memory(id)
				print("%s concludes: %s" % [_name_of(mind), insight["document"]])
	_print_week()
	await _print_prompts()
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()


func _happens(event: Dictionary) -> String:
	_now = int(event["day"]) * SECONDS_PER_DAY + float(event["hour"]) * SECONDS_PER_HOUR
	var mind: NPCMind = get_node("%s/Mind" % event["who"])
	var told: Dictionary = event.duplicate()
	for key: String in ["day", "hour", "who", "by"]:
		told.erase(key)
	told.merge(LENA if event["by"] == "lena" else ROWAN)
	var request: MemoryRequest = mind.perceive_async(told)
	var felt: Dictionary = await request.completed
	if not request.get_error().is_empty():
		return request.get_error()
	RecallReport.print_wrapped("%02d:00  %s" % [int(event["hour"]), event["description"]], "")
	print(
		(
			"       %s: %+d, %s towards %s (%d), %s; %s"
			% [
				_name_of(mind),
				felt["sentiment"],
				felt["disposition"]["feeling"],
				felt["disposition"]["name"],
				felt["disposition"]["strength"],
				felt["emotion"]["mood"],
				"remembered" if felt["memory_id"] else "not remembered"
			]
		)
	)
	return ""


func _print_week() -> void:
	RecallReport.print_heading("After a week")
	for mind: NPCMind in _minds():
		for felt: Dictionary in mind.get_dispositions().values():
			print(
				(
					"%-6s feels %s towards %s (%d of 100): %s"
					% [
						_name_of(mind),
						felt["feeling"],
						felt["name"],
						felt["strength"],
						felt["reason"]
					]
				)
			)


func _print_prompts() -> void:
	var greta: NPCMind = $Greta/Mind
	for listeners: PackedStringArray in [
		PackedStringArray(["rowan"]), PackedStringArray(["rowan", "lena"])
	]:
		RecallReport.print_heading("Greta speaks to %s" % " and ".join(listeners))
		var request: MemoryRequest = greta.build_listener_context_async(
			listeners, "Rowan asks who stole the silver."
		)
		var context: Dictionary = await request.completed
		print(context["text"])


func _minds() -> Array[NPCMind]:
	return [$Bjorn/Mind, $Greta/Mind, $Varn/Mind]


func _memory_of(mind: NPCMind) -> RAGMemory:
	return mind.get_parent()


func _name_of(mind: NPCMind) -> String:
	return mind.get_parent().name
