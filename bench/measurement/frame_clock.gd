extends RefCounted
## Measures what each frame costs the main thread, apart by what happened in it.
##
## A frame sleeps first and is timed from then to the beginning of the next one: what is measured
## holds no waiting, yet the processor's caches are as cold as in a game that waits for its screen.

enum Kind { IDLE, WAITING, CALL, DELIVERY, RELEASE }

## What a frame counts as unless [method note] says more.
var background := Kind.IDLE

var _sleep_usec: int
var _begun_usec := 0
var _kind := Kind.IDLE
var _costs: Array[PackedInt64Array] = []


func _init(tree: SceneTree, sleep_usec: int) -> void:
	_sleep_usec = sleep_usec
	for _kind_index: int in Kind.size():
		_costs.append(PackedInt64Array())
	# Without a screen the engine would sleep at the end of each frame, inside what is measured.
	OS.low_processor_usage_mode_sleep_usec = 0
	tree.process_frame.connect(_begin)


## Says what happens in the present frame.
func note(kind: Kind) -> void:
	_kind = kind


## The cost of every frame of this kind, in microseconds.
func costs_usec(kind: Kind) -> Array:
	return Array(_costs[kind])


func _begin() -> void:
	if _begun_usec > 0:
		_costs[_kind].append(Time.get_ticks_usec() - _begun_usec)
	_kind = background
	if _sleep_usec > 0:
		OS.delay_usec(_sleep_usec)
	_begun_usec = Time.get_ticks_usec()
