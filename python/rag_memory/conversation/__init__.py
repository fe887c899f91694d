"""Conversations with the player: turns, their summaries, and the memories that they leave."""
