"""The memory of one NPC: everything a game asks of it."""

from __future__ import annotations

from rag_memory.npc.keeping import Keeping
from rag_memory.npc.recalling import Recalling
from rag_memory.npc.standing import Standing
from rag_memory.npc.storing import Storing
from rag_memory.npc.tools import Tools


class NpcMemory(Storing, Standing, Recalling, Keeping, Tools):
    """The long-term memory of one NPC in a save; `save.npc(npc_id)` makes it.

    `on_event` is called with the name and arguments of what happened: ("memory_added", (id,)),
    ("milestone_created", (type,)), ("memories_recalled", (count,)), ("memory_superseded", (id, by_id)),
    ("memories_consolidated", (removed, summary_ids)).
    """
