extends PanelContainer
## A sheet over the village: the whole prompt of the last answer.

@onready var _text: RichTextLabel = %Text
@onready var _title: Label = %Title


func _ready() -> void:
	hide()
	(%Close as Button).pressed.connect(hide)


## [param prompt]: of an answer of [NPCDialogue]; empty before the first one.
func show_prompt(prompt: Dictionary) -> void:
	var title := tr("The prompt of the last answer: %d tokens") % prompt.get("total_tokens", 0)
	_show(title, prompt.get("prompt", tr("Talk to somebody first.")) as String)


func _show(title: String, text: String) -> void:
	_title.text = title
	_text.clear()
	_text.add_text(text)
	show()
