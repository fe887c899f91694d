@tool
# Opens the editor and looks at nothing.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"
