@tool
extends PopupMenu
## What can be done with the chosen memories.

enum Item { EDIT, PIN, UNPIN, RESTORE, FORGET, COPY_ID, COPY_TEXT }


## Opens the menu for living or archived memories.
func open(at: Vector2, is_archive: bool) -> void:
	clear()
	if is_archive:
		_add(Item.RESTORE, "Restore", &"Reload", KEY_NONE)
	else:
		_add(Item.EDIT, "Edit", &"Edit", KEY_F2)
		_add(Item.PIN, "Pin", &"Pin", KEY_NONE)
		_add(Item.UNPIN, "Unpin", &"Unlock", KEY_NONE)
		_add(Item.FORGET, "Forget", &"Remove", KEY_DELETE)
	add_separator()
	_add(Item.COPY_TEXT, "Copy Text", &"ActionCopy", KEY_NONE)
	_add(Item.COPY_ID, "Copy Id", &"ActionCopy", KEY_NONE)
	reset_size()
	position = Vector2i(at)
	popup()


func _add(item: Item, text: String, icon: StringName, key: Key) -> void:
	add_icon_item(get_theme_icon(icon, &"EditorIcons"), text, item, key)
