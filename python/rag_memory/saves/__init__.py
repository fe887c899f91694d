"""The parts of a save."""
