"""Records, vectors and terms of one owner, loaded and searched; each NPC, the world and the lore has them."""
