extends RefCounted
## Days and dates of [member MemoryServer.calendar], as the core writes them
## (python/rag_memory/config/calendar.py).

const SECONDS_PER_DAY := 86400.0
const _HOURS_PER_DAY := 24.0
const _MINUTES_PER_DAY := 24 * 60


## Returns how many seconds of the game's clock a day has.
static func seconds_per_day() -> float:
	var calendar := MemoryServer.calendar
	return SECONDS_PER_DAY if calendar == null else maxf(calendar.seconds_per_day, 1.0)


## The hour of the day, 0 to 24, at a game time in seconds.
static func hour_of(seconds: float) -> float:
	return fposmod(seconds / seconds_per_day(), 1.0) * _HOURS_PER_DAY


## A moment in a calendar: its date and its time.
static func text_of(calendar: MemoryCalendar, seconds: float) -> String:
	var length := maxf(calendar.seconds_per_day, 1.0)
	var day := floori(seconds / length)
	var minutes := int((seconds / length - day) * _MINUTES_PER_DAY + 1e-6)
	var date := _pattern_of(calendar).format(_values_of(calendar, day))
	return "%s, %02d:%02d" % [date, minutes / 60, minutes % 60]


static func _pattern_of(calendar: MemoryCalendar) -> String:
	if calendar.date_format:
		return calendar.date_format
	return "{day} {month}, year {year}" if calendar.month_names else "day {day_number}"


static func _values_of(calendar: MemoryCalendar, day: int) -> Dictionary[String, Variant]:
	var weekdays := calendar.weekday_names
	var values: Dictionary[String, Variant] = {
		"day_number": day + calendar.first_day_number, "weekday": "", "season": ""
	}
	if weekdays:
		values["weekday"] = weekdays[posmod(day + calendar.first_weekday - 1, weekdays.size())]
	var lengths := _month_lengths(calendar)
	var year_days: int = lengths.reduce(func(sum: int, days: int) -> int: return sum + days, 0)
	if year_days <= 0:
		return values
	var day_of_year := posmod(day + calendar.first_day_of_year - 1, year_days)
	var year := (day + calendar.first_day_of_year - 1 - day_of_year) / year_days
	values["year"] = calendar.first_year + year
	values["season"] = _season_of(calendar, day_of_year, year_days)
	var month := 0
	while day_of_year >= lengths[month]:
		day_of_year -= lengths[month]
		month += 1
	values["day"] = day_of_year + 1
	values["month"] = calendar.month_names[month]
	values["month_number"] = month + 1
	return values


static func _month_lengths(calendar: MemoryCalendar) -> Array[int]:
	var lengths: Array[int] = []
	for month in calendar.month_names.size():
		lengths.append(calendar.month_days[month if calendar.month_days.size() > 1 else 0])
	return lengths


static func _season_of(calendar: MemoryCalendar, day_of_year: int, year_days: int) -> String:
	var names := calendar.season_names
	if not names:
		return ""
	var season := names.size() - 1
	for number in names.size():
		var start := roundi(float(number) * year_days / names.size())
		if calendar.season_starts:
			start = calendar.season_starts[number] - 1
		if start <= day_of_year:
			season = number
	return names[season]
