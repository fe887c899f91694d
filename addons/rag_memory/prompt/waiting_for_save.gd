extends RefCounted
## The flags and events that [NPCWorldKnowledge] and [NPCWorldEvents] got while no save was open, by
## the ids of these objects. The next save that is opened gets them, unless the object was freed.
##
## Every thread may call: the lock is never held while the worker is asked.

static var _lock := Mutex.new()
static var _flags: Dictionary[int, Dictionary] = {}
static var _events: Dictionary[int, Array] = {}
static var _is_connected := false


## Returns whether a save is open, and sends it what waits.
static func is_save_open() -> bool:
	if not MemoryServer.current_save():
		return false
	_lock.lock()
	for flags: Dictionary in _flags.values():
		MemoryWorld.set_flags_async(flags)
	for events: Array in _events.values():
		MemoryWorld.apply_rule_async("events.append_missing", [events])
	_flags.clear()
	_events.clear()
	_lock.unlock()
	return true


static func flags_of(id: int) -> Dictionary:
	_lock.lock()
	var flags: Dictionary = _flags.get(id, {}).duplicate()
	_lock.unlock()
	return flags


static func set_flag(id: int, flag: String, value: Variant) -> void:
	_lock.lock()
	_flags.get_or_add(id, {})[flag] = value
	_lock.unlock()
	_connect_signal()


static func erase_flag(id: int, flag: String) -> void:
	_lock.lock()
	_flags.get(id, {}).erase(flag)
	_lock.unlock()


static func events_of(id: int) -> Array:
	_lock.lock()
	var events: Array = _events.get(id, []).duplicate()
	_lock.unlock()
	return events


## Returns the event's number among those of this object.
static func add_event(id: int, event: Dictionary) -> int:
	_lock.lock()
	var events: Array = _events.get_or_add(id, [])
	var number := events.size()
	events.append(event.duplicate(true))
	_lock.unlock()
	_connect_signal()
	return number


## Forgets what an object has here that is being freed.
static func forget(id: int) -> void:
	if _lock == null:  # the game is quitting
		return
	_lock.lock()
	_flags.erase(id)
	_events.erase(id)
	_lock.unlock()


## On the main thread, which emits the signal: elsewhere it would be a race.
static func _connect_signal() -> void:
	if OS.get_thread_caller_id() != OS.get_main_thread_id():
		_connect_signal.call_deferred()
	elif not _is_connected:
		_is_connected = true
		MemoryWorld.world_changed.connect(is_save_open)
