extends Node2D
## The lit windows of the village at night.

const Map := preload("map.gd")
const RINGS := 14

@onready var _map: Map = %Map


func _draw() -> void:
	for house: Dictionary in _map.houses:
		for window: Rect2 in Map.windows_of(house["place"] as Rect2):
			draw_rect(window.grow(-2.0), Map.LAMP)
			_draw_glow(window.get_center(), 46.0)
	_draw_glow(Vector2(440, 176), 150.0)


func _draw_glow(middle: Vector2, radius: float) -> void:
	for ring: int in RINGS:
		var share := float(ring + 1) / RINGS
		draw_circle(middle, radius * share, Color(Map.LAMP, 0.022))
