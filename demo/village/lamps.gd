extends Node2D
## The lit windows of the village at night.

const Map := preload("map.gd")
const RINGS := 14

## From 0 by day to 1 at night.
var darkness := 0.0:
	set(value):
		if not is_equal_approx(darkness, value):
			darkness = value
			queue_redraw()

@onready var _map: Map = %Map


func _draw() -> void:
	for house: Dictionary in _map.houses:
		for window: Rect2 in Map.windows_of(house["place"] as Rect2):
			draw_rect(window.grow(-2.0), Color(Map.LAMP, darkness))
			_draw_glow(window.get_center(), 46.0)
	_draw_glow(Vector2(440, 176), 150.0)


func _draw_glow(middle: Vector2, radius: float) -> void:
	for ring: int in RINGS:
		var share := float(ring + 1) / RINGS
		draw_circle(middle, radius * share, Color(Map.LAMP, 0.022 * darkness))
