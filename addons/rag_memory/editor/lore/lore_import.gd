@tool
extends RefCounted
## Imports lore files into a world in memory, and knows which of them have changed since. Python
## starts with the first import, never before.

const IMPORTED := "imported"
const CHANGED := "changed"
const NEW := "not imported yet"
const MISSING := "missing"
const TWICE := "the name is used twice"
## The states that an import cannot mend.
const WRONG: Array[String] = [MISSING, TWICE]

## [code]true[/code] if the import that ended last was given up.
var is_cancelled := false

# By path: what the import told, and the file's "md5".
var _reports: Dictionary[String, Dictionary] = {}
var _request: MemoryRequest


## Returns what the last import of a file told; empty when there was none.
func report_of(path: String) -> Dictionary:
	return _reports.get(path, {})


## Returns how it stands with one of the sources.
func state_of(path: String, paths: PackedStringArray) -> String:
	if not FileAccess.file_exists(path):
		return MISSING
	for other in paths:
		if other != path and _key(other) == _key(path):
			return TWICE
	if not _reports.has(path):
		return NEW
	return IMPORTED if _reports[path]["md5"] == FileAccess.get_md5(path) else CHANGED


## The sources that are new or have changed.
func wanted(paths: PackedStringArray) -> PackedStringArray:
	var new_paths := PackedStringArray()
	for path in paths:
		if state_of(path, paths) in [NEW, CHANGED]:
			new_paths.append(path)
	return new_paths


## The keys of the sources that are imported, also of those that have changed since.
func keys(paths: PackedStringArray) -> PackedStringArray:
	var imported := PackedStringArray()
	for path in paths:
		if _reports.has(path):
			imported.append(_key(path))
	return imported


## Imports a file, with vectors that an export finds again. Returns what went wrong, or an empty
## String. Await it.
func run(path: String) -> String:
	is_cancelled = false
	var md5 := FileAccess.get_md5(path)
	_request = MemoryServer.prepare_lore_async(path)
	await _request.completed
	if not _request.get_error():
		_request = _in_memory(&"import_lore_async", [path])
		await _request.completed
	var request := _request
	_request = null
	is_cancelled = request.is_cancelled()
	if is_cancelled or request.get_error():
		return "" if is_cancelled else request.get_error()
	var result: Dictionary = request.get_result()
	_reports[path] = result.merged({"md5": md5})
	return ""


## Gives the import up that is under way.
func cancel() -> void:
	if _request != null:
		_request.cancel()


## Asks the imported lore; the request of [method MemoryWorld.search_lore_async].
func search(question: String, options: Dictionary) -> MemoryRequest:
	return _in_memory(&"search_lore_async", [question, options])


func _key(path: String) -> String:
	return path.get_file().get_basename()


# The property holds for the call that is made while it is set.
func _in_memory(method: StringName, arguments: Array) -> MemoryRequest:
	var was_persistent := MemoryWorld.persistent
	MemoryWorld.persistent = false
	var request: MemoryRequest = MemoryWorld.callv(method, arguments)
	MemoryWorld.persistent = was_persistent
	return request
