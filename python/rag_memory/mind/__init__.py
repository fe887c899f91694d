"""What an NPC makes of her memories: relationships, her own state, summaries."""
