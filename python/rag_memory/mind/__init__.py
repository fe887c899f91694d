"""Events, feelings, reflection, relationships, the state of an NPC, and summaries."""
