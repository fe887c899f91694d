"""Conversations with the player: turns, their summaries, and the facts in them."""
