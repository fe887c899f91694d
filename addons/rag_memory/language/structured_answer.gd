extends RefCounted
## The JSON object in the answer of a language model, checked against the schema it was asked for.

const _DEEPEST := 32
const _TYPES: Dictionary[String, Array] = {
	"string": [TYPE_STRING],
	"number": [TYPE_FLOAT, TYPE_INT],
	"integer": [TYPE_FLOAT, TYPE_INT],
	"boolean": [TYPE_BOOL],
	"object": [TYPE_DICTIONARY],
	"array": [TYPE_ARRAY],
	"null": [TYPE_NIL],
}

var value: Dictionary = {}
## Why there is no value.
var problem := ""


## `object` is what the worker read in `text`; null when it has no JSON object.
func _init(text: String, object: Variant, schema: Dictionary) -> void:
	if not object is Dictionary:
		problem = "The model answered without the JSON object that was asked for: " + text.left(200)
		return
	var checked: Variant = _checked(object, schema, "the answer", 0)
	if problem.is_empty():
		value = checked


## Returns what is wrong with the types of a schema, in words; nothing when nothing is.
static func fault_of(schema: Dictionary, depth := 0) -> String:
	if depth > _DEEPEST:
		return "is nested too deeply"
	var types: Variant = schema.get("type", [])
	for name: Variant in types if types is Array else [types]:
		if not _TYPES.has(str(name)):
			return "has the type %s, but a type is one of %s" % [name, ", ".join(_TYPES.keys())]
	var parts: Array = [schema.get("items")]
	if schema.get("properties") is Dictionary:
		parts.append_array((schema["properties"] as Dictionary).values())
	for part: Variant in parts:
		var fault := fault_of(part as Dictionary, depth + 1) if part is Dictionary else ""
		if fault:
			return fault
	return ""


## The words that ask for an object of this schema, for models that cannot be made to keep it.
static func wish(schema: Dictionary) -> String:
	return (
		"Answer with one JSON object and nothing else. It has to fit this JSON schema:\n"
		+ JSON.stringify(schema, "", false)
	)


func _checked(given: Variant, schema: Dictionary, where: String, depth: int) -> Variant:
	if depth > _DEEPEST:
		problem = "%s is nested too deeply." % where
		return given
	var types: Variant = schema.get("type", "")
	var names: Array = types if types is Array else [types]
	if not names.any(_fits.bind(given)):
		problem = "The model wrote %s of the wrong type; asked for was %s." % [where, names]
		return given
	var choices: Variant = schema.get("enum")
	if choices is Array and not (choices as Array).any(_is_same.bind(given)):
		problem = "The model wrote %s, which is none of %s." % [where, schema["enum"]]
	if given is Dictionary:
		return _checked_object(given as Dictionary, schema, where, depth)
	if given is Array and schema.get("items") is Dictionary:
		var items: Array = given
		return items.map(
			func(item: Variant) -> Variant:
				return _checked(
					item, schema["items"] as Dictionary, "an item of " + where, depth + 1
				)
		)
	return int(given as float) if names == ["integer"] else given


func _checked_object(
	given: Dictionary, schema: Dictionary, where: String, depth: int
) -> Dictionary:
	for key: Variant in schema.get("required", []):
		if not given.has(key):
			problem = "The model left out %s of %s." % [key, where]
	var properties: Dictionary = schema.get("properties", {})
	for key: String in given:
		if properties.get(key) is Dictionary:
			given[key] = _checked(given[key], properties[key] as Dictionary, key, depth + 1)
	return given


static func _is_same(choice: Variant, given: Variant) -> bool:
	if given is String:
		return (choice is String or choice is StringName) and str(choice) == given
	if given is float:
		return (choice is int or choice is float) and float(choice as float) == given
	return typeof(choice) == typeof(given) and choice == given


static func _fits(name: Variant, given: Variant) -> bool:
	if not _TYPES.has(name):
		return true
	if name == "integer" and given is float and given != floorf(given as float):
		return false
	return typeof(given) in (_TYPES[name] as Array)
