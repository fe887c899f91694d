extends RefCounted
## The key of a server, read when it is needed and kept nowhere.

const _MOST_BYTES := 4096

static var _key := RegEx.create_from_string("^(?=.*[a-z])(?=.*[0-9]).{20}")

var text := ""
## Why there is no key, without a word of the key.
var problem := ""


func _init(variable: String, file: String) -> void:
	if variable.is_empty() and file.is_empty():
		return
	if _looks_like_key(variable):
		problem = (
			"api_key_variable is no name of an environment variable. If it is the key itself, take it"
			+ " out of the scene, and set it in the environment, for example as OPENAI_API_KEY."
		)
		return
	text = OS.get_environment(variable).strip_edges() if variable else ""
	if text.is_empty() and file:
		_read(file)
	if text.is_empty() and problem.is_empty():
		problem = (
			"There is no key: the environment variable %s is empty." % variable
			+ " Set it before the game starts, or name a file in api_key_file."
		)
	for i: int in text.length():
		if text.unicode_at(i) <= 32 or text.unicode_at(i) > 126:
			problem = "The key has a space, a line break or a letter that no key has."


## Some keys look like names; but they are long, and have small letters and digits.
static func _looks_like_key(variable: String) -> bool:
	if variable.is_empty():
		return false
	return not variable.is_valid_ascii_identifier() or _key.search(variable) != null


func _read(file: String) -> void:
	if not file.begins_with("user://") or ".." in file:
		problem = "api_key_file is %s. It has to be under user://, which no export contains." % file
		return
	var opened := FileAccess.open(file, FileAccess.READ)
	if opened == null:
		var words := "The key file %s cannot be read: %s."
		problem = words % [file, error_string(FileAccess.get_open_error())]
		return
	text = opened.get_buffer(_MOST_BYTES).get_string_from_ascii().get_slice("\n", 0).strip_edges()
