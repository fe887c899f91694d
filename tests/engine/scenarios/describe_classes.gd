# Says everything ClassDB knows of the addon's classes, and their signatures as GDScript writes
# them.
extends "scenario.gd"

const CLASSES: Array[StringName] = [
	&"MemoryServer",
	&"RAGMemory",
	&"MemoryConfig",
	&"MemoryRequest",
	&"NPCMind",
	&"NPCMindConfig",
	&"MemoryWorldConfig",
	&"MemoryWorld",
	&"NPCDossierConfig",
	&"MemoryEventBus",
	&"MemoryHotCache",
	&"MemoryPostgresStorage",
	&"MemoryCalendar",
]


func play() -> void:
	say("singletons", Engine.has_singleton("MemoryServer") and Engine.has_singleton("MemoryWorld"))
	for name in CLASSES:
		if not ClassDB.class_exists(name):
			continue  # It is of the server part, which not every game has.
		say("base", [name, ClassDB.get_parent_class(name), ClassDB.can_instantiate(name)])
		for method: Dictionary in ClassDB.class_get_method_list(name, true):
			say("method", "%s.%s" % [name, _signature(method)])
		for signal_info: Dictionary in ClassDB.class_get_signal_list(name, true):
			var parameters: Array = signal_info["args"]
			say(
				"signal",
				"%s.%s(%s)" % [name, signal_info["name"], ", ".join(parameters.map(_parameter))]
			)
		for property: Dictionary in ClassDB.class_get_property_list(name, true):
			if not property["usage"] & PROPERTY_USAGE_GROUP:
				say("property", "%s.%s: %s" % [name, property["name"], _type(property)])
		for constant in ClassDB.class_get_integer_constant_list(name, true):
			var value := ClassDB.class_get_integer_constant(name, constant)
			var enumeration := ClassDB.class_get_integer_constant_enum(name, constant, true)
			say("constant", "%s.%s.%s = %d" % [name, enumeration, constant, value])


func _signature(method: Dictionary) -> String:
	var declared: Array = method["args"]
	var defaults: Array = method["default_args"]
	var parameters: Array[String] = []
	for index in declared.size():
		var text := _parameter(declared[index] as Dictionary)
		var default := index - declared.size() + defaults.size()
		if default >= 0:
			text += " = " + JSON.stringify(defaults[default])
		parameters.append(text)
	var returned: Dictionary = method["return"]
	return "%s(%s) -> %s" % [method["name"], ", ".join(parameters), _returned(returned)]


func _parameter(property: Dictionary) -> String:
	return "%s: %s" % [property["name"], _type(property)]


func _returned(property: Dictionary) -> String:
	if property["type"] == TYPE_NIL:
		return "Variant" if property["usage"] & PROPERTY_USAGE_NIL_IS_VARIANT else "void"
	return _type(property)


func _type(property: Dictionary) -> String:
	if property["class_name"]:
		return property["class_name"]
	if property["type"] == TYPE_ARRAY and property["hint"] == PROPERTY_HINT_ARRAY_TYPE:
		return "Array[%s]" % property["hint_string"]
	if property["type"] == TYPE_NIL:
		return "Variant"
	return type_string(property["type"])
