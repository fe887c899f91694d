extends RefCounted
## Opens the save of a demo that goes on with what it stored last time.


## Opens the save, and returns what went wrong and what to do about it, or an empty string. A save
## that an unreleased version wrote cannot be read, and is made anew.
static func open(save_id: String) -> String:
	var saves: PackedStringArray = await MemoryServer.list_saves_async().completed
	if save_id in saves:
		var info: Dictionary = await MemoryServer.get_save_info_async(save_id).completed
		if info.get("state") == "too_old":
			print("The save of an older demo is made anew: ", save_id)
			await MemoryServer.delete_save_async(save_id).completed
	var opening: MemoryRequest = MemoryServer.open_save_async(save_id)
	await opening.completed
	return opening.get_error()
