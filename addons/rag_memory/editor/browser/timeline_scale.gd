@tool
extends RefCounted
## The range of time that the timeline shows, and the position of a moment on the screen.

const _STEPS: Array[float] = [
	1.0,
	10.0,
	60.0,
	600.0,
	3600.0,
	6.0 * 3600.0,
	86400.0,
	7.0 * 86400.0,
	30.0 * 86400.0,
	365.0 * 86400.0,
	3650.0 * 86400.0,
]
const _SHORTEST_SECONDS := 1.0

var begin := 0.0
var end := 1.0
## [code]true[/code] if the whole life is shown, also when it grows.
var is_whole := true


## Shows a whole life, with a little room at both ends.
func take_whole(first: float, last: float) -> void:
	var room := maxf((last - first) * 0.02, _SHORTEST_SECONDS)
	begin = first - room
	end = last + room


func x_of(moment: float, plot: Rect2) -> float:
	return plot.position.x + (moment - begin) / (end - begin) * plot.size.x


func zoom(factor: float, x: float, plot: Rect2) -> void:
	var share := clampf((x - plot.position.x) / plot.size.x, 0.0, 1.0)
	var center := lerpf(begin, end, share)
	var length := maxf((end - begin) * factor, _SHORTEST_SECONDS)
	begin = center - length * share
	end = begin + length
	is_whole = false


## Moves the view by pixels.
func move(pixels: float, plot: Rect2) -> void:
	var seconds := pixels / plot.size.x * (end - begin)
	begin += seconds
	end += seconds
	is_whole = false


## Round moments at least so many pixels apart.
func ticks(plot: Rect2, least_pixels: float) -> Array[float]:
	var least := least_pixels / plot.size.x * (end - begin)
	var step := _STEPS[-1]
	for candidate in _STEPS:
		if candidate >= least:
			step = candidate
			break
	step *= maxf(1.0, ceilf(least / step))
	var moments: Array[float] = []
	var moment := ceilf(begin / step) * step
	while moment <= end:
		moments.append(moment)
		moment += step
	return moments
