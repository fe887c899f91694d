"""A backend without a file: dictionaries and numpy."""
