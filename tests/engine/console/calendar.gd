@tool
# A game's own calendar, as the project setting rag_memory/time_formatter names it.
extends RefCounted


static func format_game_time(seconds: float) -> String:
	var day := int(seconds / 86400.0) + 1
	return "the %dth of Frostfall, %d bells" % [day, int(fmod(seconds, 86400.0) / 3600.0)]
