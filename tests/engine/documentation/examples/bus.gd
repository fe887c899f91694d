# The bus of the examples, on the Valkey that the tests have started.

static func bus() -> EventBus:
	var made := EventBus.new()
	made.url = OS.get_environment("RAG_MEMORY_EXAMPLES_VALKEY")
	return made
