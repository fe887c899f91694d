"""Insights and facts: conclusions that one NPC draws from its memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.game_call import game_call
from rag_memory.memory import secrecy
from rag_memory.memory.amendment import amended
from rag_memory.memory.conflicts import Conflicts, StoredMemories
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.interaction import REFLECTION as REFLECTION_ENTRY
from rag_memory.memory.interaction import REPEATED_THROUGH, THROUGH
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.memory_view import described
from rag_memory.memory.record import Record
from rag_memory.mind import reflection
from rag_memory.mind.asking import answered_steps
from rag_memory.mind.reflection import Insight
from rag_memory.npc.interaction_log import InteractionLog
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.storage.filter import parse_filter
from rag_memory.storage.sql.interactions import newest_of_kind
from rag_memory.validation import to_json, validate_flag, validate_text

_IMPORTANCE_OF_ONE = 10.0


class Reflections:
    """Draws insights from memories, and stores and returns facts."""

    def __init__(
        self, records: OwnedRecords, writer: MemoryWriter, log: InteractionLog, emit: EventFunction
    ) -> None:
        self._records = records
        self._writer = writer
        self._log = log
        self._emit = emit
        self._may_reflect = False

    def note_memories(self) -> None:
        """Allow reflection, because memories were added, if the game uses this mind at all."""
        self._may_reflect = self._log.is_used

    @game_call(writes=True)
    @in_slices
    def reflect(self, force: bool = False) -> Steps[list[str]]:
        """Draws conclusions from the most recent memories and returns their ids.

        From the last `NPCMindConfig.reflection_memories` memories the NPC draws up to
        `NPCMindConfig.reflection_insights` insights. Each is a memory of the event type `reflection` with the
        ids of its `evidence`, and replaces an older one that said the opposite of the same character or
        place. An insight that the NPC already had gets more evidence instead. A favour that the NPC owes
        becomes a fact.

        `MemoryServer.reflector` may draw them; without one they follow from who did what, how often and
        where. With `NPCMindConfig.auto_reflect` all of this happens by itself.

        Args:
            force: `false` does nothing while less importance has gathered than
                `NPCMindConfig.reflection_threshold`.
        """
        force = validate_flag("reflect()", "force", force)
        self._may_reflect = False
        npc = self._records.npc
        if npc is None or not (force or self._gathered() > self._log.config.reflection_threshold):
            return []
        last = self._records.last()
        details = {
            THROUGH: 0 if last is None else last.key,
            REPEATED_THROUGH: self._records.store.archive.last_number(npc),
        }
        evidence = self._evidence()
        seen = reflection.seen(evidence)
        yield Step(0, 1, "reflecting")
        insights = [
            insight
            for insight in (yield from self._insights_steps(evidence, seen))
            if all(self._records.store.records.is_used(npc, id) for id in insight.evidence)
        ]
        ids = []
        by_id = {record.id: record.metadata(self._records.npc_id) for record in evidence}
        for insight in insights[: self._log.config.reflection_insights]:
            ids.append(self._conclude(insight, REFLECTION, by_id))
            yield Step(len(ids), len(insights), "reflecting")
        for debt in reflection.debts_from(self._records.config, seen):
            fact = debt if debt.stance == reflection.GOOD else self._settling(debt, by_id)
            if fact is not None:
                ids.append(self._conclude(fact, FACT, by_id))
            yield Step(len(ids), len(insights), "reflecting")
        entry = self._log.entry(REFLECTION_ENTRY, "", "", 0.0, "", None, self._records.save.now())
        self._log.write(entry._replace(details=details))
        self._emit("reflected", (ids,))
        return ids

    @game_call()
    def get_importance_since_reflection(self) -> float:
        """Returns how much importance has gathered since the last reflection.

        A memory of importance 10 counts 1, and so does each time that it happened again. Insights and learned
        facts do not count.
        """
        return self._gathered()

    @game_call(writes=True)
    def learn_fact(self, text: str, data: Mapping[str, Any] | None = None) -> str:
        """Stores something the NPC knows, such as `"Wolves are dangerous at night."`, and returns its id.

        Learning a fact again only raises its `repeat_count`.

        Args:
            data: `importance` (5 when left out), and the keys of `data` in `RAGMemory.store()`.
        """
        fields: Any = data
        importance: Any = 5
        if data is None or isinstance(data, Mapping):
            fields = {"event_type": FACT, **(data or {}), "kind": FACT}
            importance = fields.pop("importance", 5)
        return self._writer.store("learn_fact()", MemoryDraft(text, importance, fields))

    @game_call()
    def get_facts(self, about: str = "") -> list[dict[str, Any]]:
        """Returns what the NPC knows, newest first: what `learn_fact()` stored, and conclusions.

        Args:
            about: only facts that name this person, place or thing, in their text or their metadata; empty
                for all.
        """
        about = validate_text("get_facts()", "about", about).strip().casefold()
        facts = [record for record in self._of_kind(FACT) if not record.superseded_by]
        memories = [
            described(fact, self._records.npc_id, self._records.config, False) for fact in facts[::-1]
        ]
        return [memory for memory in memories if not about or about in _words_of(memory)]

    def idle_steps(self) -> Steps[None]:
        """Reflect in the background, when NPCMindConfig.auto_reflect asks for it."""
        if self._may_reflect and self._log.config.auto_reflect:
            yield from self.reflect.steps()

    def _gathered(self) -> float:
        npc = self._records.npc
        if npc is None:
            return 0.0
        last = self._records.store.interactions.first(npc, newest_of_kind(REFLECTION_ENTRY))
        details = {} if last is None else last.details
        records, through = self._records.store.records, details.get(THROUGH, 0)
        repeated_through = details.get(REPEATED_THROUGH, 0)
        return records.importance_after(npc, through, repeated_through) / _IMPORTANCE_OF_ONE

    def _evidence(self) -> list[Record]:
        """The most recent memories of what happened, oldest first."""
        wanted = self._log.config.reflection_memories
        count = 2 * wanted
        while True:
            newest = self._records.newest(count, 1)
            evidence = [record for record in newest if reflection.is_evidence(record)]
            if len(evidence) >= wanted or len(newest) < count:
                return evidence[:wanted][::-1]
            count *= 2

    def _insights_steps(
        self, evidence: Sequence[Record], seen: Sequence[reflection.Seen]
    ) -> Steps[list[Insight]]:
        count = self._log.config.reflection_insights
        if self._records.save.reflector is not None and len(seen) >= reflection.LEAST_EVIDENCE:
            insights = yield from answered_steps(
                self._records.save.reflector,
                reflection.request(self._records.npc_id, evidence, count),
                self._records.config.summarizer_timeout_seconds,
                lambda answer: reflection.answered(answer, seen, count, self._records.config),
                f"The reflector drew no conclusions for {self._records.npc_id}",
                "They are drawn without it.",
            )
            if insights is not None:
                return insights
        return reflection.insights_from(self._records.config, seen)

    def _settling(self, insight: Insight, of: dict[str, dict[str, Any]]) -> Insight | None:
        """The insight that a debt is settled, with the evidence of the debt; None for one she never knew of.
        `of` gets the metadata of that evidence.
        """
        for record in self._of_kind(FACT):
            debt = record.metadata(self._records.npc_id)
            is_same = debt.get("subject") == insight.subject and debt.get("stance") == reflection.GOOD
            before = debt.get("evidence")
            if is_same and not record.superseded_by and isinstance(before, list):
                of.update({id: debt for id in before if id not in of})
                return insight._replace(evidence=tuple(dict.fromkeys([*before, *insight.evidence])))
        return None

    def _conclude(self, insight: Insight, kind: str, of: Mapping[str, Mapping[str, Any]]) -> str:
        """Store an insight, or strengthen the memory that says so already; its id. `of` is the metadata of
        its evidence, by id.
        """
        now, same = self._records.save.now(), None
        secrets = [of[id] for id in insight.evidence]
        opposite: list[Record] = []
        for record in self._of_kind(kind):
            extra = record.metadata(self._records.npc_id)
            if record.superseded_by or extra.get("subject") != insight.subject:
                continue
            if extra.get("stance") == insight.stance and (
                insight.text.casefold() == record.document_full.casefold()
                or not (insight.is_told or extra.get("is_told"))
            ):
                same = record
            elif insight.stance and extra.get("stance") == -insight.stance:
                opposite.append(record)
        if same is not None:
            metadata = same.metadata(self._records.npc_id)
            before = metadata.get("evidence")
            evidence = self._newest_evidence(before if isinstance(before, list) else [], insight)
            if evidence != before or insight.text != same.document_full:
                changes = {
                    "text": insight.text,
                    "evidence": evidence,
                    "check_names": False,
                    "timestamp": now,
                    **secrecy.of_all([metadata, *secrets]),
                }
                config = self._records.config
                changed = amended(self._records.npc_id, config, now, same, changes)
                self._records.writer.amend(same, changed)
            return same.id
        data = {
            "event_type": kind,
            "kind": kind,
            "subject": insight.subject,
            "stance": insight.stance,
            "about": list(insight.about),
            "entities": list(insight.about),
            "evidence": self._newest_evidence([], insight),
            "check_names": False,
            **({"is_told": True} if insight.is_told else {}),
            **secrecy.of_all(secrets),
        }
        importance = self._log.config.reflection_importance
        draft = MemoryDraft(insight.text, importance, data)
        return self._writer.store("reflect()", draft, rule=_superseding(opposite))

    def _newest_evidence(self, before: Sequence[str], insight: Insight) -> list[str]:
        """The evidence with what an insight adds; of very much the newest, which may take half of the room
        for metadata.
        """
        room = self._records.config.max_metadata_chars // 2
        evidence: list[str] = []
        for id in dict.fromkeys([*insight.evidence[::-1], *before[::-1]]):
            room -= len(to_json(id)) + 2
            if room < 0:
                break
            evidence.append(id)
        return evidence[::-1]

    def _of_kind(self, kind: str) -> list[Record]:
        """Every memory of a kind, in the order in which they were stored."""
        npc = self._records.npc
        if npc is None:
            return []
        (condition,) = parse_filter("get_facts()", {"kind": kind})
        keys = self._records.store.lists.keys_where(npc, condition)
        return self._records.store.records.by_keys(keys.tolist())


def _superseding(records: list[Record]) -> Callable[[StoredMemories, int, Record], Conflicts]:
    def conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        return Conflicts([], records)

    return conflicts


def _words_of(memory: Mapping[str, Any]) -> str:
    metadata = memory["metadata"]
    named = [
        *metadata["participants"],
        *metadata["entities"],
        metadata["location"],
        *metadata.get("about", []),
    ]
    return " ".join([memory["document"], *named]).casefold()
