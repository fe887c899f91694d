"""The only place that knows Godot: what its classes look like and how a message becomes a core call."""
