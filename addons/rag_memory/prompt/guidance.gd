extends RefCounted
## The section guidance of a prompt: how the NPC behaves, by the status of a relationship.

const RAGEnglish := preload("res://addons/rag_memory/prompt/english.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")


static func of(relationship: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var lines := PackedStringArray()
	if not relationship.get("met", true):
		lines.append(RAGWording.text(config, "guidance_stranger"))
	var by_status := "guidance_%s" % relationship.get("status", "")
	if RAGEnglish.SENTENCES.has(by_status):
		lines.append(RAGWording.text(config, by_status))
	lines.append(RAGWording.text(config, "guidance_always"))
	return lines
