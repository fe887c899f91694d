extends RefCounted
## The lines of a dossier in the sections of a prompt (RAGMemory.build_dossier).

const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGPromptSection := preload("res://addons/rag_memory/prompt/prompt_section.gd")
## The sections of the dossier that stand in a section of the prompt. The prompt has the turns of a
## conversation by itself.
const PARTS: Dictionary[String, Array] = {
	"identity": ["profile", "backstory"],
	"world_state": ["scene"],
	"world_facts": ["events", "tasks", "lore", "debates"],
	"memories": ["summary", "memories"],
}
## Sections whose parts have headings.
const _HEADED: Array[String] = ["world_facts", "memories"]
const _PERSONALITY: Array[String] = [
	"display_name",
	"role",
	"background",
	"speech_style",
	"traits",
	"values",
	"fears",
	"goals",
]


## The scene that the options of a prompt tell of.
static func scene_of(
	personality: RAGNPCPersonality,
	state: Dictionary,
	location: String,
	listeners: PackedStringArray
) -> Dictionary:
	var scene := {}
	for key: Variant in state:
		scene[str(key)] = state[key]
	if location:
		scene["location"] = location
	if not listeners.is_empty():
		scene["listeners"] = listeners
	var traits := {}
	if personality != null:
		for name: String in _PERSONALITY:
			traits[name] = personality.get(name)
		scene["personality"] = traits
	return scene


## The harmless lines of a section of the prompt, each once, without those of [param known].
static func of(
	dossier: Dictionary, section: String, shown := PackedStringArray()
) -> PackedStringArray:
	var lines := PackedStringArray()
	for part: String in PARTS[section]:
		var parts: PackedStringArray = str(dossier["sections"][part]["text"]).split("\n", false)
		var first := 0 if section in _HEADED else 1
		for index: int in range(first, parts.size()):
			var start := "- " if parts[index].begins_with("- ") else ""
			var line := start + RAGPlayerText.clean(parts[index].substr(start.length()))
			if not line in shown and not line in lines:
				lines.append(line)
	return lines


## The tokens that the lines of a section need, with what stands around them.
static func tokens_of(dossier: Dictionary, section: String, title: String) -> int:
	var enough := RAGPromptSection.new(title, 1 << 20)
	for line: String in of(dossier, section):
		enough.add(line)
	return enough.tokens()
