extends Node2D
## How a person is drawn.

const SKIN := Color("e9c39b")

@export var coat := Color("3f6c8f")
@export var hair := Color("4a3425")
@export var wears_skirt := false

var is_walking := false
## Somebody whom the player could talk to now.
var is_chosen := false:
	set(value):
		is_chosen = value
		queue_redraw()

var _step := 0.0


func _process(delta: float) -> void:
	if is_walking or _step > 0.0:
		_step = _step + delta * 9.0 if is_walking else 0.0
		queue_redraw()


func _draw() -> void:
	var bob := Vector2(0, -absf(sin(_step)) * 2.0)
	draw_set_transform(Vector2(0, 2), 0.0, Vector2(1.0, 0.45))
	draw_circle(Vector2.ZERO, 12.0, Color(0, 0, 0, 0.22))
	if is_chosen:
		draw_arc(Vector2.ZERO, 17.0, 0.0, TAU, 32, Color("ffe08a"), 3.0)
	draw_set_transform(bob)
	var stride := sin(_step) * 3.0
	draw_line(Vector2(-4, -8), Vector2(-4 + stride, 1), coat.darkened(0.55), 4.0)
	draw_line(Vector2(4, -8), Vector2(4 - stride, 1), coat.darkened(0.55), 4.0)
	var hem := 11.0 if wears_skirt else 8.0
	var body: PackedVector2Array = [
		Vector2(-6, -25), Vector2(6, -25), Vector2(hem, -5), Vector2(-hem, -5)
	]
	draw_colored_polygon(body, coat)
	draw_line(Vector2(-7, -23), Vector2(-10, -12), coat.darkened(0.2), 4.0)
	draw_line(Vector2(7, -23), Vector2(10, -12), coat.darkened(0.2), 4.0)
	draw_circle(Vector2(0, -31), 7.0, SKIN)
	draw_arc(Vector2(0, -32), 6.0, PI, TAU, 16, hair, 4.0)
	draw_circle(Vector2(-2.5, -31), 1.0, Color.BLACK)
	draw_circle(Vector2(2.5, -31), 1.0, Color.BLACK)
