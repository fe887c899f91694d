extends PanelContainer
## A sheet over the village: the whole prompt of the last answer, or what is still open.

const Day := preload("day.gd")

@onready var _text: RichTextLabel = %Text
@onready var _title: Label = %Title


func _ready() -> void:
	hide()
	(%Close as Button).pressed.connect(hide)


## [param prompt]: of an answer of [NPCDialogue]; empty before the first one.
func show_prompt(prompt: Dictionary) -> void:
	var title := tr("The prompt of the last answer: %d tokens") % prompt.get("total_tokens", 0)
	_show(title, prompt.get("prompt", tr("Talk to somebody first.")) as String)


## What villagers and the player have promised and owe, the most urgent first.
func show_journal() -> void:
	var matters: Array = await MemoryWorld.get_open_matters_async("", "", true).completed
	var lines := PackedStringArray()
	for matter: Dictionary in matters:
		var line := "[%s] %s" % [tr(matter["state"]), matter["text"]]
		# What two villagers have with each other is in the memories of both.
		if matter["since"] >= Day.BEGINNING and line not in lines:
			lines.append(line)
	_show("What is still open, and what was", "\n\n".join(lines))


func _show(title: String, text: String) -> void:
	_title.text = title
	_text.clear()
	_text.add_text(text)
	show()
