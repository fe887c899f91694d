"""One NPC's memory: what a game calls."""
