@tool
# Looks at a save in the browser: NPCs, rows, order, filters, both searches, what is archived.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

const RememberedSplit := preload("res://addons/rag_memory/editor/remembered_split.gd")
const SavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")


func play() -> void:
	find_browser()
	make_visible()
	await frames(5)
	say("python_before", MemoryServer.health().state)
	say("advice", [browser.table.empty_text, empty_button().text, empty_button().visible])
	say("saves", Array(SavesFolder.list_saves()))
	EditorInterface.open_scene_from_path("res://npc.tscn")
	await frames(5)
	var elena := EditorInterface.get_edited_scene_root().get_node("Elena")
	EditorInterface.get_selection().add_node(elena)
	await open_save("slot_1")
	say("of_selection", browser.npc_list.npc_id)
	say("npcs", npcs())
	await choose_npc("elena")
	say("newest_first", shown_texts())
	browser.table.choose(0)
	await settled()
	say_unexplained(browser)
	say("events", browser.npc_list.event_types)
	browser.table.sort_requested.emit("importance")
	await settled()
	say("by_importance", shown_texts())
	browser.table.sort_requested.emit("importance")
	await settled()
	say("by_importance_rising", shown_texts())
	await search("bridge")
	say("words", shown_texts())
	say("heading", heading())
	browser.filter_bar.by_meaning.button_pressed = true
	await search("the bridge is out")
	say("meaning", shown_texts())
	say("meaning_columns", titles())
	browser.filter_bar.by_meaning.button_pressed = false
	await search("zeppelin")
	say("no_match", [browser.table.empty_text, empty_button().text, heading()])
	empty_button().pressed.emit()
	await settled()
	say(
		"all_again",
		[browser.filter_bar.search.text, heading(), empty_button().is_visible_in_tree()]
	)
	await choose(browser.filter_bar.tier, 1)
	say("pinned", shown_texts())
	await choose(browser.filter_bar.tier, 0)
	await choose(browser.filter_bar.show_option, FilterBar.RAGShow.SUPERSEDED)
	say("superseded", shown_texts())
	await choose(browser.filter_bar.show_option, FilterBar.RAGShow.ARCHIVED)
	say("archived", shown_texts())
	browser.table.choose(0)
	await settled()
	say_unexplained(browser)
	say("archived_columns", titles())
	browser.filter_bar.clear()
	browser.filter_bar.importance.value = 8
	await settled()
	say("important", shown_texts())
	browser.filter_bar.clear()
	await settled()
	await use_keys()
	drag_the_splitter()
	browser.show_timeline.button_pressed = true
	await settled()
	var life := browser.timeline._painter.life
	say("links", life.links.map(func(link: Dictionary) -> String: return link.kind))
	browser.timeline.grab_focus()
	for step in 8:
		press(KEY_LEFT)
		await settled()
	say("marked", browser.details.memory().get("document_full", ""))
	press(KEY_EQUAL)
	await until(
		func() -> bool:
			var part := browser.timeline._painter.life
			return part.end - part.begin < life.end - life.begin
	)
	await settled()
	say("zoomed", true)
	var id: String = browser.timeline._painter.life.links[0].to.id
	await browser.show_memory(id)
	await settled()
	say("linked", browser.details.memory().id == id)
	await look_at_world()
	await filter_npcs()
	browser.save_bar.open_button.pressed.emit()
	await settled()
	say("closed", [browser.session.save_id, browser.pages.total, browser.npc_list.npc_id])


func look_at_world() -> void:
	browser.show_world.button_pressed = true
	await settled()
	var view := browser.world
	for kind in view.kind.item_count:
		await choose(view.kind, kind)
		say("world", [view.kind.get_item_text(kind), world_rows()])
	await choose(view.kind, 0)
	view.list.get_root().get_child(1).select(0)
	await until(func() -> bool: return not "Known to …" in view.details.text)
	say("knowers", view.details.text)
	say_unexplained(browser)
	view.list.get_root().get_child(0).select(0)
	await until(func() -> bool: return not "Known to …" in view.details.text)
	say("knowers_of_rumor", view.details.text)
	view.only_npc.button_pressed = true
	await choose(view.kind, 1)
	say("known_rumors", world_rows())
	await choose(view.kind, 0)
	await choose_npc("Bjorn")
	say("known", [view.only_npc.text, world_rows()])
	await choose_npc("elena")
	view.only_npc.button_pressed = false
	await choose(view.kind, 0)
	view.filter.text = "MILL"
	view.filter.text_changed.emit("MILL")
	say("filtered", world_rows())
	view.filter.text = "zeppelin"
	view.filter.text_changed.emit("zeppelin")
	say("world_empty", view.get_node("%WorldEmpty").text)
	view.filter.clear()
	await browser.session.ask_world(&"set_flags", [{"mill_burned": null}])
	await choose(view.kind, 5)
	say("no_flags", [view.get_node("%WorldEmpty").text, view.get_node("%WorldHelp").visible])
	browser.show_table.button_pressed = true
	await settled()
	say("table_again", [browser.table.is_visible_in_tree(), browser.details.visible])


func world_rows() -> Array:
	return browser.world.list.get_root().get_children().map(
		func(item: TreeItem) -> Array:
			return range(1, 4).map(func(column: int) -> String: return item.get_text(column))
	)


func filter_npcs() -> void:
	var filter: LineEdit = browser.get_node("%NpcFilter")
	say("no_filter", filter.visible)
	for number in 12:
		await browser.session.ask("guard_%d_of_the_old_mill" % number, &"store", ["I watch."])
	await browser.npc_list.refresh()
	say("filter", filter.visible)
	filter.text = "D_11"
	filter.text_changed.emit(filter.text)
	say(
		"filtered_npcs",
		(
			browser
			. npc_list
			. get_root()
			. get_children()
			. filter(func(item: TreeItem) -> bool: return item.visible)
			. map(func(item: TreeItem) -> String: return item.get_text(0))
		)
	)
	filter.clear()


func npcs() -> Dictionary:
	var found := {}
	for item in browser.npc_list.get_root().get_children():
		found[item.get_text(0)] = item.get_text(1)
	return found


func titles() -> Array:
	return browser.table._layout.map(func(column: Variant) -> String: return column.title)


func search(words: String) -> void:
	browser.filter_bar.search.text = words
	browser.filter_bar.search.text_submitted.emit(words)
	await settled()


func choose(option: OptionButton, index: int) -> void:
	option.select(index)
	option.item_selected.emit(index)
	await settled()


func use_keys() -> void:
	browser.table.grab_focus()
	var found := []
	for key: Key in [KEY_DOWN, KEY_DOWN, KEY_END, KEY_UP, KEY_HOME, KEY_PAGEDOWN]:
		press(key)
		await settled()
		found.append(browser.table.cursor)
	say("cursor", found)
	press(KEY_HOME)
	press(KEY_DOWN, false, true)
	await settled()
	var range := browser.table.selected_range()
	say("selected", [range.x, range.y])
	press(KEY_F2)
	await frames(2)
	say("edits_text", browser.details.text.has_focus())
	press(KEY_F, true)
	await frames(2)
	say("searches", browser.filter_bar.search.has_focus())
	await search("bridge")
	press(KEY_DOWN)
	say("to_the_list", [browser.table.has_focus(), browser.pages.total])
	press(KEY_F, true)
	press(KEY_ESCAPE)
	await settled()
	say("search_cleared", [browser.table.has_focus(), browser.pages.total])
	press(KEY_A, true)
	var all := browser.table.selected_range()
	say("all_selected", [all.x, all.y])
	var copies := []
	browser.table.copy_requested.connect(func() -> void: copies.append(true), CONNECT_ONE_SHOT)
	press(KEY_C, true)
	await settled()
	say("copies", copies.size())


# Where a splitter was dragged to, it is the next time.
func drag_the_splitter() -> void:
	var split: SplitContainer = browser.get_node("%Rest")
	split.split_offset = -41
	split.drag_ended.emit()
	var next := HSplitContainer.new()
	RememberedSplit.keep(next, "details")
	say("splitter", next.split_offset)
	next.free()


func empty_button() -> Button:
	return browser.table.get_node("%EmptyAction")


# Of the last column.
func heading() -> String:
	return browser.table.get_column_title(browser.table.columns - 1)
