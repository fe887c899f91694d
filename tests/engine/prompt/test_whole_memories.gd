# What reaches a prompt of memories that a question finds: whole texts while the budget has room, and nobody's
# words as another's where it has not.
extends "res://tests/engine/case.gd"

# A memory, a question, and words of the answer, which come late in the memory.
const MEMORIES: Array[Array] = [
	[
		'The player said: "Who mends boats here?" I answered: "Nobody but old Harte, and only while the moon is waning."',
		"When does old Harte mend boats?",
		"moon is waning"
	],
	[
		'The player said: "How do I reach the abbey?" I answered: "Follow the dry brook until you see a cross of blue stone."',
		"How does one reach the abbey?",
		"blue stone"
	],
	[
		"The ferryman told me over a bowl of soup that the river can only be crossed where the alders grow in a circle.",
		"Where can the river be crossed?",
		"alders"
	],
	[
		"When the granary burned, Sister Agathe carried out the seed corn in her own habit, and she has coughed ever since.",
		"Since when does Sister Agathe cough?",
		"seed corn"
	],
	[
		"The tax collector can be made to look away, yet never by gold: he wants pictures of horses painted on vellum.",
		"What makes the tax collector look away?",
		"horses"
	],
	[
		"My aunt buried the good silver when the soldiers came; it is still under the third beehive from the left.",
		"Where is the good silver of my aunt?",
		"beehive"
	],
	[
		"The woman with the limp asked everybody at the fair about a locket, for she was searching for her sister Marlene.",
		"Whom was the woman with the limp searching for?",
		"Marlene"
	],
	[
		'The player said: "What should I know of the bishop?" I answered: "He cannot bear the smell of lilies since his mother\'s burial."',
		"Which smell can the bishop not bear?",
		"lilies"
	],
	[
		"I saw this happen: a wheel came off the tinker's wagon on the hill, it rolled into the pond, and a nun pulled it out.",
		"Who pulled the wheel out of the pond?",
		"nun"
	],
	[
		"The weaver and the dyer have been enemies for eleven years, all because of a cradle that one of them sold twice.",
		"Why are the weaver and the dyer enemies?",
		"cradle"
	],
	[
		'The player told me: "I was raised in a circus that toured the coast, and to this day I cannot sleep under a stone roof."',
		"Under what can I not sleep?",
		"stone roof"
	],
	[
		"We agreed that the player brings me nine eels before the new moon, and that I then hand over the map of the cellars.",
		"What did we agree that I hand over for the eels?",
		"map of the cellars"
	],
	[
		"On the day of the wedding the bells stayed silent, because somebody had cut all four ropes and hidden them in the crypt.",
		"Why did the bells stay silent on the day of the wedding?",
		"ropes"
	],
	[
		"The charcoal burners know two paths over the moor, the wide one for carts and a narrow one that only opens after frost.",
		"When does the narrow path over the moor open?",
		"frost"
	],
	[
		'The player said: "Who owns the quarry?" I answered: "On paper the count does, but in truth it is the widow Brandt who pays the men."',
		"Who pays the men of the quarry?",
		"Brandt"
	],
	[
		"Ludolf claims that the ghost of the tower cannot count, and so he lays out a heap of dried peas on every staircase.",
		"What does Ludolf lay out on the staircases?",
		"dried peas"
	],
	[
		"The pedlar from the east sells a balm for burns that is made of nothing else than butter and crushed marigolds.",
		"What is the balm of the pedlar made of?",
		"marigolds"
	],
	[
		"My cousin sends word that she will arrive with the salt caravan, and that she brings her parrot and a trunk of letters.",
		"What does my cousin bring?",
		"parrot"
	],
	[
		"The player asked me to look after a brass key for her and to throw it into the lake if she is not back by the first snow.",
		"What do I do with the brass key?",
		"into the lake"
	],
	[
		"The gravedigger's goat has one golden horn, and the children say that whoever touches it will never be lied to again.",
		"What do the children say about the goat's horn?",
		"lied to"
	],
	[
		"The cook admitted late at night that the soup of the king was never poisoned, for it had been swapped for the soup of his dog.",
		"What had the soup of the king been swapped for?",
		"dog"
	],
	[
		"Between the mill and the chapel lies a sunken lane where no dog will walk since the hanging of the three brothers.",
		"Since when will no dog walk in the sunken lane?",
		"three brothers"
	],
]
# What the player says, and what the NPC answers.
const TALKS: Array[Array] = [
	[
		"I have deserted from the army. I threw my helmet into the Ruhr. Will you hide me?",
		"My loft is empty. You may stay until Sunday."
	],
	[
		"The abbot is a liar. He sold the relics to pay for wine. I saw the bill.",
		"I have polished those relics. They are all there."
	],
	[
		"I come from Nordheim. My wife left me there. She took the mule.",
		"A good mule is worth 60 silver."
	],
	[
		"Good day! I drowned the witch of Elm Fen. Who pays me?",
		"Nobody here does. She healed my daughter."
	],
	[
		"Listen well. I will set fire to the mill on Friday. Keep your children in.",
		"I will tell the miller at once."
	],
	[
		"I hate Brother Anselm. He beat my cousin Ute in Lorch.",
		"He taught me to read. I owe him a lot."
	],
	[
		"It is cold. I lost my gloves at Saint Veit. Have you a pair?",
		"I knit some. They cost four copper."
	],
	[
		"You look pale. I was ill, too, when I came from Trier.",
		"My fever is gone. I slept for two days."
	],
	[
		"I once was a hangman in Calw. I hanged eleven men. I dream of them.",
		"My uncle was one of them. Leave my house."
	],
	[
		"Who keeps the bees? I am Roderick of Stone Ford. I like honey.",
		"I keep them. I am called Hedwig."
	],
	[
		"Forgive me. I broke your jug last night. It was an accident.",
		"It was my mother's. I have no other."
	],
	[
		"My son is the king's page. He writes twice a year. He is ten.",
		"My son is dead. He was ten as well."
	],
	[
		"I will never pay the toll. The bridge belongs to all. Tell the count.",
		"I am the count's sister. I shall tell him."
	],
	[
		"The treasure is under the oak. I dug there for a week. I found a boot.",
		"I buried the boot. The treasure is elsewhere."
	],
	[
		"I am with child. Do not tell Konrad. He would be furious.",
		"Konrad knows. He told me so himself."
	],
	[
		"We sail at dawn. The captain is drunk. I fear for the ship.",
		"I will pray for you. I lost two brothers at sea."
	],
	[
		"I stole your hen. I was hungry. It was a very good hen.",
		"Then you mend my fence. I call that fair."
	],
	[
		"The wolf is no wolf. It is the baker. I saw him change.",
		"The baker is my husband. He snores, that is all."
	],
	["I have the plague. Keep away from me. Burn my coat.", "I had it in Mainz. I do not fear it."],
	[
		"I painted the saint. I used the face of your sister Ida.",
		"Ida would laugh. She was no saint at all."
	],
	["Hello! I saw a red star over Worms. It means war.", "It means rain. My knees say so."],
]


func test_the_answers_of_late_words_reach_the_prompt() -> void:
	var memory := make_memory()
	for each: Array in MEMORIES:
		memory.store(each[0] as String, 6)
	for number: int in 30:
		memory.store("We spoke of the harvest and of the price of wool on day %d." % number, 4)
	var missing := PackedStringArray()
	for each: Array in MEMORIES:
		var prompt := NPCContextBuilder.build(memory, each[1] as String)
		var best := memory.recall_best(each[1] as String)
		var dossier: String = memory.build_dossier(each[1] as String).text
		for text: String in [prompt["prompt"] as String, best["rendered_text"] as String, dossier]:
			if not (each[2] as String) in text:
				missing.append("%s: %s" % [each[1], best["rendered_text"]])
	check_equal(missing, PackedStringArray())


func test_small_budgets_take_the_best_memory_whole_and_then_short_forms() -> void:
	var memory := make_memory()
	for each: Array in MEMORIES:
		memory.store(each[0] as String, 6)
	for each: Array in MEMORIES:
		var answer := memory.retrieve_scored(each[1] as String, 150).filter(
			func(candidate: Dictionary) -> bool: return not candidate["protected"]
		)
		check_equal(answer[0]["used_form"], "full", each[1] as String)
		for candidate: Dictionary in answer:
			var form: String = candidate["used_form"]
			check_equal(candidate["rendered_text"], candidate["document_" + form])


func test_product_keeps_short_forms_for_what_is_less_relevant() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.score_mode = MemoryConfig.PRODUCT
	memory.store(MEMORIES[0][0] as String, 6)
	var best := memory.recall_best(MEMORIES[0][1] as String)
	check(best["similarity"] < 0.85, str(best["similarity"]))
	check_equal(best["used_form"], "short")
	check_equal(memory.recall_best(MEMORIES[0][0] as String)["used_form"], "full")


func test_nobodys_words_become_anothers() -> void:
	var memory := make_memory()
	for each: Array in TALKS:
		NPCContextBuilder.record_interaction(memory, each[0] as String, {"response": each[1]})
	var talks := memory.get_recent(60).filter(
		func(record: Dictionary) -> bool:
			return record["metadata"]["event_type"] in ["conversation", "first_meeting"]
	)
	check_equal(talks.size(), TALKS.size())
	for record: Dictionary in talks:
		_check_speakers(record["document_full"] as String, record["document_short"] as String)


# The prompt has the short form of a memory when nothing longer fits.
func test_a_prompt_without_room_keeps_the_speakers() -> void:
	for each: Array in TALKS:
		var memory := make_memory()
		NPCContextBuilder.record_interaction(memory, each[0] as String, {"response": each[1]})
		for budget: int in range(20, 90, 5):
			var options := {"budgets": {"memories": budget}, "recent_turns": []}
			var prompt := NPCContextBuilder.build(memory, each[0] as String, options)
			for line: String in (prompt["sections"]["memories"]["text"] as String).split("\n"):
				if "The player said" in line or "I answered" in line:
					var said := '"%s"' % '" I answered: "'.join(line.split("' I answered: '"))
					check(said.count("The player said: ") == 1, "%d tokens: %s" % [budget, line])
					check(said.count(" I answered: ") == 1, "%d tokens: %s" % [budget, line])


func test_long_messages_are_remembered_to_their_end() -> void:
	var small_talk := "We came down the valley in the fog, and the oxen were afraid of it. ".repeat(
		12
	)
	var memory := make_memory()
	var answer := {"response": small_talk + "My sister is called Edeltraud."}
	NPCContextBuilder.record_interaction(memory, small_talk + "My dog is called Rufus.", answer)
	var options := {"recent_turns": []}
	check_contains(
		NPCContextBuilder.build(memory, "What is my dog called?", options)["prompt"] as String,
		"My dog is called Rufus."
	)
	check_contains(
		NPCContextBuilder.build(memory, "What is your sister called?", options)["prompt"] as String,
		"My sister is called Edeltraud."
	)
	memory.config = MemoryConfig.new()
	memory.config.max_text_chars = 1000
	var stored: Array = NPCContextBuilder.record_interaction(memory, small_talk, answer)["stored"]
	check(stored.size() >= 1 and (stored[0]["text"] as String).length() <= 1000, str(stored))


func _check_speakers(full: String, short: String) -> void:
	var words := _words_of(full)
	var shown := _words_of(short)
	check_equal(shown.size(), 2, short)
	for index: int in shown.size():
		var piece := shown[index].trim_prefix("...").trim_suffix("...").strip_edges()
		check(piece and piece in words[index], "%s\n    of %s" % [short, full])


# What the player said, and what the NPC answered.
static func _words_of(exchange: String) -> PackedStringArray:
	var pattern := RegEx.create_from_string('The player said: "([^"]*)" I answered: "([^"]*)"$')
	var said := pattern.search(exchange)
	return PackedStringArray() if said == null else said.strings.slice(1)
