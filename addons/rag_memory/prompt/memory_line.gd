extends RefCounted
## Writes a memory as one sanitized line of a prompt.

const RAGCalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")
const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")

## The headings of RAGMemory.retrieve_tiered()'s lists, in their order.
const TIERS: Dictionary[String, String] = {
	"pinned": "tier_pinned", "important": "tier_important", "relevant": "tier_relevant"
}


## The line of a retrieved memory; `text` is its key for the form to use.
static func of(memory: Dictionary, text: String, now: float, config: MemoryConfig) -> String:
	var metadata: Dictionary = memory.get("metadata", {})
	var line := RAGPlayerText.clean(str(memory.get(text, memory.get("document", ""))))
	if metadata.get("superseded_by", ""):
		line = "(%s) %s" % [RAGWording.text(config, "no_longer_holds"), line]
	if not is_finite(now) or not metadata.has("timestamp"):
		return "- " + line
	return "- (%s) %s" % [_age(now - (metadata["timestamp"] as float), config), line]


static func _age(seconds: float, config: MemoryConfig) -> String:
	var days := floori(maxf(0.0, seconds) / RAGCalendarText.seconds_per_day())
	match days:
		0:
			return RAGWording.text(config, "today")
		1:
			return RAGWording.text(config, "yesterday")
		_:
			return RAGWording.text(config, "days_ago", {"count": days})
