# The bus and the storage of the examples, on the servers that the tests have started.

static func bus() -> MemoryEventBus:
	var made := MemoryEventBus.new()
	made.url = OS.get_environment("RAG_MEMORY_EXAMPLES_VALKEY")
	return made


static func storage() -> MemoryPostgresStorage:
	var made := MemoryPostgresStorage.new()
	made.port = int(OS.get_environment("RAG_MEMORY_EXAMPLES_POSTGRES"))
	return made
