extends RefCounted
## Scales the changes of a relationship by the temper of an NPC, for
## NPCPersonality.apply_personality_modifiers().

## The property of NPCPersonality by which a change of the dimension is multiplied.
const SENSITIVITIES: Dictionary[String, String] = {
	"trust": "trust_sensitivity",
	"respect": "respect_sensitivity",
	"affection": "affection_sensitivity",
	"fear": "fear_sensitivity",
}
## Beyond it, up or down, an NPC is forgiving or resentful.
const MARKED_FORGIVENESS := 50
const FORGIVEN := 0.7
const RESENTED := 1.3
## The factor of a change of fear for somebody whom nothing frightens; 1 more at 100.
const LEAST_FRIGHTENED := 0.5
const SUFFIX := "_change"


## The changes as she takes them, under the same keys: "trust" or "trust_change". Every step drops
## the fraction, so that small changes may come to nothing.
static func applied(personality: Resource, changes: Dictionary) -> Dictionary:
	var taken := changes.duplicate()
	var is_suffixed := changes.keys().any(
		func(key: Variant) -> bool: return str(key).ends_with(SUFFIX)
	)
	for dimension: String in SENSITIVITIES:
		var key := dimension + (SUFFIX if is_suffixed else "")
		var sensitivity: float = personality.get(SENSITIVITIES[dimension])
		taken[key] = int(_number(changes.get(key, 0), key) * sensitivity)
		if dimension == "trust" and taken[key] < 0:
			taken[key] = _resented(
				taken[key] as int, personality.get(&"forgiveness_tendency") as int
			)
		elif dimension == "fear" and taken[key] > 0:
			var susceptible: int = personality.get(&"intimidation_susceptibility")
			taken[key] = int(taken[key] * (LEAST_FRIGHTENED + susceptible / 100.0))
	return taken


static func _resented(loss: int, forgiveness: int) -> int:
	if forgiveness > MARKED_FORGIVENESS:
		return int(loss * FORGIVEN)
	return int(loss * RESENTED) if forgiveness < -MARKED_FORGIVENESS else loss


static func _number(value: Variant, key: String) -> float:
	if value is int or (value is float and is_finite(value as float)):
		return value
	push_warning("apply_personality_modifiers(): %s is no number, so 0 is used." % key)
	return 0.0
