extends Node
## The clock of the game. The memories of the villagers are dated by it.

## Emitted when time was skipped, and everybody is where they are at the new hour.
signal skipped

const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0
const GAME_SECONDS_PER_SECOND := 60.0
## The memories of the villagers reach back eight weeks.
const BEGINNING := 57 * SECONDS_PER_DAY + 9 * SECONDS_PER_HOUR
const NIGHT := Color(0.36, 0.42, 0.66)
const DUSK := Color(0.98, 0.78, 0.62)
## Hours and what the light is like then.
const LIGHT: Array[Array] = [
	[0.0, NIGHT],
	[5.0, NIGHT],
	[7.0, DUSK],
	[9.0, Color.WHITE],
	[17.0, Color.WHITE],
	[19.5, DUSK],
	[22.0, NIGHT],
	[24.0, NIGHT],
]

## Seconds of game time.
var now := BEGINNING
var is_running := false


func _process(delta: float) -> void:
	if is_running:
		now += delta * GAME_SECONDS_PER_SECOND


func skip(hours: float) -> void:
	now += hours * SECONDS_PER_HOUR
	skipped.emit()


func hour() -> float:
	return fmod(now, SECONDS_PER_DAY) / SECONDS_PER_HOUR


func date() -> String:
	var minutes := int(fmod(now, SECONDS_PER_HOUR) / 60.0)
	return "Day %d, %02d:%02d" % [int(now / SECONDS_PER_DAY), int(hour()), minutes]


func light() -> Color:
	for index: int in LIGHT.size() - 1:
		var from: float = LIGHT[index][0]
		var to: float = LIGHT[index + 1][0]
		if hour() <= to:
			var before: Color = LIGHT[index][1]
			return before.lerp(LIGHT[index + 1][1] as Color, (hour() - from) / (to - from))
	return NIGHT


## From 0 by day to 1 at night.
func darkness() -> float:
	return clampf((1.0 - light().get_luminance()) / (1.0 - NIGHT.get_luminance()), 0.0, 1.0)
