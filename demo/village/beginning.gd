extends RefCounted
## What the villagers remember when a new game begins.

const JsonFile := preload("../json_file.gd")
const MemoryLoader := preload("../memory_loader.gd")
const Company := preload("company.gd")
const Deeds := preload("deeds.gd")
const Language := preload("language.gd")
const Villager := preload("villager.gd")
const Day := preload("day.gd")

const MIRAS_MEMORIES := "res://demo/memories/mira.json"
const OTHER_MEMORIES := "res://demo/memories/village.json"
## Later Mira remembers how Gregor was arrested and Varn caught, whom one meets here.
const LAST_DAY := 35
## How Mira stands to the player after five weeks. The others know him by sight.
const MIRAS_RELATIONSHIP := {
	"trust": 62, "affection": 48, "fear": 12, "respect": 70, "familiarity": 85
}


## Returns what went wrong, or an empty string.
func remember(villagers: Array[Villager]) -> String:
	var of_mira := JsonFile.new(MIRAS_MEMORIES)
	var of_others := JsonFile.new(OTHER_MEMORIES)
	var memories := of_mira.records() + of_others.records()
	if of_mira.problem or of_others.problem:
		return of_mira.problem + of_others.problem
	for villager: Villager in villagers:
		var id := villager.memory.npc_id
		MemoryWorld.register_character_async(id, {"name": villager.display_name()})
		var own: Array[Dictionary] = []
		for each: Dictionary in memories:
			if each.get("npc", "mira") == id and each["day"] <= LAST_DAY and _translate(each):
				own.append(_dated(each))
		var problem := await MemoryLoader.new().store_missing(villager.memory, own, "key")
		if problem:
			return problem
		if id == "mira":
			villager.memory.store_relationship_async("player", MIRAS_RELATIONSHIP)
		for talk: Dictionary in Company.TALKS:
			if talk["to"] == id:
				villager.memory.store_relationship_async(talk["by"], {"met": true})
	return ""


# Puts a memory into the language of the game. False if it has no translation: nobody has it then.
func _translate(memory: Dictionary) -> bool:
	var text: String = memory["text"]
	if Language.chosen.is_empty():
		return true
	memory["text"] = tr(text)
	var people: Array = memory.get("participants", [])
	memory["participants"] = Language.of(people)
	# In English the addon sees it from the words.
	if Deeds.PLAYER in people or "player" in text:
		memory["participants"].append("player")
	memory.erase("topics")
	memory.erase("location")
	return memory["text"] != text


# JSON knows no whole numbers.
func _dated(memory: Dictionary) -> Dictionary:
	memory["timestamp"] = (
		memory["day"] * Day.SECONDS_PER_DAY + memory["hour"] * Day.SECONDS_PER_HOUR
	)
	for whole: String in ["importance", "day", "hour"]:
		memory[whole] = int(memory[whole])
	memory.erase("npc")
	return memory
