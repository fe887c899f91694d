"""What is true in the world, who knows it, and what the NPCs are to do: the calls of MemoryWorld."""
