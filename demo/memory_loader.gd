extends RefCounted
## Stores what an NPC does not remember yet, and nothing twice.
##
## Each memory carries a key of its own among its metadata. The keys the NPC has already are asked
## for first, so a run that was interrupted half way is completed by the next one.

const BATCH_SIZE := 50
const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0


## Gives each memory with a day and an hour a timestamp, and whole numbers where JSON has others.
static func with_timestamps(records: Array[Dictionary]) -> Array[Dictionary]:
	for each: Dictionary in records:
		each["timestamp"] = each["day"] * SECONDS_PER_DAY + each["hour"] * SECONDS_PER_HOUR
		for whole: String in ["importance", "day", "hour"]:
			each[whole] = int(each[whole])
	return records


## Stores those of [param memories] whose value under [param key] is not known yet, with progress
## printed. Returns what went wrong, or an empty string.
func store_missing(memory: RAGMemory, memories: Array[Dictionary], key: String) -> String:
	var counting: MemoryRequest = memory.get_memory_count_async()
	var count: int = await counting.completed
	if not counting.get_error().is_empty():
		return counting.get_error()
	var listing: MemoryRequest = memory.get_recent_async(count)
	var stored: Array = await listing.completed
	if not listing.get_error().is_empty():
		return listing.get_error()

	var missing: Array[Dictionary] = _without(memories, stored, key)
	if missing.is_empty():
		print("%s already remembers %d memories; nothing is stored again." % [memory.npc_id, count])
		await _until_embedded(memory)
		return ""
	if count > 0:
		print("%s remembers %d memories; %d are missing." % [memory.npc_id, count, missing.size()])
	return await _store(memory, missing)


# A save of another model, such as that of an older version, is embedded anew while nobody asks.
func _until_embedded(memory: RAGMemory) -> void:
	var before := -1
	while true:
		var health: Dictionary = MemoryServer.health()
		var left: int = health["save"]["missing_vectors"]
		if left == 0 or left == before:
			return
		before = left
		print("  the sentence model is new: %d memories are read again" % left)
		await memory.get_tree().create_timer(1.0).timeout


func _without(memories: Array[Dictionary], stored: Array, key: String) -> Array[Dictionary]:
	var known: Dictionary[String, bool] = {}
	for each: Dictionary in stored:
		var metadata: Dictionary = each["metadata"]
		known[str(metadata.get(key, ""))] = true
	var missing: Array[Dictionary] = []
	for each: Dictionary in memories:
		if not known.has(each[key]):
			missing.append(each)
	return missing


func _store(memory: RAGMemory, memories: Array[Dictionary]) -> String:
	var started_usec: int = Time.get_ticks_usec()
	for first: int in range(0, memories.size(), BATCH_SIZE):
		var batch: Array[Dictionary] = memories.slice(first, first + BATCH_SIZE)
		var request: MemoryRequest = memory.store_batch_async(batch)
		await request.completed
		if not request.get_error().is_empty():
			return request.get_error()
		print(
			(
				"  storing what %s remembers: %d of %d"
				% [memory.npc_id, first + batch.size(), memories.size()]
			)
		)
	var seconds: float = (Time.get_ticks_usec() - started_usec) / 1_000_000.0
	print("  %d memories stored in %.1f s." % [memories.size(), seconds])
	return ""
