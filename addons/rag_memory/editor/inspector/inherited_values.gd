@tool
extends RefCounted
## Says which values of a [MemoryConfig] or an [NPCMindConfig] come from configs that it inherits.

const _INHERITS := &"inherits"


## Returns a sentence for each config that values come from, the nearest first.
static func sentences(config: Resource) -> PackedStringArray:
	var values: Dictionary[Resource, PackedStringArray] = {}
	var other: Resource = config.get(_INHERITS)
	while other != null:
		values[other] = PackedStringArray()
		other = other.get(_INHERITS)
	for property in ClassDB.class_get_property_list(config.get_class(), true):
		var name: StringName = property.name
		var source := _source(config, name) if name != _INHERITS else null
		if source in values:
			var value: Variant = source.get(name)
			var is_long := value is Array or value is Dictionary
			values[source].append(name if is_long else "%s %s" % [name, value])
	var result := PackedStringArray()
	for source in values:
		if values[source]:
			var file := source.resource_path.get_file()
			var title := file if file else "the config it inherits"
			result.append("From %s: %s." % [title, ", ".join(values[source])])
	return result


static func _source(config: Resource, name: StringName) -> Resource:
	var usual: Variant = ClassDB.class_get_property_default_value(config.get_class(), name)
	while config != null and config.get(name) == usual:
		config = config.get(_INHERITS)
	return config
