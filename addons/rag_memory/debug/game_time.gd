@tool
extends RefCounted
## A game time in words, for the editor's panels and the console: as the script of the project
## setting [code]rag_memory/time_formatter[/code] says it, else in [member MemoryServer.calendar],
## else a date, or the day and the hour of a game that counts from its own beginning.

const SETTING := "rag_memory/time_formatter"
const METHOD := &"format_game_time"
const SECONDS_PER_DAY := 86400.0
# Before the year 2000 a time is taken for seconds since the game began, not for a date.
const _FIRST_DATED_SECOND := 946_684_800.0
const _LAST_DATED_SECOND := 253_402_300_799.0

static var _formatter: Script
# The script whose fault was told; it is told once.
static var _reported_path := ""


static func text_of(seconds: float) -> String:
	var path: String = ProjectSettings.get_setting(SETTING, "")
	if not path:
		return _plain(seconds)
	if not _has_formatter(path):
		_tell(path, "has no static function %s(seconds: float) -> String" % METHOD)
		return _plain(seconds)
	var text: Variant = _formatter.call(METHOD, seconds)
	if text is String and text:
		return text
	_tell(path, "gave no String for %s seconds" % seconds)
	return _plain(seconds)


## The longest that the game's script says of a year's days; empty without one.
static func longest_text() -> String:
	var longest := ""
	for day in range(0, 366, 9) if ProjectSettings.get_setting(SETTING, "") else []:
		var text := text_of(day * SECONDS_PER_DAY + 86_399.0)
		if text.length() > longest.length():
			longest = text
	return longest


static func _has_formatter(path: String) -> bool:
	if ResourceLoader.exists(path, "Script"):
		_formatter = load(path) as Script
		return _formatter != null and _formatter.has_method(METHOD)
	return false


static func _tell(path: String, fault: String) -> void:
	if path != _reported_path:
		_reported_path = path
		var script := "%s, the script of the project setting %s" % [path, SETTING]
		push_warning("RAG Memory: %s, %s. Times are shown as days." % [script, fault])


static func _plain(seconds: float) -> String:
	if MemoryServer.calendar != null:
		var moment: Variant = MemoryConfig.new().apply_rule("time.moment", [seconds])
		return moment if moment is String else ""
	if seconds >= _FIRST_DATED_SECOND and seconds <= _LAST_DATED_SECOND:
		return Time.get_datetime_string_from_unix_time(int(seconds), true).left(16)
	var day := floorf(seconds / SECONDS_PER_DAY)
	var minutes := int((seconds - day * SECONDS_PER_DAY) / 60.0)
	return "day %d, %02d:%02d" % [int(day), minutes / 60, minutes % 60]
