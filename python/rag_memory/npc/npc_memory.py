"""The memory of one NPC: everything a game asks of it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.conflicts import ConflictRule
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record
from rag_memory.npc.game_call import game_call
from rag_memory.npc.keeping import Keeping
from rag_memory.npc.knowing import Knowing
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.recalling import Recalling
from rag_memory.npc.standing import Standing
from rag_memory.npc.storing import Storing
from rag_memory.npc.tools import Tools
from rag_memory.searchable.record_writer import AlsoFunction
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.validation import shown, validate_text
from rag_memory.vectors import FloatMatrix


class NpcMemory(Storing, Standing, Recalling, Knowing, Keeping, Tools):
    """The long-term memory of one NPC in a save; `save.npc(npc_id)` makes it.

    `on_event` is called with the name and arguments of what happened: ("memory_added", (id,)),
    ("milestone_created", (type,)), ("memories_recalled", (count,)), ("memory_superseded", (id, by_id)),
    ("memories_consolidated", (removed, summary_ids)).
    """

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        super().__init__(save, npc_id, config)
        self.mind = NpcMind(save, self._records, self._remember, self.retrieve_relevant_raw)
        """What she makes of what happens."""

    def _add(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> list[str]:
        ids = super()._add(records, vectors, rule, also)
        self.mind.note_memories()
        return ids

    def idle_steps(self) -> Generator[Step, None, None]:
        """What nobody waits for: consolidation, the index, and reflecting."""
        yield from super().idle_steps()
        yield from self.mind.idle_steps()

    def import_json_steps(self, text: str) -> Generator[Step, None, int]:
        """import_json() in slices; all memories are written together, with what she feels."""
        count = yield from super().import_json_steps(text)
        self.mind.reload()
        return count

    def reload(self, keep_index: bool = False) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        super().reload(keep_index)
        self.mind.reload()

    @game_call(writes=True)
    def clear_all_memories(self) -> int:
        """Deletes all memories of this NPC for good, and returns how many there were.

        With them go what she felt and her conversations with the player (`get_turns()`). What happened in the
        world stays.
        """
        count = self._records.writer.delete_all()
        self.mind.reload()
        return count


def validate_npc_id(npc_id: Any) -> str:
    """The id of an NPC.

    Raises:
        InvalidArgumentError: it is empty, or holds what cannot be kept.
    """
    text = validate_text("an NPC", "npc_id", npc_id)
    if not text.strip() or text != npc_id:
        raise InvalidArgumentError(
            f"the npc_id is {shown(npc_id)}",
            "an NPC needs a name that can be kept: not empty, and of characters that can be written",
            'Pass a name, for example "elena"',
        )
    if not is_npc(text):
        raise InvalidArgumentError(
            f"the npc_id is {shown(npc_id)}",
            "what the world itself remembers is kept under that name",
            'Pass another name, for example "elena"',
        )
    return text
