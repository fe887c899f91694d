extends PanelContainer
## The whole prompt of the last answer: what a language model is told.

@onready var _text: RichTextLabel = %Text
@onready var _title: Label = %Title


func _ready() -> void:
	hide()
	(%Close as Button).pressed.connect(hide)


## [param prompt]: of an answer of [NPCDialogue]; empty before the first one.
func show_prompt(prompt: Dictionary) -> void:
	_title.text = "The prompt of the last answer: %d tokens" % prompt.get("total_tokens", 0)
	_text.clear()
	_text.add_text(prompt.get("prompt", "Talk to somebody first.") as String)
	show()
