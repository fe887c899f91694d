"""The game's time: seconds as floats, counted from wherever the game begins."""

SECONDS_PER_DAY = 86400.0
