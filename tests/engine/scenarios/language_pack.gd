# An innkeeper remembers in Chinese and is asked in Chinese and in German, by the model that the
# project setting names; what a former run stored is embedded again first.
extends "res://tests/engine/scenarios/scenario.gd"

const MEMORIES: Array[String] = [
	"江远不能吃花生，吃了一块花生糖就喘不上气。",
	"米店的钱掌柜放火烧了粮仓。",
	"我丈夫阿诚六年前出海做生意，再也没有回来。",
	"院子里的桂花开了，满屋子都是香味。",
	"镇口的石桥被洪水冲断了。",
	"小梅想去京城学医，她每天夜里偷偷看医书。",
]


func play() -> void:
	var memory := make_memory("alan")
	if memory.get_memory_count() == 0:
		for text in MEMORIES:
			memory.store(text, 5)
	else:
		while MemoryServer.health()["save"]["missing_vectors"] > 0:
			await process_frame
	var health := MemoryServer.health()
	say("model", health.get("model", ""))
	say("state", health["state"])
	say("last_error", health["last_error"])
	for question: String in ["是谁烧了我们的粮食？", "Was ist aus deinem Mann geworden?"]:
		var first: Array = memory.retrieve_relevant_raw(question, {"limit": 1})
		say("answer", first[0]["document"] if first else "")
