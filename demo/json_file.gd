extends RefCounted
## The content of a JSON file, or the reason why there is none.

## The parsed content; [code]null[/code] when [member problem] is set.
var content: Variant
## What is wrong with the file and what to do, or an empty string.
var problem := ""


func _init(path: String) -> void:
	var text: String = FileAccess.get_file_as_string(path)
	if text.is_empty():
		problem = (
			"Cannot read %s (%s).\nCheck that it exists, is not empty, and is given with its full path."
			% [path, error_string(FileAccess.get_open_error())]
		)
		return
	var json := JSON.new()
	if json.parse(text) != OK:
		problem = (
			"%s is not valid JSON: %s in line %d.\nCorrect the file, or restore it from the repository."
			% [path, json.get_error_message(), json.get_error_line()]
		)
		return
	content = json.data


## The content as an array of dictionaries; sets [member problem] when it is something else.
func records() -> Array[Dictionary]:
	var result: Array[Dictionary] = []
	if content is Dictionary:
		result.append(content)
	elif content is Array:
		for each: Variant in content:
			if each is Dictionary:
				result.append(each)
	if result.is_empty() and problem.is_empty():
		problem = "The JSON file holds no records: it has to be a list of objects."
	return result
