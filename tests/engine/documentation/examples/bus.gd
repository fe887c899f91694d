# The bus and the storage of the examples, on the servers that the tests have started.

static func bus() -> EventBus:
	var made := EventBus.new()
	made.url = OS.get_environment("RAG_MEMORY_EXAMPLES_VALKEY")
	return made


static func storage() -> PostgresStorage:
	var made := PostgresStorage.new()
	made.port = int(OS.get_environment("RAG_MEMORY_EXAMPLES_POSTGRES"))
	return made
