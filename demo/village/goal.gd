extends Node
## The goal of the game: Mira's pig is gone. Gregor has heard the cart that took it, the villagers
## tell each other of it, and once the player hears of it from Captain Aldric, the pig is found.
##
## The stage and who has heard of the cart are flags of the world, so they are saved, and go back,
## with the memories. Nothing here waits with [code]await[/code]: nothing is left waiting when the
## game ends.

## Emitted with what to do next.
signal changed(text: String)
## Emitted when one villager tells another of the cart.
signal news_spread(teller: Villager, hearer: Villager)

enum Stage { ASK_MIRA, ASK_GREGOR, WAIT, ASK_ALDRIC, FOUND }

const Villager := preload("villager.gd")

const STAGE := "quest.pig"
const HEARD := "quest.pig.heard"
## What to do at each stage.
const TEXTS: Array[String] = [
	"Goal: Mira's pig is gone. Ask her where it is.",
	"Goal: find Mira's pig. Gregor hears every cart that passes his store: ask him.",
	"Goal: Captain Aldric believes no stranger. Wait (F3) until he hears of the cart. So far: %s.",
	"Goal: Captain Aldric has heard of the cart. Ask him where the pig is.",
	"Captain Aldric finds the pig in the old mill, and Mira drinks to you. The end: stay if you like.",
]
const GONE := {
	"id": "pig_gone",
	"summary":
	"Somebody took my pig in the night. Gregor hears every cart that passes his store: ask him.",
	"known_by": {"npc": "mira", "when": "quest.pig < 4"},
}
const CART := {
	"id": "pig_cart",
	"summary":
	"In the night a covered cart passed the store, towards the old mill, and it squealed like a pig.",
	"known_by": {"npc": "gregor"},
}
const FOUND := {
	"id": "pig_found",
	"summary":
	"Captain Aldric found Mira's pig in the old mill, because the player asked about it.",
}
const SECONDS_BETWEEN_TALKS := 4.0

var stage := Stage.ASK_MIRA
## Who knows of the cart, in the order in which they heard of it.
var heard := PackedStringArray()

var _villagers: Dictionary[String, Villager] = {}
var _seconds_left := 0.0


func join(villagers: Array[Villager]) -> void:
	for villager: Villager in villagers:
		_villagers[villager.memory.npc_id] = villager


## A new game: nobody has said anything yet.
func begin() -> void:
	_record(GONE)
	_record(CART)
	_go_on({})


## The saved game: its flags say how far the player was.
func resume() -> void:
	MemoryWorld.get_flags_async().completed.connect(_resume, CONNECT_ONE_SHOT)


## What a villager answers may be news. [param answer]: a result of [method NPCDialogue.say].
func hear(villager: Villager, answer: Dictionary) -> void:
	if not (answer["response"] as String).containsn(tr("pig")):
		return
	for memory: Dictionary in answer["memories"]:
		# Who has heard of an event remembers that: such a memory has an id of its own.
		var event: String = memory["metadata"].get("event_id", memory["id"])
		if event == GONE["id"] and stage == Stage.ASK_MIRA:
			_reach(Stage.ASK_GREGOR)
		elif event == CART["id"] and stage < Stage.WAIT:
			heard = [villager.memory.npc_id]
			_reach(Stage.WAIT)
		elif event == CART["id"] and stage == Stage.ASK_ALDRIC and villager == _villagers["aldric"]:
			_record(FOUND)
			_reach(Stage.FOUND)


## From time to time, somebody who knows of the cart tells somebody near who does not.
func live(delta: float) -> void:
	_seconds_left -= delta
	if _seconds_left > 0.0 or stage < Stage.WAIT:
		return
	_seconds_left = SECONDS_BETWEEN_TALKS
	for teller: String in heard:
		for hearer: String in _villagers[teller].witnesses():
			if hearer not in heard and _villagers[hearer].memory.senses & RAGMemory.HEARING:
				_tell(teller, hearer)
				return


func _tell(teller: String, hearer: String) -> void:
	MemoryWorld.spread_rumor_async(CART["id"] as String, hearer, teller)
	heard.append(hearer)
	_reach(Stage.ASK_ALDRIC if stage == Stage.WAIT and hearer == "aldric" else stage)
	news_spread.emit(_villagers[teller], _villagers[hearer])


## A saved game without the flag may be older than this goal, and nobody knows of the pig in it.
func _resume(flags: Dictionary) -> void:
	if STAGE in flags:
		_go_on(flags)
	else:
		begin()


func _record(event: Dictionary) -> void:
	MemoryWorld.record_event_async(event.merged({"summary": tr(event["summary"])}, true))


func _reach(next: Stage) -> void:
	var flags := {STAGE: next, HEARD: " ".join(heard)}
	MemoryWorld.set_flags_async(flags)
	_go_on(flags)


func _go_on(flags: Dictionary) -> void:
	stage = flags.get(STAGE, Stage.ASK_MIRA)
	heard = (flags.get(HEARD, "") as String).split(" ", false)
	var text := tr(TEXTS[stage])
	if stage == Stage.WAIT:
		var names := Array(heard).map(
			func(id: String) -> String: return _villagers[id].display_name()
		)
		text %= tr(", ").join(PackedStringArray(names))
	changed.emit(text)
