extends PanelContainer
## What the villager feels, who is near, and what she remembers now and why.

const Villager := preload("villager.gd")

const FACTORS: Dictionary[String, String] = {
	"relevance": "it fits what was said",
	"importance": "it mattered",
	"recency": "it is fresh",
	"tier": "it is a turning point",
}
const GOAL := "Goal: four villagers know that you keep a promise, and nothing worse. So far: %d."
## The tier of a memory weighs from 1 (regular) to 3 (pinned).
const MOST_TIER_WEIGHT := 3.0

## How many villagers think well of the player, for the help.
var friends := 0

var _shown: Villager

@onready var _title: Label = %Title
@onready var _role: Label = %Role
@onready var _felt: Control = %Felt
@onready var _mood: Label = %Mood
@onready var _feeling: Label = %Feeling
@onready var _strength: ProgressBar = %Strength
@onready var _near: Label = %Near
@onready var _heading: Label = %Heading
@onready var _keys: Label = %Keys
@onready var _rows: Container = %Rows
@onready var _scroll: ScrollContainer = %Scroll


func show_help() -> void:
	_shown = null
	_title.text = "Thornhaven"
	_role.text = tr("Seven people live here. They remember what you do and say.")
	_role.text += "\n" + tr(GOAL) % friends
	_felt.hide()
	_heading.text = "Keys, mouse and gamepad"
	_empty()
	_keys.show()


## [param near]: names.
func show_villager(villager: Villager, near: Array) -> void:
	if _shown != villager:
		_empty()
	_shown = villager
	var emotion: Dictionary = await villager.mind.get_emotion_async().completed
	var felt: Dictionary = await villager.mind.get_disposition_async("player").completed
	if villager != _shown:
		return
	_title.text = villager.display_name()
	_role.text = villager.personality.role
	_mood.text = tr("Mood: %s") % tr(emotion.get("mood", "unknown"))
	if float(emotion.get("intensity", 0.0)) > 0.0:
		_mood.text += tr(" (%d of 100)") % roundi(emotion["intensity"] as float)
	var strength: float = felt.get("strength", 50.0)
	var feeling := tr(felt.get("feeling", "neutral"))
	_feeling.text = tr("Feels %s towards you: %d of 100") % [feeling, strength]
	_felt.show()
	_strength.value = strength
	_near.text = tr("Near: %s") % (tr(", ").join(near) if near else tr("nobody else"))
	_keys.hide()
	_heading.text = tr("What %s remembers now, and why") % villager.display_name()


## [param memories]: those of an answer of [NPCDialogue] or of
## [method RAGMemory.retrieve_scored].
func show_memories(memories: Array) -> void:
	_empty()
	for memory: Dictionary in memories:
		if not memory.get("protected", false):
			_add_row(memory.get("rendered_text", "") as String, _why(memory))
	if _rows.get_child_count() == 0:
		_add_row("Nothing comes to mind.", "")
	_scroll.scroll_vertical = 0


# The factor that is strongest, each as a share of the most that it can be.
func _why(memory: Dictionary) -> String:
	var breakdown: Dictionary = memory.get("breakdown", {}).duplicate()
	breakdown["tier"] = breakdown.get("tier_weight", 1.0) / MOST_TIER_WEIGHT
	var main := "relevance"
	for factor: String in FACTORS:
		if float(breakdown.get(factor, 0.0)) > float(breakdown.get(main, 0.0)):
			main = factor
	var value: float = breakdown.get(main, 0.0)
	var over := tr(", replaced by a later one") if breakdown.get("supersession", 1.0) < 1.0 else ""
	var score: float = memory.get("score", 0.0)
	var why := [score, tr(FACTORS[main]), tr(main), value, over]
	return tr("score %.2f: %s (%s %.2f)%s") % why


func _empty() -> void:
	for row: Node in _rows.get_children():
		_rows.remove_child(row)
		row.queue_free()


func _add_row(text: String, why: String) -> void:
	for part: Array in [[text, &"Memory"], [why, &"Why"]]:
		if part[0]:
			var label := Label.new()
			label.text = part[0]
			label.theme_type_variation = part[1]
			label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
			_rows.add_child(label)
