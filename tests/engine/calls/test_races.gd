# Properties set on the main thread while a thread of the game calls the node.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_a_config_replaced_on_the_main_thread_while_a_thread_asks() -> void:
	var memory := make_memory("changing config")
	memory.config = MemoryConfig.new()
	memory.store("The dog barked.")
	var thread := _asking(memory)
	while thread.is_alive():
		memory.config = MemoryConfig.new()
	check_equal(thread.wait_to_finish(), 1000)


func test_a_property_of_a_config_set_on_the_main_thread_while_a_thread_asks() -> void:
	var memory := make_memory("changing property")
	memory.config = MemoryConfig.new()
	memory.store("The dog barked.")
	var thread := _asking(memory)
	var number := 0
	while thread.is_alive():
		number += 1
		memory.config.semantic_top_k = 5 + number % 7
		memory.config.slot_types = ["slot %d" % number]
	check_equal(thread.wait_to_finish(), 1000)


func test_an_npc_id_set_on_the_main_thread_while_a_thread_asks() -> void:
	var memory := make_memory("one name")
	make_memory("other name").store("The cat slept.")
	memory.store("The dog barked.")
	var thread := _asking(memory)
	var number := 0
	while thread.is_alive():
		number += 1
		memory.npc_id = "one name" if number % 2 else "other name"
	check_equal(thread.wait_to_finish(), 1000)


# Asks a thousand times for the count of a memory, which is 1.
func _asking(memory: RAGMemory) -> Thread:
	var thread := Thread.new()
	thread.start(
		func() -> int:
			var sum := 0
			for attempt in 1000:
				sum += memory.get_memory_count()
			return sum
	)
	return thread
