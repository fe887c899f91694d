extends RefCounted
## How an NPC behaves to somebody she stands to in this way: the section guidance of a prompt.

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
