extends RefCounted
## The daily schedule of an NPC: the entries of NPCPersonality.schedule.

const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

const HOURS_PER_DAY := 24.0
const RAGCalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")


## The first entry whose hours contain `hour`, as a copy; empty without one.
static func at(schedule: Array[Dictionary], hour: float) -> Dictionary:
	for entry: Dictionary in schedule:
		if _is_hour(entry.get("from")) and _is_hour(entry.get("to")):
			if _contains(
				entry["from"] as float, entry["to"] as float, fposmod(hour, HOURS_PER_DAY)
			):
				return {} if RAGValueLimits.fault_of(entry) else entry.duplicate(true)
	return {}


## The hour of the day, 0 to 24, at a game time in seconds.
static func hour_of(seconds: float) -> float:
	return fposmod(seconds / RAGCalendarText.seconds_per_day(), 1.0) * HOURS_PER_DAY


## Returns what is wrong with the schedule, one sentence each.
static func problems_in(schedule: Array[Dictionary]) -> PackedStringArray:
	var problems := PackedStringArray()
	for index: int in schedule.size():
		for key: String in ["from", "to"]:
			if not _is_hour(schedule[index].get(key)):
				var words := "schedule[%d].%s is no hour from 0 to 24, so the entry is left out."
				problems.append(words % [index, key])
		if not str(schedule[index].get("activity", "")):
			problems.append('schedule[%d] says nothing: set its key "activity".' % index)
	return problems


## From 22 to 6 is over midnight; from 8 to 8 is the whole day.
static func _contains(from: float, to: float, hour: float) -> bool:
	if from < to:
		return hour >= from and hour < to
	return hour >= from or hour < to


static func _is_hour(value: Variant) -> bool:
	return (value is int or value is float) and value >= 0 and value <= HOURS_PER_DAY
