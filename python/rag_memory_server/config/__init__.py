"""The settings of the servers: the tables of the Godot classes of the server part."""
