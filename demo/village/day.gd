extends Node
## The clock of the game. The memories of the villagers are dated by it.

## Emitted when time was skipped, and everybody is where they are at the new hour.
signal skipped

const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0
const GAME_SECONDS_PER_SECOND := 60.0
## The memories of the villagers reach back five weeks.
const BEGINNING := 36 * SECONDS_PER_DAY + 9 * SECONDS_PER_HOUR

## The light from midnight to midnight.
@export var light_of_day: Gradient

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
	return tr("Day %d, %02d:%02d") % [int(now / SECONDS_PER_DAY), int(hour()), minutes]


func light() -> Color:
	return light_of_day.sample(hour() / 24.0)


## From 0 by day to 1 at night.
func darkness() -> float:
	var night := light_of_day.sample(0.0).get_luminance()
	return clampf((1.0 - light().get_luminance()) / (1.0 - night), 0.0, 1.0)
