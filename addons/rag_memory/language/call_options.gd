extends RefCounted
## The messages and options of a call, checked.

const RAGAnswerSchema := preload("res://addons/rag_memory/language/answer_schema.gd")
const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

const _TYPES: Dictionary[String, Array] = {
	"temperature": [TYPE_FLOAT, TYPE_INT],
	"max_tokens": [TYPE_INT],
	"stop": [TYPE_ARRAY, TYPE_PACKED_STRING_ARRAY],
	"seed": [TYPE_INT],
	"json_schema": [TYPE_DICTIONARY],
	"timeout": [TYPE_FLOAT, TYPE_INT],
	"retries": [TYPE_INT],
	"priority": [TYPE_STRING, TYPE_STRING_NAME],
}
const _PRIORITIES: Array[String] = ["dialogue", "background"]
const _ROLES: Array[String] = ["system", "user", "assistant"]
const _LOWEST: Dictionary[String, float] = {
	"temperature": 0.0, "max_tokens": 1.0, "timeout": 0.1, "retries": 0.0
}
## A language model reads less, and a mistake should not be sent over a network.
const _MOST_CHARS := 4 * 1024 * 1024

var problem := ""
## [code]true[/code] if the options cannot be copied.
var is_endless := false
var messages: Array[Dictionary] = []


func _init(given: Array, options: Dictionary) -> void:
	problem = _endless_in(given, options)
	is_endless = not problem.is_empty()
	if is_endless:
		return
	var chars := 0
	for item: Variant in given:
		var message := item as Dictionary if item is Dictionary else {}
		var content: Variant = message.get("content")
		if (
			not str(message.get("role")) in _ROLES
			or not (content is String or content is StringName)
		):
			var form := (
				"{role, content}, the role one of %s, the content a String" % ", ".join(_ROLES)
			)
			problem = "a message has to be %s; this is %s" % [form, str(item).left(100)]
			return
		messages.append({"role": str(message["role"]), "content": str(content)})
		chars += str(content).length()
	if messages.is_empty():
		problem = 'there are no messages: give at least [{role = "user", content = ...}]'
	elif chars > _MOST_CHARS:
		problem = "the messages have %d characters, and at most %d are sent" % [chars, _MOST_CHARS]
	for key: Variant in options:
		_check(key, options[key])


## Returns whether it is an option of NPCLanguageModel.generate_async().
static func is_known(key: Variant) -> bool:
	return _TYPES.has(key)


static func _endless_in(given: Array, options: Dictionary) -> String:
	var fault := RAGValueLimits.fault_of(given)
	if fault:
		return "the list of messages " + fault
	for key: Variant in options:
		fault = RAGValueLimits.fault_of(options[key])
		if fault:
			return "the option %s %s" % [key if key is String else RAGValueLimits.shown(key), fault]
	return ""


func _check(key: Variant, value: Variant) -> void:
	if not _TYPES.has(key):
		problem = (
			"there is no option %s.%s The options are %s"
			% [key, RAGValueLimits.did_you_mean(key, _TYPES.keys()), ", ".join(_TYPES.keys())]
		)
	elif not typeof(value) in (_TYPES[key] as Array):
		var names: Array = (_TYPES[key] as Array).map(type_string)
		problem = "the option %s has to be %s" % [key, " or ".join(names)]
	elif key == "priority" and not str(value) in _PRIORITIES:
		problem = "the option priority is one of %s" % ", ".join(_PRIORITIES)
	elif key == "json_schema" and RAGAnswerSchema.fault_of(value as Dictionary):
		problem = "the option json_schema " + RAGAnswerSchema.fault_of(value as Dictionary)
	elif _LOWEST.has(key) and not (value as float) >= _LOWEST[key]:
		problem = "the option %s is %s, but has to be at least %s" % [key, value, _LOWEST[key]]
