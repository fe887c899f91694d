"""One NPC of a save, a facade that holds its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.conversation import Conversation
from rag_memory.conversation.hearers import Hearers, ListeningNpc
from rag_memory.conversation.summary_shelf import SummaryShelf
from rag_memory.conversation.turn_log import TurnLog
from rag_memory.game_call import game_call
from rag_memory.npc.archive import Archive
from rag_memory.npc.diary import Diary
from rag_memory.npc.exchange_recorder import ExchangeRecorder
from rag_memory.npc.exchange_undo import ExchangeUndo
from rag_memory.npc.exchanges import Exchanges
from rag_memory.npc.forgetting import Forgetting
from rag_memory.npc.imports import NpcImports
from rag_memory.npc.large_changes import record_large_changes
from rag_memory.npc.memories import Memories
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.npc.recall import Recall
from rag_memory.npc.relationship import Relationship
from rag_memory.npc.retriever import Retriever
from rag_memory.npc.rules import Rules
from rag_memory.npc.tools import Tools
from rag_memory.npc.unaided_answers import UnaidedAnswers
from rag_memory.prompt.context_prompts import ContextPrompts
from rag_memory.prompt.dossiers import Dossiers
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps
from rag_memory.validation import wrong_type
from rag_memory.vectors import FloatMatrix
from rag_memory.world.world import World


class Npc:
    """One NPC of a save. `save.npc(npc_id)` makes it.

    `on_event` is called with the name and arguments of what happened: ("memory_added", (id,)),
    ("milestone_created", (type,)), ("memories_recalled", (count,)), ("memory_superseded", (id, by_id)),
    ("memories_consolidated", (removed, summary_ids)).
    """

    def __init__(
        self, save: SaveContext, npc_id: str, config: MemoryConfig, world: World, turns: TurnLog
    ) -> None:
        self.npc_id = npc_id
        self.on_event: EventFunction | None = None
        self._turns = turns
        self._world = world
        self.records = records = OwnedRecords(save, npc_id, _validated(config), self._emit)
        self.player = player = PlayerRelationship(
            records,
            lambda: world.profiles.initial_relationship(npc_id),
            lambda id: world.people.are_acquainted(npc_id, id),
        )
        self._summaries = SummaryShelf(records, turns)
        retriever = Retriever(records, player, world, self._summaries)
        self.writer = writer = MemoryWriter(records, self._note_added)

        def listening(id: str) -> ListeningNpc:
            npc = cast(Npc, world.context.npc(id))
            # Its node may never have called anything, or not since the game changed its language.
            npc.config = save.config_of(id) or npc.config
            return npc

        hearers = Hearers(save, world.people, listening)
        self.rules = Rules(lambda: records.config, save.now)
        forgetting = Forgetting(records, turns, lambda: self.mind.reload())
        self.memories = Memories(records, writer, self._emit, forgetting, world, hearers, turns)
        self.archive = Archive(records, self._emit)
        self.recall = Recall(records, retriever, turns, world, self._emit)
        self.relationship = Relationship(records, player, retriever, writer, self.rules, world.people)
        self.mind = NpcMind(records, writer, self.recall, hearers, world.people.registered_name)
        self.mind.log.on_disposition = record_large_changes(records, world)
        self.conversation = Conversation(records, writer, turns, world, hearers)
        self.diary = Diary(records, world)
        self.dossiers = Dossiers(records, retriever, self.conversation, world, self._emit)
        self.prompts = ContextPrompts(
            records, retriever, player, self.mind, self.conversation, self.dossiers, world, self._emit
        )
        recorder = ExchangeRecorder(records, writer, player, self.conversation, world)
        self.unaided_answers = UnaidedAnswers(
            records,
            self.recall,
            retriever,
            self.mind,
            self.conversation,
            world.people,
            world.open_matters,
        )
        self.exchanges = Exchanges(
            records, self.mind, self.prompts, recorder, self.unaided_answers, self._undo_exchange
        )
        self.exchange_undo = ExchangeUndo(records, world, player, self.exchanges)
        self.tools = Tools(records, retriever, writer, self.mind.reload)
        self.imports = NpcImports(records, writer, self.conversation, self.tools)

    @property
    def config(self) -> MemoryConfig:
        """How memories are stored, scored and selected. A value out of range raises ConfigError."""
        return self.records.config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        if config != self.records.config:
            config = _validated(config)
            self.archive.reload()
        self.records.config = config

    @game_call(writes=True)
    def clear_all_memories(self) -> int:
        """Deletes all memories of this NPC for good, and returns how many there were.

        It also deletes the NPC's feelings and its conversations with the player (`get_turns()`). What
        happened in the world stays.
        """
        try:
            with self.records.store.transaction():
                count = self.records.writer.delete_all()
                self._turns.forget(self.npc_id)
        except BaseException:
            self.reload()
            raise
        self.mind.reload()
        self.records.save.note_loaded(self.npc_id)
        self.forget_exchanges()
        return count

    @game_call()
    def get_open_matters(self, with_id: str = "", include_closed: bool = False) -> list[dict[str, Any]]:
        """Returns what is open between this NPC and others: promises, debts, threats, appointments,
        unanswered questions and tasks, as `MemoryWorld.get_open_matters()` does for all NPCs.

        Args:
            with_id: only what is open with this character, such as `"player"`; empty for anybody.
            include_closed: also those that something has ended, last.
        """
        return self._world.open_matters.get_open_matters(self.npc_id, with_id, include_closed)

    def load_steps(self) -> Steps[None]:
        """Load the search index in slices.

        Without it the first question does so in one piece, in 0.04 s per thousand memories. It waits while
        a smaller NPC is being loaded: a caller that loads several NPCs at once gives each a slice in turn.
        """
        yield from self.records.index.load_steps()
        if self._world.has_shared():
            yield from self._world.load_steps()
        yield from self._summaries.load_steps()

    def idle_steps(self) -> Steps[None]:
        """Do the work that can wait: consolidation, the search index, reflection and summaries."""
        yield from self.archive.idle_steps()
        yield from self.records.index.build_steps()
        yield from self.mind.idle_steps()
        yield from self.conversation.idle_steps()
        yield from self._summaries.load_steps()

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self.records.reload(keep_index)
        self.archive.reload()
        self.mind.reload()

    def forget_exchanges(self) -> None:
        """Forget exchanges that were begun, and turns that wait for the game's extractor: neither may write
        into a state of the save that was loaded meanwhile.
        """
        self.exchanges.forget()
        self.conversation.forget_unread()

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        self.records.index.unload()

    def forget_accesses(self, moment: float) -> None:
        """Set accesses that are later than `moment` to `moment`, as the store has done."""
        self.records.index.forget_accesses(moment)

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Replace the vectors of these memories where they are loaded."""
        self.records.index.take_vectors(keys, vectors)

    def _undo_exchange(self, exchange: str) -> None:
        self.exchange_undo.undo_exchange(exchange)

    def _note_added(self) -> None:
        self.archive.note_added()
        self.mind.reflections.note_memories()

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)


def _validated(config: MemoryConfig) -> MemoryConfig:
    """The config itself when its values have their types, so that callers recognise what they have set."""
    if not isinstance(config, MemoryConfig):
        raise wrong_type("config", "config", config, "a MemoryConfig")
    validated = config.validated()
    return config if validated == config else validated
