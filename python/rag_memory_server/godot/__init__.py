"""The Godot classes and calls of the server part."""
