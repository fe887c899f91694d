"""What is passed instead of a path for a save that is gone when it is closed."""

MEMORY_PATH = ":memory:"
"""A save in memory."""

TEMPORARY_PATH = ""
"""A save in a file without a name; its memories need not fit into memory."""
