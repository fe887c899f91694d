@tool
extends EditorDebuggerPlugin
## One tab per debugger session: what the memories of the running game do. The game sends only while
## the tab is looked at.

const RAGLiveTab := preload("res://addons/rag_memory/editor/live/live_tab.gd")
const PREFIX := "rag_memory"
const _SCENE := preload("res://addons/rag_memory/editor/live/live_tab.tscn")

var _tabs: Dictionary[int, RAGLiveTab] = {}


func _setup_session(session_id: int) -> void:
	var session := get_session(session_id)
	var tab: RAGLiveTab = _SCENE.instantiate()
	tab.name = "RAG Memory"
	tab.watch = _watch.bind(session)
	session.started.connect(tab.start)
	session.stopped.connect(tab.stop)
	session.add_session_tab(tab)
	_tabs[session_id] = tab


func _has_capture(capture: String) -> bool:
	return capture == PREFIX


func _capture(message: String, data: Array, session_id: int) -> bool:
	var tab := _tabs[session_id]
	match message.trim_prefix(PREFIX + ":"):
		"hello":
			tab.greet()
		"state":
			tab.show_state(data[0])
		"calls":
			tab.add_calls(data[0], data[1])
		_:
			return false
	return true


## Takes the tabs away again.
func remove_tabs() -> void:
	for session_id in _tabs:
		var session := get_session(session_id)
		var tab := _tabs[session_id]
		if session != null:
			session.remove_session_tab(tab)
		tab.queue_free()
	_tabs.clear()


func _watch(is_watched: bool, session: EditorDebuggerSession) -> void:
	if session.is_active():
		session.send_message(PREFIX + ":watch", [is_watched])
