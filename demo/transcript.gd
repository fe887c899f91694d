extends RefCounted
## One conversation in the format of the LoCoMo data set: dated sessions of turns, and questions
## whose evidence is named by the ids of turns.

const MONTHS: Array[String] = [
	"January",
	"February",
	"March",
	"April",
	"May",
	"June",
	"July",
	"August",
	"September",
	"October",
	"November",
	"December",
]

## The id of the NPC who remembers this conversation.
var npc_id := ""
## One memory per turn, in order, each with its dia_id.
var memories: Array[Dictionary] = []
## {question, evidence: [dia_id], category}.
var questions: Array[Dictionary] = []
## Unix time (UTC) of the last session.
var last_session := 0.0
## What is wrong with the record and what to do, or an empty string.
var problem := ""

var _date_format := RegEx.create_from_string(
	"^(\\d{1,2}):(\\d{2}) (am|pm) on (\\d{1,2}) (\\w+), (\\d{4})$"
)


func _init(record: Dictionary, number: int) -> void:
	npc_id = str(record.get("sample_id", "conversation_%d" % number))
	if not record.get("conversation") is Dictionary or not record.get("qa") is Array:
		problem = (
			"Record %d has no `conversation` and `qa`: the file is not in LoCoMo format.\nUse a JSON file"
			+ " with one such conversation, or a list of them."
		)
		problem = problem % number
		return
	var conversation: Dictionary = record["conversation"]
	for session: int in _session_numbers(conversation):
		_read_session(conversation, "session_%d" % session)
	for each: Dictionary in record["qa"]:
		if each.has("question"):
			questions.append(each)
	if memories.is_empty() and problem.is_empty():
		problem = (
			"The conversation %s has no turns.\nCheck its session_1, session_2, ... lists." % npc_id
		)


## Returns the Unix time of a date like "1:56 pm on 8 May, 2023", taken as UTC, or -1.
func parse_date(text: String) -> float:
	var found: RegExMatch = _date_format.search(text.strip_edges())
	if found == null:
		return -1.0
	var month: int = MONTHS.find(found.get_string(5)) + 1
	if month == 0:
		return -1.0
	var hour: int = found.get_string(1).to_int() % 12
	if found.get_string(3) == "pm":
		hour += 12
	var moment: Dictionary[String, int] = {
		"year": found.get_string(6).to_int(),
		"month": month,
		"day": found.get_string(4).to_int(),
		"hour": hour,
		"minute": found.get_string(2).to_int(),
		"second": 0,
	}
	return float(Time.get_unix_time_from_datetime_dict(moment))


func _session_numbers(conversation: Dictionary) -> Array[int]:
	var numbers: Array[int] = []
	for key: String in conversation:
		var number: String = key.trim_prefix("session_")
		if number != key and number.is_valid_int():
			numbers.append(number.to_int())
	numbers.sort()
	return numbers


func _read_session(conversation: Dictionary, session: String) -> void:
	var date: String = str(conversation.get(session + "_date_time", ""))
	var timestamp: float = parse_date(date)
	if timestamp < 0.0:
		problem = (
			'The date of %s in %s is "%s".\nWrite it as in "1:56 pm on 8 May, 2023".'
			% [session, npc_id, date]
		)
		return
	last_session = maxf(last_session, timestamp)
	for turn: Dictionary in conversation[session]:
		if not turn.has_all(["speaker", "dia_id", "text"]):
			problem = (
				"A turn of %s in %s lacks speaker, dia_id or text.\nAdd what is missing: %s"
				% [session, npc_id, turn]
			)
			return
		memories.append(_memory_of(turn, timestamp))


func _memory_of(turn: Dictionary, timestamp: float) -> Dictionary:
	var text: String = '%s said, "%s"' % [turn["speaker"], turn["text"]]
	if turn.get("blip_caption"):
		text += " and shared %s" % turn["blip_caption"]
	return {
		"text": text,
		"event_type": "conversation",
		"participants": [turn["speaker"]],
		"timestamp": timestamp,
		"dia_id": str(turn["dia_id"]),
	}
