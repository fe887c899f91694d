extends RefCounted
## Prints recalled memories for a terminal of 100 columns.

const COLUMNS := 100
const FACTORS: Array[String] = ["tier_weight", "importance", "recency", "relevance", "supersession"]


## Prints each memory: its score and its factors, the form used, when it happened and its text.
## Those whose value under [param key] is in [param expected] are marked with an asterisk.
static func print_memories(memories: Array, key: String, expected: Array) -> void:
	for memory: Dictionary in memories:
		var metadata: Dictionary = memory["metadata"]
		var mark: String = "*" if expected.has(metadata.get(key, "")) else " "
		print("  %s %s  [%s]" % [mark, _score_line(memory), memory["used_form"]])
		print_wrapped(_moment(metadata) + memory["rendered_text"], "      ")


## Prints a heading that fills the width.
static func print_heading(text: String) -> void:
	print("\n== %s %s" % [text, "=".repeat(maxi(0, COLUMNS - text.length() - 4))])


## Prints the text with lines broken between words, each line after [param indent].
static func print_wrapped(text: String, indent: String) -> void:
	var line: String = indent
	for word: String in text.split(" "):
		if line != indent and line.length() + word.length() > COLUMNS:
			print(line.rstrip(" "))
			line = indent
		line += word + " "
	print(line.rstrip(" "))


## Returns the middle value of [param numbers], 0 when there are none.
static func median(numbers: Array[float]) -> float:
	if numbers.is_empty():
		return 0.0
	var ordered: Array[float] = numbers.duplicate()
	ordered.sort()
	var upper: int = ordered.size() >> 1
	var lower: int = (ordered.size() - 1) >> 1
	return (ordered[lower] + ordered[upper]) / 2.0


static func _score_line(memory: Dictionary) -> String:
	if memory["protected"]:
		return "protected: always there, before all others"
	var breakdown: Dictionary = memory["breakdown"]
	var factors: Array[String] = []
	for factor: String in FACTORS:
		factors.append("%s %.2f" % [factor.trim_suffix("_weight"), breakdown[factor]])
	return "%.3f: %s" % [memory["score"], ", ".join(factors)]


static func _moment(metadata: Dictionary) -> String:
	if metadata.get("slot_type") == "relationship_header":
		return ""
	if metadata.has("day"):
		return "day %d, %02d:00: " % [metadata["day"], metadata["hour"]]
	var timestamp: int = int(metadata["timestamp"])
	return Time.get_datetime_string_from_unix_time(timestamp, true).left(16) + ": "
