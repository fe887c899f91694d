"""What belongs into the prompt of a turn: conversations with the player, and the dossier."""
