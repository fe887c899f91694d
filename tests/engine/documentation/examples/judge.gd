# Where examples tell what they have found; test_examples.py reads it from the output.
extends Node

var faults: Array[String] = []
var checks := 0


func check(actual: Variant, expected: Variant, claim: String) -> void:
	checks += 1
	if not _is_same(actual, expected):
		faults.append("%s is %s, not %s" % [claim, var_to_str(actual), var_to_str(expected)])


func check_output(actual: Variant, expected: String) -> void:
	checks += 1
	# match() takes ? and * as any text, so a claim may not hold them itself.
	if not str(actual).match(expected.replace("[", "?").replace("...", "*")):
		faults.append("it prints %s, not %s" % [actual, expected])


func _is_same(actual: Variant, expected: Variant) -> bool:
	if typeof(actual) == TYPE_FLOAT or typeof(expected) == TYPE_FLOAT:
		return is_equal_approx(actual as float, expected as float)
	if typeof(actual) == TYPE_PACKED_STRING_ARRAY:
		return Array(actual as PackedStringArray) == expected
	return actual == expected
