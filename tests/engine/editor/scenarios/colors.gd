@tool
# The colours that the panels draw with, and the panels' own.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const CurvePlot := preload("res://addons/rag_memory/editor/inspector/curve_plot.gd")
const Legible := preload("res://addons/rag_memory/editor/legible.gd")
const ScoreBars := preload("res://addons/rag_memory/editor/inspector/score_bars.gd")
const TimelinePainter := preload("res://addons/rag_memory/editor/browser/timeline_painter.gd")


func play() -> void:
	var control := CurvePlot.new()
	EditorInterface.get_base_control().add_child(control)
	var curves: Dictionary[String, PackedFloat64Array] = {}
	for curve in 5:
		curves[str(curve)] = PackedFloat64Array([0.0, 1.0])
	control.show_curves(curves)
	say_color("panel", control.get_theme_color(&"base_color", &"Editor"))
	for factor in ScoreBars.FACTORS.size():
		say_color("text", ScoreBars.color_of(factor, control))
	for curve in curves.size():
		say_color("text", control.color_of(curve))
	for name: StringName in [&"warning_color", &"error_color", &"success_color"]:
		say_color("text", Legible.on_panel(control.get_theme_color(name, &"Editor"), control))
	var painter := TimelinePainter.new(control)
	for lane in TimelinePainter.LANES.size():
		say_color("graphics", painter.color_of(lane))
	control.queue_free()


func say_color(name: String, color: Color) -> void:
	say(name, [color.r, color.g, color.b, color.a])
