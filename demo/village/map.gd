extends Node2D
## The village: what is drawn, where one can walk, and where the places are that people go to.

const SIZE := Vector2(880, 450)
const GRASS := Color("83a85f")
const MEADOW := Color("769b55")
const PATH := Color("d8c390")
const STONE := Color("b9b2a3")
const WATER := Color("6fa3bd")
const WALL := Color("ead9b5")
const TIMBER := Color("6b4a35")
const LEAVES := Color("557d41")
const INK := Color("3a2c22")
const LAMP := Color("ffd27a")
const RIVER_TOP := 432.0
const BODY := 10.0

## Each with a name, its place (Rect2) and the color of its roof.
@export var houses: Array[Dictionary] = []
@export var trees: Array[Vector2] = []
@export var linden := Vector2(240, 262)
@export var well := Vector2(500, 292)
@export var wheel := Vector2(228, 414)
## Where people stand, by what their day calls the place.
@export var spots: Dictionary[String, PackedVector2Array] = {}
## Who is there is out of sight.
@export var beds: Dictionary[String, Vector2] = {}
@export var crossings: Array[Vector2] = []
## From which crossing to which the paths lead.
@export var paths: Array[Vector2i] = []

var _ways := AStar2D.new()


func _ready() -> void:
	for places: Dictionary in [spots, beds]:
		for place: String in places.keys():
			places[tr(place)] = places[place]
	for index: int in crossings.size():
		_ways.add_point(index, crossings[index])
	for path: Vector2i in paths:
		_ways.connect_points(path.x, path.y)


## Where somebody stands at a place. [param number]: so that two do not stand on each other.
func spot(location: String, number: int) -> Vector2:
	if beds.has(location):
		return beds[location]
	var free := spots.get(location, spots["the well"]) as PackedVector2Array
	return free[number % free.size()]


## The points that lead from one place to another, around the houses.
func route(from: Vector2, to: Vector2) -> PackedVector2Array:
	if _is_straight(from, to):
		return [to]
	var first := _ways.get_closest_point(from)
	var way := _ways.get_point_path(first, _ways.get_closest_point(to))
	way.append(to)
	return way


func is_blocked(point: Vector2) -> bool:
	var ground := Rect2(0.0, 0.0, SIZE.x, RIVER_TOP + 4.0).grow(-BODY)
	if not ground.has_point(point) or point.distance_to(well) < 26.0:
		return true
	for house: Dictionary in houses:
		if (house["place"] as Rect2).grow(BODY).has_point(point):
			return true
	return false


func _is_straight(from: Vector2, to: Vector2) -> bool:
	var steps := int(from.distance_to(to) / BODY) + 1
	for step: int in steps:
		if is_blocked(from.lerp(to, float(step) / steps)):
			return false
	return true


func _draw() -> void:
	draw_rect(Rect2(Vector2.ZERO, SIZE), GRASS)
	for index: int in 90:
		var tuft := Vector2((index * 197) % 880, (index * 131) % 430)
		draw_line(tuft, tuft + Vector2(3, -5), MEADOW, 2.0)
		draw_line(tuft, tuft + Vector2(-3, -5), MEADOW, 2.0)
	draw_rect(Rect2(596, 372, 240, 50), Color("b79a5b"))
	for row: int in 6:
		var y := 377.0 + row * 8.0
		draw_line(Vector2(596, y), Vector2(836, y), Color("cdb673"), 3.0)
	for path: Vector2i in paths:
		draw_line(crossings[path.x], crossings[path.y], PATH, 26.0)
	for crossing: Vector2 in crossings:
		draw_circle(crossing, 13.0, PATH)
	var yard := StyleBoxFlat.new()
	yard.bg_color = PATH.lightened(0.12)
	yard.set_corner_radius_all(24)
	draw_style_box(yard, Rect2(312, 104, 256, 126))
	draw_circle(well, 56.0, STONE.lightened(0.2))
	draw_rect(Rect2(0, RIVER_TOP, SIZE.x, SIZE.y - RIVER_TOP), WATER)
	for index: int in 22:
		var ripple := Vector2(index * 42.0 + 8.0, RIVER_TOP + 6.0 + (index % 3) * 4.0)
		draw_line(ripple, ripple + Vector2(18, 0), WATER.lightened(0.3), 2.0)
	_draw_well()
	for house: Dictionary in houses:
		_draw_house(house["place"] as Rect2, house["roof"] as Color, tr(house["name"]))
	draw_arc(wheel, 20.0, 0.0, TAU, 24, TIMBER, 4.0)
	for spoke: int in 8:
		draw_line(wheel, wheel + Vector2.from_angle(spoke * TAU / 8.0) * 24.0, TIMBER, 3.0)
	for tree: Vector2 in trees:
		_draw_tree(tree, 16.0)
	_draw_tree(linden, 26.0)


func _draw_house(place: Rect2, roof: Color, title: String) -> void:
	draw_rect(Rect2(place.position + Vector2(6, 8), place.size), Color(0, 0, 0, 0.18))
	draw_rect(place, WALL)
	draw_rect(place, TIMBER, false, 3.0)
	var eaves := place.position.y + 34.0
	var top := place.position.y - 14.0
	var left := place.position.x - 8.0
	var right := place.end.x + 8.0
	draw_rect(Rect2(right - 44.0, top - 8.0, 14.0, 22.0), STONE.darkened(0.25))
	var ridge := [Vector2(left + 16, top), Vector2(right - 16, top)]
	draw_colored_polygon([ridge[0], ridge[1], Vector2(right, eaves), Vector2(left, eaves)], roof)
	draw_line(Vector2(left, eaves), Vector2(right, eaves), roof.darkened(0.35), 3.0)
	for row: int in 3:
		var y := top + 11.0 + row * 12.0
		draw_line(Vector2(left + 12, y), Vector2(right - 12, y), roof.darkened(0.12), 1.5)
	var middle := place.get_center().x
	draw_rect(Rect2(middle - 11, place.end.y - 32, 22, 32), TIMBER)
	draw_circle(Vector2(middle + 6, place.end.y - 15), 2.0, LAMP)
	for window: Rect2 in windows_of(place):
		draw_rect(window, Color("7d8f99"))
		draw_rect(window, TIMBER, false, 2.0)
	var font := ThemeDB.fallback_font
	var width := font.get_string_size(title, HORIZONTAL_ALIGNMENT_LEFT, -1, 14).x
	var sign := Rect2(middle - width / 2.0 - 8.0, place.position.y + 2.0, width + 16.0, 22.0)
	draw_rect(sign, Color("f4e8cb"))
	draw_rect(sign, TIMBER, false, 2.0)
	var base := sign.position + Vector2(8, 16)
	draw_string(font, base, title, HORIZONTAL_ALIGNMENT_LEFT, -1, 14, INK)


static func windows_of(place: Rect2) -> Array[Rect2]:
	var y := place.end.y - 32.0
	var middle := place.get_center().x
	return [Rect2(middle - 48, y, 20, 18), Rect2(middle + 28, y, 20, 18)]


func _draw_well() -> void:
	draw_circle(well, 22.0, STONE.darkened(0.25))
	draw_circle(well, 15.0, WATER.darkened(0.45))
	draw_line(well + Vector2(-20, 4), well + Vector2(-20, -32), TIMBER, 4.0)
	draw_line(well + Vector2(20, 4), well + Vector2(20, -32), TIMBER, 4.0)
	var roof := [Vector2(-28, -30), Vector2(0, -48), Vector2(28, -30)]
	draw_colored_polygon(roof.map(func(corner: Vector2) -> Vector2: return well + corner), TIMBER)


func _draw_tree(foot: Vector2, crown: float) -> void:
	draw_circle(foot + Vector2(3, 3), crown * 0.8, Color(0, 0, 0, 0.14))
	draw_rect(Rect2(foot.x - 3, foot.y - crown * 0.8, 6, crown), TIMBER)
	for leaf: Vector2 in [Vector2(-0.5, -1.2), Vector2(0.5, -1.2), Vector2(0, -1.8)]:
		draw_circle(foot + leaf * crown, crown * 0.72, LEAVES)
	draw_circle(foot + Vector2(-0.2, -1.8) * crown, crown * 0.35, LEAVES.lightened(0.14))
