# Runs typed and untyped.
# Runs without the model.
# A week of play: what NPCs feel comes back exactly from saves, snapshots, rollbacks and files.
extends "res://tests/engine/case.gd"

const DAY := 86400.0
const NAMES: Array[String] = ["mira", "tom", "lena"]
const WHO: Array[String] = ["rowan", "kael", "aria"]
const ACTIONS: Array[String] = [
	"helped", "attacked", "gifted", "spoke", "waved", "traded", "insulted"
]

var _now := 0.0
var _minds: Dictionary = {}


func _clock() -> float:
	return _now


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


# Opens a save of its own and gives every NPC a mind.
func _begin(save_id: String, is_persistent := true) -> void:
	_now = 1000000.0
	MemoryServer.set_clock(_clock)
	check_equal(MemoryServer.open_save(save_id), OK)
	_minds = {}
	for npc_id: String in NAMES:
		var memory: RAGMemory = make_memory(npc_id)
		memory.persistent = is_persistent
		var mind: NPCMind = NPCMind.new()
		mind.config = NPCMindConfig.new()
		mind.config.auto_reflect = false
		mind.config.disposition_half_life_days = 3.0
		mind.config.emotion_seconds = 2.0 * DAY
		mind.config.kept_interactions = 60
		memory.add_child(mind)
		_minds[npc_id] = mind


func _play(days: int, seed_of_days: int) -> void:
	var random: RandomNumberGenerator = RandomNumberGenerator.new()
	random.seed = seed_of_days
	for day: int in days:
		for npc_id: String in NAMES:
			var mind: NPCMind = _minds[npc_id]
			for time: int in 12:
				_now += random.randf_range(10.0, DAY / 40.0)
				var who: String = WHO[random.randi() % WHO.size()]
				var action: String = ACTIONS[random.randi() % ACTIONS.size()]
				var event: Dictionary = {"action": action, "source_id": who, "location": "mill"}
				event["content"] = "Day %d, hour %d." % [day, time]
				event["secret"] = random.randi() % 5 == 0
				check(not mind.perceive(event).is_empty(), "not perceived")
			mind.reflect(day % 2 == 0)
		_minds["mira"].learn_fact("Day %d was long." % day)
		_minds["tom"].adjust_disposition("aria", random.randf_range(-20.0, 20.0), "a whim")
		_minds["lena"].feel("wistful", random.randf_range(1.0, 99.0), "autumn", DAY)


func _state_of(mind: NPCMind) -> Dictionary:
	var memory: RAGMemory = mind.get_parent()
	return {
		"dispositions": mind.get_dispositions(),
		"emotion": mind.get_emotion(),
		"interactions": mind.get_interactions("", 1000),
		"importance": mind.get_importance_since_reflection(),
		"facts": _as_stored(mind.get_facts()),
		"memories": _as_stored(memory.get_recent(1000, 0)),
		"context": mind.build_listener_context(WHO, "the mill"),
		"exported": memory.export_json(),
	}


# Looking at a state recalls memories, which is no part of it.
func _as_stored(memories: Array[Dictionary]) -> Array[Dictionary]:
	for each: Dictionary in memories:
		(each["metadata"] as Dictionary).erase("last_accessed")
	return memories


func _state() -> Dictionary:
	var state: Dictionary = {}
	for npc_id: String in NAMES:
		state[npc_id] = _state_of(_minds[npc_id])
	return state


func _check_same(state: Dictionary, expected: Dictionary, message: String) -> void:
	for npc_id: String in expected:
		for part: String in expected[npc_id]:
			check_equal(
				state[npc_id][part],
				expected[npc_id][part],
				"%s: %s of %s" % [message, part, npc_id]
			)


func test_a_week_comes_back_from_the_save() -> void:
	_begin("week of saves")
	_play(7, 1)
	var before: Dictionary = _state()
	check(before["mira"].facts.size() > 7, "favours are facts")
	check(before["mira"].emotion.mood != "neutral", "a mood lasts")
	check(before["mira"].dispositions.size() == 3, "three are known")
	MemoryServer.close_save()
	check_equal(MemoryServer.open_save("week of saves"), OK)
	_check_same(_state(), before, "opened again")
	_play(1, 2)
	MemoryServer.close_save()
	check_equal(MemoryServer.delete_save("week of saves"), OK)
	check_equal(MemoryServer.open_save("week of saves"), OK)
	check_equal(_minds["mira"].get_dispositions(), {})
	check_equal(_minds["mira"].get_emotion().mood, "neutral")
	check_equal(_minds["mira"].get_importance_since_reflection(), 0.0)


func test_a_snapshot_has_the_old_feelings() -> void:
	_begin("week of snapshots")
	_play(3, 3)
	var before: Dictionary = _state()
	var moment: float = _now
	check_equal(MemoryServer.snapshot("third day"), OK)
	_play(4, 4)
	var after: Dictionary = _state()
	check_equal(MemoryServer.snapshot("seventh day"), OK)
	var later: float = _now
	for round: int in 2:
		_now = moment
		check_equal(MemoryServer.restore("third day"), OK)
		_check_same(_state(), before, "restored")
		_now = later
		check_equal(MemoryServer.restore("seventh day"), OK)
		_check_same(_state(), after, "restored to the end")
	# Others may have come since.
	var stranger: RAGMemory = make_memory("stranger")
	var mind: NPCMind = NPCMind.new()
	stranger.add_child(mind)
	mind.perceive({"action": "gifted", "source_id": "rowan"})
	_now = moment
	check_equal(MemoryServer.restore("third day"), OK)
	check_equal(mind.get_dispositions(), {})
	check_equal(mind.get_emotion().mood, "neutral")
	mind.perceive({"action": "attacked", "source_id": "rowan"})
	_check_same(_state(), before, "with a stranger")


func test_a_rollback_brings_each_evening_back() -> void:
	_begin("week of rollbacks")
	var evenings: Array[Dictionary] = []
	var moments: Array[float] = []
	for day: int in 3:
		_play(1, 10 + day)
		evenings.append(_state())
		moments.append(_now)
		_now += 1.0
	for day: int in [1, 0]:
		MemoryServer.rollback_to(moments[day])
		_now = moments[day]
		_check_same(_state(), evenings[day], "evening %d" % day)
	MemoryServer.rollback_to(0.0)
	check_equal(_minds["tom"].get_dispositions(), {})
	check_equal(_minds["tom"].get_interactions(), [] as Array[Dictionary])


func test_what_is_not_persistent_ends_with_the_save() -> void:
	_begin("week of nothing", false)
	_play(2, 5)
	check(not _minds["mira"].get_dispositions().is_empty(), "nothing felt")
	var before: Dictionary = _state()
	_check_same(_state(), before, "asked again")
	_minds["mira"].get_parent().persistent = true
	check_equal(_minds["mira"].get_dispositions(), {})


func test_feelings_go_from_save_to_save_as_json() -> void:
	_begin("week of origin")
	_play(7, 6)
	var before: Dictionary = _state()
	check_equal(MemoryServer.open_save("week of another"), OK)
	for npc_id: String in NAMES:
		check_equal(_minds[npc_id].get_dispositions(), {})
		var memory: RAGMemory = _minds[npc_id].get_parent()
		var text: String = before[npc_id].exported
		check(memory.import_json(text) > 0, "nothing came")
		for part: String in ["dispositions", "emotion", "interactions", "importance", "facts"]:
			check_equal(
				_state_of(_minds[npc_id])[part], before[npc_id][part], "%s of %s" % [part, npc_id]
			)
		check_equal(memory.import_json(text), 0)
		_minds[npc_id].perceive({"action": "gifted", "source_id": "bard"})
		check_equal(_minds[npc_id].get_disposition("bard").strength, 70.0)
		# Godot's JSON has no ints.
		var through_godot: String = JSON.stringify(JSON.parse_string(text))
		var other: RAGMemory = make_memory("copy of " + npc_id)
		check(other.import_json(through_godot) > 0, "nothing came")


func test_many_interactions_are_pruned_and_no_feeling_is_lost() -> void:
	_begin("week of waving")
	var mind: NPCMind = _minds["mira"]
	mind.perceive({"action": "gifted", "source_id": "early", "source_name": "Early Bird"})
	mind.reflect(true)
	var importance: float = mind.get_importance_since_reflection()
	for number: int in 600:
		mind.perceive({"action": "waved", "content": str(number), "source_id": "rowan"})
	check_equal(mind.get_interactions("early"), [] as Array[Dictionary])
	check(mind.get_interactions("", 1000).size() in range(60, 112), "kept")
	check_equal(mind.get_disposition("early").name, "Early Bird")
	check_equal(mind.get_disposition("early").strength, 70.0)
	check_equal(mind.get_importance_since_reflection(), importance)
	MemoryServer.close_save()
	check_equal(MemoryServer.open_save("week of waving"), OK)
	check_equal(mind.get_disposition("early").strength, 70.0)
	check_equal(mind.get_parent().get_memory_count(), 1)
