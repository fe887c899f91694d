"""The game's time: seconds as floats, counted from wherever the game begins."""

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86400.0
"""Of the clock. What is printed or asked counts the days of the game's calendar instead (CALENDAR)."""
