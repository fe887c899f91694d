extends RefCounted
## How an NPC behaves to somebody she stands to in this way: the section guidance of a prompt.

const English := preload("res://addons/rag_memory/prompt/english.gd")
const Wording := preload("res://addons/rag_memory/prompt/wording.gd")


static func of(relationship: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var lines := PackedStringArray()
	if not relationship.get("met", true):
		lines.append(Wording.told(config, "guidance_stranger"))
	var by_status := "guidance_%s" % relationship.get("status", "")
	if English.SENTENCES.has(by_status):
		lines.append(Wording.told(config, by_status))
	lines.append(Wording.told(config, "guidance_always"))
	return lines
