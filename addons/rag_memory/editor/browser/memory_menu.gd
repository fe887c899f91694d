@tool
extends PopupMenu
## The actions for the selected memories.

enum RAGItem { EDIT, PIN, UNPIN, RESTORE, FORGET, UNDO_EXCHANGE, MERGE, COPY_ID, COPY_TEXT }


## Opens the menu for living or archived memories; `exchange_id` is of the memory at the cursor.
func open(at: Vector2, is_archive: bool, exchange_id: String) -> void:
	clear()
	if is_archive:
		_add(RAGItem.RESTORE, "Restore", &"Reload", KEY_NONE)
	else:
		_add(RAGItem.EDIT, "Edit", &"Edit", KEY_F2)
		_add(RAGItem.PIN, "Pin", &"Pin", KEY_NONE)
		_add(RAGItem.UNPIN, "Unpin", &"Unlock", KEY_NONE)
		_add(RAGItem.FORGET, "Forget", &"Remove", KEY_DELETE)
	if exchange_id:
		_add(RAGItem.UNDO_EXCHANGE, "Undo Exchange …", &"Undo", KEY_NONE)
	if not is_archive:
		_add(RAGItem.MERGE, "Merge Old Memories …", &"Groups", KEY_NONE)
	add_separator()
	_add(RAGItem.COPY_TEXT, "Copy Text", &"ActionCopy", KEY_C | KEY_MASK_CMD_OR_CTRL)
	_add(RAGItem.COPY_ID, "Copy Id", &"ActionCopy", KEY_NONE)
	reset_size()
	position = Vector2i(at)
	popup()


func _add(item: RAGItem, text: String, icon: StringName, key: int) -> void:
	add_icon_item(get_theme_icon(icon, &"EditorIcons"), text, item, key as Key)
