# How the console writes game times: as a script of the game says them, or as dates, or as days.
extends "res://tests/engine/case.gd"

const GameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const FORMATTER := "res://tests/engine/console/calendar.gd"


func _after() -> void:
	ProjectSettings.set_setting(GameTime.SETTING, null)
	MemoryServer.set_clock(Callable())


func test_seconds_since_the_game_began_are_days() -> void:
	check_equal(GameTime.text_of(5_132_160.0), "day 59, 09:36")
	check_equal(GameTime.text_of(0.0), "day 0, 00:00")
	check_equal(GameTime.text_of(86_399.9), "day 0, 23:59")
	check_equal(GameTime.text_of(86_400.0), "day 1, 00:00")
	check_equal(GameTime.text_of(800.0 * 86_400.0), "day 800, 00:00", "a game of some years")
	check_equal(GameTime.text_of(-3600.0), "day -1, 23:00")
	check_equal(GameTime.text_of(1e12), "day 11574074, 01:46", "no calendar has it")


func test_real_time_is_a_date() -> void:
	check_equal(GameTime.text_of(1_702_500_000.0), "2023-12-13 20:40")
	check_equal(GameTime.text_of(946_684_800.0), "2000-01-01 00:00")


func test_a_script_of_the_game_says_it() -> void:
	ProjectSettings.set_setting(GameTime.SETTING, FORMATTER)
	check_equal(GameTime.text_of(5_132_160.0), "the 60th of Frostfall, 9 bells")
	_after()


func test_the_console_shows_the_games_calendar() -> void:
	ProjectSettings.set_setting(GameTime.SETTING, FORMATTER)
	MemoryServer.set_clock(func() -> float: return 5_132_160.0)
	var memory := make_memory("calendar_npc")
	var console: MemoryDebugConsole = (
		preload("res://addons/rag_memory/debug/memory_debug_console.tscn").instantiate()
	)
	console.only_in_debug_builds = false
	add_child(console)
	await console.run_command("npc calendar_npc")
	memory.store("The frost came early.", 6)
	await console.run_command("list")
	check_contains(
		console.get_text(), "#1 regular, importance 6, general, the 60th of Frostfall, 9 bells"
	)
	await console.run_command("show #1")
	check_contains(console.get_text(), "Game time: the 60th of Frostfall, 9 bells")
	_after()


func test_a_script_that_cannot_say_it_is_told_once() -> void:
	for path: String in ["res://gone.gd", "res://tests/engine/case.gd"]:
		expect_warning("has no static function format_game_time")
		ProjectSettings.set_setting(GameTime.SETTING, path)
		check_equal(GameTime.text_of(86_400.0), "day 1, 00:00")
		check_equal(GameTime.text_of(86_400.0), "day 1, 00:00")
	_after()
