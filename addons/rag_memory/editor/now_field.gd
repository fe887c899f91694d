@tool
extends BoxContainer
## Shows what time it is in the open save, and lets the user make it later or earlier.

## The user has chosen another time.
signal edited

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")

var _clock: RAGSaveClock

@onready var moment: Label = %Moment
@onready var later: SpinBox = %Later


func set_up(clock: RAGSaveClock) -> void:
	_clock = clock
	clock.changed.connect(_refresh)
	later.value_changed.connect(_on_value_changed)
	_refresh()


func _refresh() -> void:
	visible = _clock.has_time()
	moment.text = RAGGameTime.text_of(_clock.now())
	later.set_value_no_signal(_clock.days_later)


func _on_value_changed(value: float) -> void:
	_clock.days_later = value
	edited.emit()
