"""The world of a save: what is true in it, who knows it, and the tasks of its NPCs."""
