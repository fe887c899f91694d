# In the place of NobodyWho's NobodyWhoChat, which cannot be had here: a node with the methods and
# signals of its version 10.0.0 that the recipe uses, and with no model.
extends Node

signal response_updated(new_token: String)
signal response_finished(response: String)
signal worker_started
signal worker_failed(error: String)
signal history_set

var system_prompt := ""
# What was asked for, in order.
var calls: Array[Array] = []
# What it says, a token a frame.
var tokens: Array[String] = ["The ", "roof ", "leaks."]
# How many questions it answered at the same time.
var most_at_once := 0

var _is_stopped := false
var _running := 0


func start_worker() -> void:
	worker_started.emit.call_deferred()


func reset_context() -> void:
	calls.append(["reset_context", system_prompt])


func set_chat_history(messages: Array) -> Signal:
	calls.append(["set_chat_history", messages.duplicate(true)])
	history_set.emit.call_deferred()
	return history_set


func ask(message: Variant) -> void:
	calls.append(["ask", message])
	_is_stopped = false
	if tokens.is_empty():
		worker_failed.emit("no model")
		return
	_running += 1
	most_at_once = maxi(most_at_once, _running)
	var said := ""
	for token in tokens:
		await get_tree().process_frame
		if _is_stopped:
			break
		said += token
		response_updated.emit(token)
	await get_tree().process_frame
	_running -= 1
	response_finished.emit(said)


func stop_generation() -> void:
	calls.append(["stop_generation"])
	_is_stopped = true
