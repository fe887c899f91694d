"""The dossiers of one NPC: what a language model needs to know, from everything that its save has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.dossier_config import SECTIONS, NPCDossierConfig
from rag_memory.config.memory_config import MemoryConfig, ScoreMode
from rag_memory.conversation.conversation import Conversation
from rag_memory.game_call import game_call
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.open_matter import Matter
from rag_memory.prompt.dossier import dossier_of
from rag_memory.prompt.item import Item
from rag_memory.prompt.item_builder import ItemBuilder, LeftOut, parties
from rag_memory.prompt.known_world import KnownWorld
from rag_memory.prompt.portrait import background, portrait
from rag_memory.prompt.ranking import Ranking
from rag_memory.prompt.relationship_words import relationship_sentences
from rag_memory.prompt.scene import Scene
from rag_memory.prompt.section import Section
from rag_memory.retrieval.already_told import AlreadyTold
from rag_memory.retrieval.candidate import Candidate
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.searcher import Searcher
from rag_memory.step import Steps, in_slices
from rag_memory.text.terms import question_terms, words
from rag_memory.world.world import World

_CALL = "build_dossier()"
_CANDIDATES_PER_PLACE = 4
"""Candidates that are ranked for each place of a section."""
_LORE_PER_PLACE = 2
_MOST_OPEN = 3
"""Open matters."""
_COUNTED = ("memories", "events", "tasks", "lore", "debates")
_LONGEST_NAME = 5
"""Words."""


class DossierMemories(Protocol):
    """The memories of one NPC; `npc.retriever.Retriever` is it."""

    searcher: Searcher
    """Reads questions to the NPC."""

    def read(self, query: QueryText, speaker: str) -> QueryText:
        """Return a question of another character from the NPC's point of view; one of the player as it is."""

    def for_dossier(self, context: QueryText, limit: int, is_of_player: bool) -> list[Candidate]:
        """Return the memories that are most relevant to a question."""

    def header(self, id: str = PLAYER) -> dict[str, Any]:
        """Return the relationship header, or that of another character."""


class Dossiers:
    """Makes dossiers: what a language model should know for one answer of an NPC."""

    def __init__(
        self,
        records: OwnedRecords,
        retriever: DossierMemories,
        conversation: Conversation,
        world: World,
        emit: EventFunction,
    ) -> None:
        self._records = records
        self._retriever = retriever
        self._conversation = conversation
        self._world = world
        self._emit = emit

    @game_call()
    @in_slices
    def build_dossier(
        self,
        player_message: str,
        scene: Mapping[str, Any] | None = None,
        config: NPCDossierConfig | None = None,
    ) -> Steps[dict[str, Any]]:
        """Returns what a language model should know for this NPC's answer: the few facts that matter, in
        sections with hard budgets.

        The sections are, in this order: `profile` (who the NPC is, and its relationship to the player if that
        has changed since `MemoryWorld.ensure_profile()`), `backstory` (at the first meeting), `turns` (what
        was just said), `summary` (of earlier conversations), `memories`, `events`, `tasks` (with what is due
        between the NPC and the speaker, see `get_open_matters()`), `lore`, `debates` and `scene`. Empty
        sections are left out. No section is ever longer than its budget, and all of them together are not
        longer than `NPCDossierConfig.total_tokens`. A text that is too long is cut at the end of a sentence.
        A memory that the NPC has already told this speaker in this conversation has half its score, unless
        the message asks for it again. No section repeats another one. The dossier has nothing that the NPC
        cannot know, or that must not be told to those who are present. The player's current line is not part
        of it, nor are the facts of an `NPCWorldKnowledge`: add both to your prompt.

        Args:
            player_message: what the player says; empty when the NPC speaks first.
            scene: where it happens. `location` and `faction` (of the NPC) are Strings, `nearby` has the ids
                of who is there, `player` is the id of who speaks to the NPC. `time`, `description` and
                `recent_changes` (a String or an Array) are included. `personality` has what your game says of
                the NPC, with the names of the properties of an `NPCPersonality`; it comes before the NPC's
                profile. Any other key becomes a sentence: `{"weather": "rain"}` becomes "Weather: rain."
            config: budgets, counts and bonuses; without one the defaults of `NPCDossierConfig`.

        Returns:
            `text` (all of it), `tokens` (of the text), `sections` (of each `text`, `tokens` and its
            `budget`), `sources` (by section the ids of what is in it) and `left_out`: an Array of `id`,
            `section` and `reason`, at most ten for each section. The reason is `"budget"`, `"duplicate"`,
            `"out_ranked"`, `"expired"`, `"unknown_to_npc"` or `"secret"`.
        """
        asked = self._records.save.query_text(_CALL, "player_message", player_message)
        around = Scene(_CALL, self._records.npc_id, {} if scene is None else scene)
        config = (NPCDossierConfig() if config is None else config).validated()
        yield from self._records.index.load_steps()
        yield from self._world.load_steps()
        if not asked.strip():
            asked = self._records.save.query_text(_CALL, "scene", around.question)
        asked = self._retriever.read(asked, around.player)
        embedded = self._retriever.searcher.embedded(asked, around.player == PLAYER)
        # All searches together: what they are compared with is embedded once.
        with self._records.save.queries.standing_in(embedded):
            return self._dossier(asked, around, config)

    def _dossier(self, asked: QueryText, scene: Scene, config: NPCDossierConfig) -> dict[str, Any]:
        now, npc_id = self._records.save.now(), self._records.npc_id
        world = KnownWorld(
            self._world, self._records.config, npc_id, scene.player, now / CALENDAR.seconds_per_day
        )
        towards = self._world.people.towards(self._records.config, scene.player)
        others = other_names(self._records)
        character, profile, tasks = world.character(npc_id), world.profile(), world.tasks()
        turns = self._conversation.get_turns(config.most("turns"), scene.player)
        summary = self._conversation.get_conversation_summary(scene.player)["summary"]
        ranking = Ranking(
            config,
            now / CALENDAR.seconds_per_day,
            scene.location or str(character.get("location", "")),
            [scene.faction, *(str(character.get(key, "")) for key in ("faction", "clan", "culture"))],
            [name for id in scene.present for name in (world.name(id), *others.names_of(id))],
            _mentioned(others.added_to(asked), world.names()),
            [id for task in tasks if npc_id in (of := parties(task)) for id in of if id != npc_id],
            asked,
        )
        builder = ItemBuilder(
            config,
            self._records.config,
            npc_id,
            scene,
            ranking,
            now,
            world.name,
            frozenset(question_terms(asked)),
        )
        memories = self._retriever.for_dossier(
            asked, config.most("memories") * _CANDIDATES_PER_PLACE, scene.player == PLAYER
        )
        if self._records.config.score_mode != ScoreMode.PRODUCT:
            AlreadyTold(asked, self._conversation.already_told([scene.player])).apply(memories)
        left_out: dict[str, LeftOut] = {name: [] for name in SECTIONS}
        left_out["events"] += world.hidden_events(asked, config.most("events"))
        standing = profile.get("relationship_to_player", {}) if scene.player == PLAYER else {}
        past = self._past(profile, scene, bool(turns or summary))
        texts = {
            "profile": [
                *portrait(self._records.config, npc_id, character, profile, scene.personality),
                *relationship_sentences(standing, self._records.config),
            ],
            "backstory": [past],
            "summary": [summary],
            "scene": scene.sentences(self._records.config, world.name),
        }
        items = {
            **{name: _lines(name, npc_id, sentences) for name, sentences in texts.items()},
            "turns": builder.turns(turns, towards, left_out["turns"]),
            "memories": builder.memories(memories, left_out["memories"]),
            "events": builder.events(world.events(asked, config.most("events") * _CANDIDATES_PER_PLACE)),
            "tasks": [
                *builder.open_matters(self._open_matters(towards, scene)),
                *builder.tasks(tasks, left_out["tasks"]),
            ],
            "lore": builder.lore(world.lore(asked, config.most("lore") * _LORE_PER_PLACE)),
            "debates": builder.debates(world.debates(asked, config.most("debates") * _CANDIDATES_PER_PLACE)),
        }
        sections = [
            Section(
                name,
                self._records.config.sentence(f"dossier_{name}"),
                items[name],
                config.most(name) if name in _COUNTED else len(items[name]),
                config.least(name),
                config.min_relevance if name in _COUNTED else 0.0,
                items[name][::-1] if name == "turns" else (),
            )
            for name in SECTIONS
        ]
        dossier = dossier_of(config, sections, left_out)
        recalled = set(dossier["sources"].get("memories", ()))
        self._records.index.access(
            [memory.record.key for memory in memories if memory.record.id in recalled], now
        )
        self._emit("memories_recalled", (len(recalled),))
        return dossier

    def _open_matters(self, towards: MemoryConfig, scene: Scene) -> list[tuple[Matter, str]]:
        """Return what is due between the NPC and the speaker, with its text. Memories have the rest."""
        lines = self._world.open_matters.lines(
            towards, self._records.npc_id, scene.player, scene.present, _MOST_OPEN
        )
        return [(matter, line) for matter, line in lines if matter.due >= 0]

    def _past(self, profile: Mapping[str, Any], scene: Scene, has_talked: bool) -> str:
        """Return the NPC's past; "" when it has met the speaker."""
        if has_talked or self._retriever.header(scene.player)["metadata"]["relationship"]["met"]:
            return ""
        return background(profile, scene.personality)


def _lines(section: str, npc_id: str, sentences: Iterable[str]) -> list[Item]:
    id = "" if section == "scene" else npc_id
    return [Item(id, sentence, before="") for sentence in sentences if sentence.strip()]


def _mentioned(asked: str, names: Iterable[str]) -> set[str]:
    """Return the names that the question has."""
    said = words(asked)
    runs = {
        " ".join(said[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(said) - length + 1)
    }
    return {name for name in names if " ".join(words(name)) in runs}
