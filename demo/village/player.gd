extends Area2D
## The player: Rowan, who walks with keys, stick or mouse. Villagers notice a body with an
## [code]npc_id[/code].

const Map := preload("map.gd")
const Figure := preload("figure.gd")

const SPEED := 170.0

## Whether the player may walk now.
var is_free := true

var _way := PackedVector2Array()

@onready var _map: Map = %Map
@onready var _figure: Figure = $Figure


func _ready() -> void:
	set_meta(&"npc_id", "player")


func _physics_process(delta: float) -> void:
	var before := position
	if is_free and get_viewport().gui_get_focus_owner() == null:
		var wish := Input.get_vector(
			&"village_left", &"village_right", &"village_up", &"village_down"
		)
		if wish != Vector2.ZERO:
			_way.clear()
			_slide(wish * SPEED * delta)
		elif not _way.is_empty():
			position = position.move_toward(_way[0], SPEED * delta)
			if position == _way[0]:
				_way.remove_at(0)
	_figure.is_walking = position != before


## Walks there along the paths.
func walk_to(point: Vector2) -> void:
	_way = _map.route(position, point)


func stop() -> void:
	_way.clear()


# Along a wall when the way is blocked.
func _slide(step: Vector2) -> void:
	for part: Vector2 in [Vector2(step.x, 0.0), Vector2(0.0, step.y)]:
		if not _map.is_blocked(position + part):
			position += part
