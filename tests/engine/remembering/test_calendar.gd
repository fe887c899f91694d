# The calendar of the game, in everything that says when something was.
extends "res://tests/engine/case.gd"

const GameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const DAY := 86400.0

var _now := 0.0


func _after() -> void:
	MemoryServer.calendar = null
	MemoryServer.set_clock(Callable())


func test_without_a_calendar_days_are_numbered() -> void:
	var memory := _memory_at(30.5)
	memory.store("The castle fell.", 8)
	check_contains(memory.dump_all_memories(), "[day 30, 12:00] ")
	check_contains(memory.export_csv(), "day 30, 12:00")
	check_equal(_dates_of_a_summary(memory), ["day 31"])
	_after()


func test_a_clock_of_real_time_has_real_dates() -> void:
	var memory := _memory_at(0.0)
	memory.store("The castle fell.", 8, {"timestamp": 1_702_500_000.0})
	check_contains(memory.dump_all_memories(), "[2023-12-13 20:40:00] ")
	_after()


func test_dates_are_those_of_the_calendar() -> void:
	MemoryServer.calendar = _four_seasons()
	var memory := _memory_at(112.0 + 28.0 + 4.25)
	memory.store("The castle fell.", 8)
	check_contains(memory.dump_all_memories(), "[5 Summer, year 2, 06:00] ")
	check_contains(memory.export_csv(), "5 Summer, year 2, 06:00")
	check_equal(_dates_of_a_summary(memory), ["6 Summer, year 2"])
	_after()


func test_ages_count_its_weeks_months_and_years() -> void:
	MemoryServer.calendar = _four_seasons()
	var memory := _memory_at(2000.0)
	for age: Array in [
		[6, "6 days ago"],
		[13, "1 week ago"],
		[27, "3 weeks ago"],
		[28, "1 month ago"],
		[111, "3 months ago"],
		[112, "1 year ago"],
		[365, "3 years ago"],
	]:
		var told := {"text": "The castle fell.", "metadata": {"timestamp": _now - age[0] * DAY}}
		check_equal(
			memory.format_memories([told], "dated"),
			PackedStringArray(["[%s] The castle fell." % age[1]])
		)
	_after()


func test_the_dossier_and_the_world_count_its_days() -> void:
	var calendar := _four_seasons()
	calendar.seconds_per_day = 21_600.0
	MemoryServer.calendar = calendar
	var memory := _memory_at(0.0625)
	memory.store("The castle fell.", 8)
	_now = 21_600.0 * 30.25
	check_contains(memory.build_dossier("Did the castle fall?")["text"], "(1 month ago)")
	memory.store_turn("Hello.", "Welcome.")
	check_near(memory.get_turns(1)[0]["day"], 30.25)
	var prompt: String = NPCContextBuilder.build(memory, "Did the castle fall?")["prompt"]
	check_contains(prompt, "(1 month ago) The castle fell.")
	_after()


func test_a_calendar_may_change_in_place() -> void:
	var calendar := _four_seasons()
	MemoryServer.calendar = calendar
	var memory := _memory_at(3.0)
	memory.store("The castle fell.", 8)
	check_contains(memory.dump_all_memories(), "[4 Spring, year 1, 00:00] ")
	calendar.month_names = ["Thaw", "Frost"]
	calendar.date_format = "{day}. {month} {year} ({weekday}, {season}, {day_number})"
	calendar.weekday_names = ["Moonday", "Starday"]
	calendar.season_names = ["dry", "wet"]
	calendar.first_day_number = 1
	check_contains(memory.dump_all_memories(), "[4. Thaw 1 (Starday, dry, 4), 00:00] ")
	check_equal(GameTime.text_of(_now), "4. Thaw 1 (Starday, dry, 4), 00:00", "the console's")
	_after()


func test_the_console_and_listings_write_the_same() -> void:
	var calendar := _four_seasons()
	calendar.month_days = [30, 31, 5, 28]
	calendar.first_day_of_year = 40
	calendar.first_year = 1203
	calendar.season_names = ["Light", "Dark"]
	calendar.season_starts = [11, 70]
	calendar.date_format = "{day} {month} {month_number} {year} {season}"
	MemoryServer.calendar = calendar
	var memory := make_memory("twin")
	MemoryServer.set_clock(func() -> float: return 0.0)
	for day: float in [-1.0, 0.0, 21.0, 22.0, 27.4, 54.999, 55.0, 93.0, 94.0, 1000.7]:
		var id := memory.store("Something on %s." % day, 5, {"timestamp": day * DAY})
		check_contains(memory.dump_all_memories(), "[%s] " % GameTime.text_of(day * DAY), id)
	_after()


func test_what_cannot_be_a_calendar_is_refused() -> void:
	expect_warning("MemoryServer.calendar cannot be set to")
	MemoryServer.calendar = MemoryCalendar.new()
	MemoryServer.set("calendar", MemoryConfig.new())
	check(MemoryServer.calendar is MemoryCalendar, "the former one stays")
	expect_error("month_days has 2 numbers")
	var calendar := _four_seasons()
	MemoryServer.calendar = null
	var memory := _memory_at(3.0)
	memory.store("The castle fell.", 8)
	calendar.month_days = [28, 30]
	MemoryServer.calendar = calendar
	check_contains(memory.dump_all_memories(), "[day 3, 00:00] ")
	_after()


func test_a_table_with_game_times_comes_back_as_it_was() -> void:
	MemoryServer.calendar = _four_seasons()
	var memory := _memory_at(3.0)
	memory.store("The castle fell.", 8)
	var other := make_memory("other")
	check_equal(other.import_csv(memory.export_csv()), 1)
	var metadata: Dictionary = other.get_recent(1)[0]["metadata"]
	check_equal(metadata["timestamp"], 3.0 * DAY)
	check(not metadata.has("game_time"), "it is the timestamp, in words")
	_after()


func test_a_stored_tomorrow_keeps_its_day() -> void:
	var memory := _memory_at(100.5)
	var id := memory.store('The player said: "I will come back tomorrow."', 6)
	_now += 30 * DAY
	var recalled := memory.retrieve_scored("When will I come back?")
	var found := recalled.filter(func(each: Dictionary) -> bool: return each["id"] == id)
	check_contains(found[0]["rendered_text"], "(tomorrow: day 101)")
	check_equal(found[0]["document_full"], 'The player said: "I will come back tomorrow."')
	check_contains(memory.get_memory(id)["rendered_text"], "(tomorrow: day 101)")
	check_contains(memory.build_dossier("When will I come back?")["text"], "(tomorrow: day 101)")
	var prompt: String = NPCContextBuilder.build(memory, "When will I come back?")["prompt"]
	check_contains(prompt, "(tomorrow: day 101)")
	_after()


func test_without_a_model_an_npc_says_the_day_too() -> void:
	var memory := _memory_at(200.5)
	memory.store("The player promised to bring me the medicine tomorrow.", 7)
	_now += 30 * DAY
	var npc := NPCDialogue.new()
	memory.add_child(npc)
	var answer: Dictionary = await npc.say("What did I promise you?").completed
	check_contains(
		answer["response"], "You promised to bring me the medicine tomorrow. (tomorrow: day 201)"
	)
	_after()


func test_so_do_other_words_and_in_the_games_calendar() -> void:
	MemoryServer.calendar = _four_seasons()
	var memory := _memory_at(10.5)
	for said: Array in [
		["The well was poisoned yesterday.", " (yesterday: 10 Spring, year 1)"],
		["The caravan leaves in three days.", " (in three days: 14 Spring, year 1)"],
		["Next week there is a wedding.", " (said on 11 Spring, year 1)"],
		["Das Fest ist morgen.", ""],
		["The market is open every day.", ""],
	]:
		var id := memory.store(said[0], 6)
		check_equal(memory.get_memory(id)["rendered_text"], said[0] + said[1])
	_after()


func test_a_summary_says_the_day_of_each_word() -> void:
	var config := MemoryConfig.new()
	config.consolidation_min_count = 2
	var memory := make_memory("merged")
	memory.config = config
	MemoryServer.set_clock(func() -> float: return _now)
	for day: float in [100.0, 100.2, 100.4]:
		_now = day * DAY
		memory.store_conversation("player", "The market opens tomorrow, on stall %s." % day)
	_now = 140.0 * DAY
	memory.consolidate()
	var summary: Dictionary = memory.get_recent(1)[0]
	check_equal(summary["metadata"]["event_type"], "summary")
	check_contains(summary["document_full"], "(tomorrow: day 101)")
	check_equal(summary["rendered_text"].count("(said on"), 0)
	_after()


func _memory_at(day: float) -> RAGMemory:
	_now = day * DAY
	MemoryServer.set_clock(func() -> float: return _now)
	return make_memory("calendar_%d" % absi(hash(day)))


func _four_seasons() -> MemoryCalendar:
	var calendar := MemoryCalendar.new()
	calendar.month_names = ["Spring", "Summer", "Autumn", "Winter"]
	calendar.month_days = [28]
	return calendar


# Of a summary of conversations that are a day later than now.
func _dates_of_a_summary(memory: RAGMemory) -> Array:
	_now += DAY
	for number in 6:
		memory.store_conversation("player", "The harvest is %d carts of rye." % number)
	_now += 60.0 * DAY
	memory.consolidate()
	for each: Dictionary in memory.get_recent(20):
		if each["metadata"]["event_type"] == "summary":
			return each["metadata"]["dates"]
	return []
