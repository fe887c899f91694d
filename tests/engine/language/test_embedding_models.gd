# Runs typed and untyped.
# MemoryServer.embedding_model: MemoryOpenAIEmbedding, MemoryOllamaEmbedding and a game's own, with
# servers that are well, away, slow, and lying.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const Server := preload("res://tests/engine/language/embedding_server.gd")
const Scripted := preload("res://tests/engine/language/scripted_server.gd")
const AWAY := "does not answer as it should"
const JSON_HEAD := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"


class Own:
	extends MemoryEmbeddingModel

	var answer: Variant = null
	var asked := 0

	func embed(texts: PackedStringArray) -> Variant:
		asked += texts.size()
		if answer != null:
			return answer
		var vectors: Array[PackedFloat32Array] = []
		for text: String in texts:
			var letters := PackedFloat32Array()
			letters.resize(64)
			for place: int in text.length():
				letters[text.unicode_at(place) % 64] += 1.0
			vectors.append(letters)
		return vectors


# A save of this test with this model.
func _open(model: MemoryEmbeddingModel) -> void:
	MemoryServer.close_save()
	MemoryServer.embedding_model = model
	check_equal(MemoryServer.open_save("of_test_%d" % get_instance_id()), OK)


func _end(server: Server) -> void:
	MemoryServer.close_save()
	MemoryServer.embedding_model = null
	if server != null:
		server.close()


func _first(memory: RAGMemory, question: String) -> String:
	return _text_of(memory.retrieve_scored(question))


# Of the best memory; the line on how she stands to the player comes before all.
func _text_of(found: Array[Dictionary]) -> String:
	for each in found:
		if not (each["document_full"] as String).begins_with("[Met="):
			return each["document_full"]
	return ""


func _missing() -> int:
	return MemoryServer.health()["save"]["missing_vectors"]


func _is_well() -> bool:
	return MemoryServer.health()["model_error"].is_empty() and _missing() == 0


func test_what_is_only_for_memory_server_survives_other_callers() -> void:
	for model: MemoryEmbeddingModel in [MemoryOpenAIEmbedding.new(), MemoryEmbeddingModel.new()]:
		for command: String in ["begin", "poll", "cancel", "take", "describe", "nonsense"]:
			for value: Variant in [
				null, [], [1], [1, 2], ["a", PackedStringArray()], {}, "text", 7
			]:
				model.answer_memory_server(command, value)
	check(true, "no error was printed")


func test_a_server_compares_memories() -> void:
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	await memory.store_async("The miller sold three sacks.").completed
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	var found: Array[Dictionary] = await memory.retrieve_scored_async("miller sacks").completed
	check_equal(_text_of(found), "The miller sold three sacks.")
	var health := MemoryServer.health()
	check_equal(health["model"], "words")
	check_equal(health["dimension"], 96)
	check_equal(health["save"]["missing_vectors"], 0)
	check_contains(server.requests[0], "POST /v1/embeddings HTTP/1.1")
	check_contains(server.requests[0], '"encoding_format":"float"')
	_end(server)


func test_the_same_question_is_asked_once() -> void:
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	memory.retrieve_scored("Who burned the barn?")
	var before := server.texts_asked
	memory.retrieve_scored("Who burned the barn?")
	check_equal(server.texts_asked, before)
	_end(server)


func test_many_memories_are_embedded_some_at_a_time() -> void:
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	var batch: Array[Dictionary] = []
	for number: int in 50:
		batch.append({"text": "Sack number %d was sold." % number})
	var before := server.requests.size()
	await memory.store_batch_async(batch).completed
	check_equal(memory.get_memory_count(), 50)
	check(server.requests.size() - before <= 4, "several texts go with one request")
	check_equal(_missing(), 0)
	_end(server)


func test_ollama_speaks_its_own_api() -> void:
	var server := Server.new()
	var model := MemoryOllamaEmbedding.new()
	model.base_url = "http://127.0.0.1:%d" % server.port
	model.model_name = "nomic-embed-text"
	_open(model)
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	memory.store("The miller sold three sacks.")
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	check_contains(server.requests[0], "POST /api/embed HTTP/1.1")
	check_contains(server.requests[0], '"model":"nomic-embed-text"')
	check_equal(MemoryServer.health()["model"], "nomic-embed-text")
	_end(server)


func test_ollama_without_a_model_says_what_it_needs() -> void:
	check_contains(MemoryOllamaEmbedding.new().embed(["x"]) as String, "needs a model_name")


func test_a_model_of_the_game_compares_memories() -> void:
	var own := Own.new()
	_open(own)
	var memory := make_memory()
	memory.store("zzzz")
	memory.store("aaaa")
	check_equal(_first(memory, "a"), "aaaa")
	check_equal(MemoryServer.health()["dimension"], 64)
	check(own.asked > 0, "it was asked")
	_end(null)


func test_what_a_model_of_the_game_must_not_return_is_told() -> void:
	var bad: Array = ["No model is loaded", 5, [], [[]], ["a"], [RefCounted.new()]]
	bad.append([PackedFloat32Array()])
	bad.append([PackedFloat32Array([NAN, 1.0])])
	bad.append([PackedFloat32Array([INF, 1.0])])
	bad.append([PackedFloat32Array([0.0, 0.0])])
	bad.append([PackedFloat32Array([1.0]), PackedFloat32Array([1.0])])
	for answer: Variant in bad:
		expect_warning(AWAY)
		var own := Own.new()
		own.answer = answer
		_open(own)
		var memory := make_memory()
		memory.store("A dragon burned the barn.")
		check_equal(
			_first(memory, "Who burned the barn?"), "A dragon burned the barn.", str(answer)
		)
		check(not MemoryServer.health()["model_error"].is_empty(), str(answer))
	_end(null)


func test_a_server_that_dies_and_returns_costs_nothing() -> void:
	expect_warning(AWAY)
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	server.does = "down"
	memory.store("The miller sold three sacks.")
	check_equal(_first(memory, "Who sold sacks?"), "The miller sold three sacks.")
	check_equal(_missing(), 1)
	check_equal(MemoryServer.health()["state"], "ready", "all else works")
	check_equal(MemoryServer.health()["model_is_away"], true)
	var asked := server.requests.size()
	for number: int in 20:
		memory.retrieve_scored("Question number %d" % number)
	check(server.requests.size() - asked < 10, "a dead server is not asked by every call")
	server.does = ""
	await until(_is_well)
	check_equal(_first(memory, "Who sold sacks?"), "The miller sold three sacks.")
	check_equal(MemoryServer.health()["model_is_away"], false)
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	check_equal(memory.get_memory_count(), 2)
	_end(server)


func test_a_save_opens_while_the_server_is_down() -> void:
	expect_warning(AWAY)
	var server := Server.new()
	server.does = "down"
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	check_equal(_first(memory, "Who burned the barn?"), "A dragon burned the barn.")
	check_contains(MemoryServer.health()["model_error"] as String, "closed the connection")
	server.does = ""
	await until(func() -> bool: return MemoryServer.health().get("dimension", 0) == 96)
	await until(_is_well)
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	check_equal(MemoryServer.health()["save"]["embedder"], "words")
	_end(server)


func test_another_dimension_in_the_middle_is_refused_until_the_next_save() -> void:
	expect_warning("numbers per text")
	expect_warning("1 memory was embedded with another model. It is found by the words")
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	server.dimension = 128
	memory.store("The miller sold three sacks.")
	check_equal(_first(memory, "Who sold sacks?"), "The miller sold three sacks.")
	var save := MemoryServer.current_save()
	MemoryServer.close_save()
	check_equal(MemoryServer.open_save(save), OK)
	await until(_is_well)
	check_equal(MemoryServer.health()["dimension"], 128)
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	_end(server)


func test_a_save_of_the_built_in_model_is_embedded_anew() -> void:
	expect_warning("2 memories were embedded with another model. They are found")
	_open(null)
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	memory.store("The miller sold three sacks.")
	var server := Server.new()
	_open(server.embedding())
	check_equal(_first(memory, "Who sold sacks?"), "The miller sold three sacks.")
	await until(_is_well)
	check_equal(MemoryServer.health()["dimension"], 96)
	check_equal(_first(memory, "dragon barn"), "A dragon burned the barn.")
	_end(server)


func test_a_text_that_the_server_refuses_is_found_by_its_words() -> void:
	expect_warning("does not take the text")
	var server := Server.new()
	server.does = "refuses"
	_open(server.embedding())
	var memory := make_memory()
	var batch: Array[Dictionary] = [
		{"text": "A hippogriff ate the goat."}, {"text": "The miller sold three sacks."}
	]
	memory.store_batch(batch)
	check_equal(_missing(), 1)
	check_equal(_first(memory, "Who ate the goat?"), "A hippogriff ate the goat.")
	check_equal(_first(memory, "miller sacks"), "The miller sold three sacks.")
	check_equal(MemoryServer.health()["model_error"], "")
	_end(server)


func test_a_busy_server_is_asked_again() -> void:
	var busy := "HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\n"
	var vectors := JSON_HEAD + '{"data": [{"index": 0, "embedding": [3.0, 4]}]}'
	var server := Scripted.new([busy, vectors])
	var model := MemoryOpenAIEmbedding.new()
	model.base_url = "http://127.0.0.1:%d/v1" % server.port
	check_equal(model.embed(["x"]), [PackedFloat32Array([3.0, 4.0])])
	check_equal(server.requests.size(), 2)
	server.close()


func test_lying_servers_give_an_error() -> void:
	var answers := {
		"no list": JSON_HEAD + "{}",
		"a list of nothing": JSON_HEAD + '{"data": []}',
		"no embedding": JSON_HEAD + '{"data": [{"index": 0}]}',
		"a wrong index": JSON_HEAD + '{"data": [{"index": 7, "embedding": [1.0]}]}',
		"an index of text": JSON_HEAD + '{"data": [{"index": "x", "embedding": [1.0]}]}',
		"words": JSON_HEAD + '{"data": [{"index": 0, "embedding": ["a"]}]}',
		"null": JSON_HEAD + '{"data": [null]}',
		"an error": JSON_HEAD + '{"error": {"message": "no model"}}',
		"no JSON": JSON_HEAD + "[1, 2",
		"infinity": JSON_HEAD + '{"data": [{"index": 0, "embedding": [1e999, 1.0]}]}',
		"zeros": JSON_HEAD + '{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
		"a web page": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>",
		"elsewhere": "HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\n\r\n",
		"not found": "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nno such model",
		"no HTTP": "hello",
		"silence": [60_000],
		"half an answer": [JSON_HEAD + '{"data": [', 60_000],
		"endless": [JSON_HEAD, func() -> String: return " ".repeat(65536)],
	}
	for name: String in answers:
		expect_warning(AWAY)
		var server := Scripted.new([answers[name]])
		var model := MemoryOpenAIEmbedding.new()
		model.base_url = "http://127.0.0.1:%d/v1" % server.port
		model.timeout_seconds = 1.0
		_open(model)
		var memory := make_memory()
		memory.store("A dragon burned the barn.")
		check_equal(_first(memory, "Who burned the barn?"), "A dragon burned the barn.", name)
		check(not MemoryServer.health()["model_error"].is_empty(), name)
		_end(null)
		server.close()


func test_a_server_that_hangs_does_not_hold_up_every_call() -> void:
	expect_warning(AWAY)
	var server := Server.new()
	_open(server.embedding())
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	server.does = "hangs"
	memory.retrieve_scored("Who is it?")
	var asked := server.requests.size()
	for number: int in 50:
		memory.retrieve_scored("Question number %d" % number)
	check(server.requests.size() - asked < 25, "most calls do not ask it")
	_end(server)


func test_no_frame_waits_for_a_slow_server() -> void:
	var server := Server.new()
	var model := server.embedding()
	model.timeout_seconds = 20.0
	_open(model)
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	server.does = "hangs"
	var asked := server.requests.size()
	var request := memory.retrieve_scored_async("Who burned the barn?")
	await until(func() -> bool: return server.requests.size() > asked)
	await frames(10)
	check(not request.is_completed(), "the server has not answered")
	server.does = ""
	var found: Array[Dictionary] = await request.completed
	check_equal(_text_of(found), "A dragon burned the barn.")
	check_equal(MemoryServer.health()["model_error"], "")
	_end(server)


func test_a_key_is_sent_and_not_told() -> void:
	var key := "sk-embedding-1234567890"
	OS.set_environment("RAG_EMBEDDING_KEY", key)
	var server := Scripted.new(["HTTP/1.1 401 No\r\nConnection: close\r\n\r\nno such key: " + key])
	var model := MemoryOpenAIEmbedding.new()
	model.base_url = "http://127.0.0.1:%d/v1" % server.port
	model.api_key_variable = "RAG_EMBEDDING_KEY"
	var problem := model.embed(["x"]) as String
	OS.unset_environment("RAG_EMBEDDING_KEY")
	check_contains(problem, "no such key: (the key)")
	check(not key in problem, "the key is not told")
	check_contains(server.requests[0], "Authorization: Bearer " + key)
	server.close()


func test_the_rules_for_servers_hold() -> void:
	var model := MemoryOpenAIEmbedding.new()
	model.base_url = "http://example.com/v1"
	check_contains(model.embed(["x"]) as String, "Allowed Hosts")
	model.base_url = "ftp://127.0.0.1"
	check_contains(model.embed(["x"]) as String, "http or https")
	model.base_url = "http://127.0.0.1:1/v1"
	check_contains(model.embed(["x"]) as String, "Nothing answers")
	model.api_key_variable = "sk-this-is-a-key"
	check_contains(model.embed(["x"]) as String, "no name of an environment variable")
	model.api_key_variable = ""
	model.api_key_file = "res://key"
	check_contains(model.embed(["x"]) as String, "user://")


func test_what_is_no_model_is_refused() -> void:
	for wrong: Variant in [5, "openai", NPCOpenAILanguageModel.new(), Callable()]:
		expect_error("embedding_model cannot be")
		MemoryServer.embedding_model = wrong
	check_equal(MemoryServer.embedding_model, null)


func test_one_that_comes_too_late_is_told() -> void:
	expect_warning("was set while the save")
	_open(null)
	MemoryServer.embedding_model = Own.new()
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	check(MemoryServer.health()["dimension"] != 64, "the open save keeps its model")
	_end(null)


func test_settings_that_change_later_have_no_effect() -> void:
	var server := Server.new()
	var model := server.embedding()
	_open(model)
	model.base_url = "http://127.0.0.1:1/v1"
	var memory := make_memory()
	memory.store("A dragon burned the barn.")
	check_equal(_missing(), 0)
	check_equal(MemoryServer.health()["model_error"], "")
	_end(server)
