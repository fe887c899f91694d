"""One NPC with all its parts, conversations with the player, and the dossier of a prompt."""
