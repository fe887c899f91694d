extends RefCounted
## The JSON schema that the answer of a language model has to fit.

const _DEEPEST := 32
const _TYPES: Array[String] = ["string", "number", "integer", "boolean", "object", "array", "null"]


## Returns what is wrong with the types of a schema, in words; nothing when nothing is.
static func fault_of(schema: Dictionary, depth := 0) -> String:
	if depth > _DEEPEST:
		return "is nested too deeply"
	var types: Variant = schema.get("type", [])
	for name: Variant in types if types is Array else [types]:
		if not str(name) in _TYPES:
			return "has the type %s, but a type is one of %s" % [name, ", ".join(_TYPES)]
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
