"""What one NPC makes of what happens to her: everything a game asks of it."""

from __future__ import annotations

from rag_memory.npc.feeling import Feeling
from rag_memory.npc.listening import Listening
from rag_memory.npc.perceiving import Perceiving
from rag_memory.npc.reflecting import Reflecting


class NpcMind(Perceiving, Reflecting, Feeling, Listening):
    """The mind of one NPC; `NpcMemory.mind` is it.

    `on_event` is called with the name and arguments of what happened: ("disposition_changed", (character_id,
    feeling, strength)), ("emotion_changed", (mood, intensity)), ("memory_encoded", (memory_id, kind)),
    ("reflected", (ids,)).
    """
