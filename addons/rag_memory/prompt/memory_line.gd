extends RefCounted
## How a memory is told in a prompt: one harmless line.

const PlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const _LINE := "- (%s) %s"
const _LINE_WITHOUT_AGE := "- %s"
const _SUPERSEDED := "(no longer holds) "
const _TODAY := "today"
const _YESTERDAY := "yesterday"
const _DAYS_AGO := "%d days ago"
const _SECONDS_PER_DAY := 86400.0

## The headings of RAGMemory.retrieve_tiered()'s lists, in their order.
const TIERS: Dictionary[String, String] = {
	"pinned": "What you will never forget:",
	"important": "What matters to you:",
	"relevant": "What you remember of this:",
}


## The line of a retrieved memory; `text` is its key for the form to use.
static func of(memory: Dictionary, text: String, now: float) -> String:
	var metadata: Dictionary = memory.get("metadata", {})
	var told := PlayerText.clean(str(memory.get(text, memory.get("document", ""))))
	if metadata.get("superseded_by", ""):
		told = _SUPERSEDED + told
	if not is_finite(now) or not metadata.has("timestamp"):
		return _LINE_WITHOUT_AGE % told
	return _LINE % [age(now - (metadata["timestamp"] as float)), told]


static func age(seconds: float) -> String:
	var days := floori(maxf(0.0, seconds) / _SECONDS_PER_DAY)
	match days:
		0:
			return _TODAY
		1:
			return _YESTERDAY
		_:
			return _DAYS_AGO % days
