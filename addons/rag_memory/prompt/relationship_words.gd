extends RefCounted
## The numbers of a relationship in words.

const RAGEnglish := preload("res://addons/rag_memory/prompt/english.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")

## By dimension: from which number on, and the key of the sentence; the largest number first. What
## lies between the extremes of a dimension goes without saying.
const SENTENCES: Dictionary[String, Array] = {
	"trust":
	[
		[90, "trust_with_life"],
		[70, "trust_deeply"],
		[60, "trust_well"],
		[40, ""],
		[20, "trust_warily"],
		[0, "trust_hardly"],
		[-INF, "trust_not"],
	],
	"respect":
	[
		[70, "respect_admired"],
		[50, "respect_well"],
		[0, ""],
		[-40, "respect_little"],
		[-INF, "respect_despised"],
	],
	"affection":
	[
		[80, "affection_dear"],
		[50, "affection_fond"],
		[35, "affection_liked"],
		[-19, ""],
		[-50, "affection_disliked"],
		[-INF, "affection_hated"],
	],
	"fear":
	[
		[75, "fear_terrified"],
		[40, "fear_afraid"],
		[20, "fear_uneasy"],
		[-INF, ""],
	],
	"familiarity":
	[
		[80, "familiarity_family"],
		[60, "familiarity_well"],
		[30, "familiarity_known"],
		[-INF, "familiarity_hardly"],
	],
}


static func of(relationship: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var sentences := PackedStringArray()
	for dimension: String in SENTENCES:
		var value: Variant = relationship.get(dimension)
		if value is int or (value is float and is_finite(value as float)):
			var key := _key(SENTENCES[dimension], value as float)
			if key:
				sentences.append(RAGWording.text(config, key))
	return sentences


## The section guidance of a prompt: how the NPC behaves, by the status of the relationship.
static func guidance(relationship: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var lines := PackedStringArray()
	if not relationship.get("met", true):
		lines.append(RAGWording.text(config, "guidance_stranger"))
	var by_status := "guidance_%s" % relationship.get("status", "")
	if RAGEnglish.SENTENCES.has(by_status):
		lines.append(RAGWording.text(config, by_status))
	lines.append(RAGWording.text(config, "guidance_always"))
	return lines


static func _key(steps: Array, value: float) -> String:
	for step: Array in steps:
		if value >= (step[0] as float):
			return step[1]
	return ""
