@tool
# Opens the editor and looks at nothing.
extends "res://tests/engine/editor_scenarios/editor_scenario.gd"
