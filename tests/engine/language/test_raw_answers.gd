# What a language model sends is not yet what she says: reasoning, drafts, JSON, tokens of a chat
# template, her own name and the player's part reach no chunk, no answer, no turn and no memory.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const BREAD := "Fresh bread costs two coins."
const THOUGHT := "The player wants bread. My name is Zed. I promised to lie about the key."
## Each says BREAD.
const ANSWERS: Dictionary[String, String] = {
	"tags": "<think>\n" + THOUGHT + "\n</think>\n\n" + BREAD,
	"close only": THOUGHT + " I should stay in character.\n</think>\n\n" + BREAD,
	"thinking": "<thinking>" + THOUGHT + "</thinking>" + BREAD,
	"heading": "Reasoning: " + THOUGHT + "\n\nResponse: " + BREAD,
	"channel":
	(
		"<|channel|>analysis<|message|>"
		+ THOUGHT
		+ "<|end|><|start|>assistant<|channel|>final<|message|>"
		+ BREAD
	),
	"name": "Mira: " + BREAD,
	"display name": "**Mira of the Inn:** " + BREAD,
	"both": BREAD + "\nPlayer: Thank you! Here are ten coins.\nMira: You are welcome.",
	"template": BREAD + "<|im_end|>\n<|im_start|>user\nThank you",
	"json":
	'<think>It has to be JSON: {"response": "draft"}</think>\n{"response": "' + BREAD + '"}',
	"fence": '<think>hm, Zed</think>\n```json\n{"response": "' + BREAD + '", "analysis": {}}\n```',
	"draft": '{"response": "draft"}\n\nBetter:\n{"response": "' + BREAD + '", "analysis": {}}',
}
const NEVER: Array[String] = [
	"Zed", "lie about", "think", "draft", "Player:", "ten coins", "<|", "|>", "analysis", "Mira:"
]

var asked := 0
var mark := ""


func test_only_speech_is_shown_said_and_remembered() -> void:
	for analysis: bool in [true, false]:
		for form: String in ANSWERS:
			var dialogue := make_dialogue(sending(ANSWERS[form]), analysis)
			for attempt: String in ["first", "second"]:
				await check_says_bread(dialogue, "%s, %s, %s" % [form, analysis, attempt])
			dialogue.memory.free()


func check_says_bread(dialogue: NPCDialogue, form: String) -> void:
	var heard := PackedStringArray()
	var hear := func(text: String) -> void: heard.append(text)
	dialogue.chunk.connect(hear)
	var answer: Dictionary = await dialogue.say("Do you have bread?").completed
	dialogue.chunk.disconnect(hear)
	check_equal(answer["response"], BREAD, form)
	check_equal("".join(heard), BREAD, form)
	check_equal(answer["from_memory"], false, form)
	var texts := heard.duplicate()
	for turn: Dictionary in dialogue.memory.get_turns():
		texts.append(turn["npc_message"] as String)
	for memory: Dictionary in dialogue.memory.get_recent(20):
		texts.append(memory["document_full"] as String)
	for words: String in NEVER:
		for text: String in texts:
			check(not words in text, "%s: %s in %s" % [form, words, text])


func test_reasoning_is_returned_and_not_spoken() -> void:
	var dialogue := make_dialogue(sending(ANSWERS["tags"]), true)
	var answer: Dictionary = await dialogue.say("Do you have bread?").completed
	check_contains(answer["reasoning"] as String, "lie about the key")


func test_a_known_model_is_heard_as_it_speaks() -> void:
	for form: String in ["tags", "close only", "name"]:
		var dialogue := make_dialogue(sending(ANSWERS[form]), false)
		await dialogue.say("Do you have bread?").completed
		var heard := watch(dialogue.chunk)
		await dialogue.say("Do you have bread?").completed
		check(heard.size() > 1, "%s came in %d pieces" % [form, heard.size()])


func test_a_model_that_only_reasons_is_asked_once_more() -> void:
	asked = 0
	var model := NPCCallableLanguageModel.new()
	model.answer_habit = 2
	model.callable = func(_messages: Array, options: Dictionary) -> String:
		asked += 1
		return "<think>" if options.has("stop") else ANSWERS["tags"]
	var dialogue := make_dialogue(model, false)
	var answer: Dictionary = await dialogue.say("Do you have bread?").completed
	check_equal([asked, answer["response"]], [2, BREAD])
	answer = await dialogue.say("And rye?").completed
	check_equal([asked, answer["response"]], [3, BREAD], "it is no longer stopped")


func test_a_model_that_never_speaks_lets_her_answer_from_memory() -> void:
	var dialogue := make_dialogue(sending("<think>" + THOUGHT), true)
	var answer: Dictionary = await dialogue.say("Do you have bread?").completed
	check_equal(answer["from_memory"], true)
	check(not "Zed" in (answer["response"] as String), answer["response"] as String)
	check_contains("\n".join(answer["warnings"] as PackedStringArray), "said nothing")


func test_work_on_memories_does_not_take_reasoning_for_an_answer() -> void:
	var schema := {"type": "object", "properties": {"mood": {"type": "string"}}}
	schema["required"] = ["mood"]
	var model := sending('<think>Perhaps {"mood": "angry"}? No.</think>{"mood": "glad"}')
	var question := [{"role": "user", "content": "?"}]
	var request := model.generate_async(question, {"json_schema": schema})
	check_equal(await request.completed, {"mood": "glad"})
	check_equal(request.get_error(), "")
	check_equal(await model.generate_async(question).completed, '{"mood": "glad"}')


func test_an_answer_that_comes_after_a_load_says_so_and_writes_nothing() -> void:
	var loads: Dictionary[String, Callable] = {
		"another save": func() -> void: MemoryServer.open_save("raw_other"),
		"a snapshot": func() -> void: MemoryServer.restore("before"),
		"a mark": func() -> void: MemoryServer.rollback_to(mark),
	}
	for how: String in loads:
		MemoryServer.open_save("raw_" + how.replace(" ", "_"))
		var memory := RAGMemory.new()
		memory.npc_id = "mira"
		add_child(memory)
		memory.store("I bake bread.")
		MemoryServer.snapshot("before")
		mark = MemoryServer.mark()
		var model := NPCCallableLanguageModel.new()
		model.callable = func(_messages: Array, _options: Dictionary) -> String:
			loads[how].call()
			return BREAD
		var dialogue := NPCDialogue.new()
		dialogue.model = model
		memory.add_child(dialogue)
		allow_error("the game was loaded")
		var request := dialogue.say("Do you have bread?")
		check_equal(await request.completed, {}, how)
		check_contains(request.get_error(), "the game was loaded", how)
		check_equal(memory.get_turns().size(), 0, how)
		check_equal(memory.get_memory_count(), 0 if how == "another save" else 1, how)
		memory.free()
	MemoryServer.close_save()


func make_dialogue(model: NPCLanguageModel, analysis: bool) -> NPCDialogue:
	var memory := make_memory()
	var dialogue := NPCDialogue.new()
	dialogue.memory = memory
	dialogue.model = model
	dialogue.analysis = analysis
	dialogue.personality = NPCPersonality.new()
	dialogue.personality.npc_id = "mira"
	dialogue.personality.display_name = "Mira of the Inn"
	memory.add_child(dialogue)
	return dialogue


# A model that sends this, a few characters a frame.
func sending(text: String) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, options: Dictionary) -> String:
		for at: int in range(0, text.length(), 7):
			(options["on_chunk"] as Callable).call(text.substr(at, 7))
			await get_tree().process_frame
		return ""
	return model
