# The base of tests whose saves are on a server; see server_twin.py. Where it is comes as the third
# argument.
extends "res://tests/engine/case.gd"

static var _has_opened := false


# What a game opens by itself is in a file.
func _enter_tree() -> void:
	if not _has_opened:
		_has_opened = true
		check_equal(open_save_on_server("default"), OK)


func storage() -> MemoryPostgresStorage:
	var made := MemoryPostgresStorage.new()
	var values: Dictionary = JSON.parse_string(OS.get_cmdline_user_args()[2])
	for each: String in values:
		made.set(each, values[each])
	return made


func open_save_on_server(save_id: String, options := {}) -> Error:
	return MemoryServer.open_save(save_id, _with_storage(options))


func open_save_async_on_server(save_id: String, options := {}) -> MemoryRequest:
	return MemoryServer.open_save_async(save_id, _with_storage(options))


func new_game_on_server(save_id: String, options := {}) -> Error:
	return MemoryServer.new_game(save_id, _with_storage(options))


func list_saves_on_server() -> PackedStringArray:
	return MemoryServer.list_saves({"storage": storage()})


func has_save_on_server(save_id: String) -> bool:
	return MemoryServer.has_save(save_id, {"storage": storage()})


func delete_save_on_server(save_id: String) -> Error:
	return MemoryServer.delete_save(save_id, {"storage": storage()})


func delete_save_async_on_server(save_id: String) -> MemoryRequest:
	return MemoryServer.delete_save_async(save_id, {"storage": storage()})


func copy_save_on_server(from_id: String, to_id: String, options := {}) -> Error:
	return MemoryServer.copy_save(from_id, to_id, _with_storage(options))


func copy_save_async_on_server(from_id: String, to_id: String) -> MemoryRequest:
	return MemoryServer.copy_save_async(from_id, to_id, {"storage": storage()})


func get_save_info_on_server(save_id: String) -> Dictionary:
	return MemoryServer.get_save_info(save_id, {"storage": storage()})


func _with_storage(options: Dictionary) -> Dictionary:
	return options.merged({"storage": storage()})
