"""The parts of one NPC, with the calls that games make."""
