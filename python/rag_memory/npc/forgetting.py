"""Forgets memories of one NPC for good, with what would bring their content back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from rag_memory.conversation.told_memories import ids_in
from rag_memory.conversation.turn_log import TurnLog
from rag_memory.memory.document import Document
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import PLAYER_SLOT
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import Listing
from rag_memory.storage.sql.archive import Merged
from rag_memory.storage.sql.query import where
from rag_memory.text.short_form import sentences_of
from rag_memory.text.terms import STOP_WORDS, terms, terms_of, words
from rag_memory.validation import list_in, mapping_in

_FEWEST_TERMS = 2
"""A turn that no memory names needs so many terms of a memory to say the same."""
_COMPARED = 3
"""Letters of a term that are looked for before a text is taken apart."""


class _Reach(NamedTuple):
    """What is forgotten: ids of memories, and archived versions that come back instead."""

    gone: set[str]
    returning: list[Merged]


class Forgetting:
    """Forgets memories. `on_forgotten` is called when feelings may have changed."""

    def __init__(self, records: OwnedRecords, turns: TurnLog, on_forgotten: Callable[[], None]) -> None:
        self._records = records
        self._turns = turns
        self._on_forgotten = on_forgotten

    def forget(self, ids: Collection[str], versions: Sequence[int] = ()) -> int:
        """Forget memories and archived memories, all of them or none, and what rests on them or says the
        same: sources of summaries, turns and their summaries, conclusions, and words in the log of
        interactions. Return how many there were. `versions`: numbers of archived versions of other memories.
        """
        npc, store = self._records.npc, self._records.store
        if npc is None or not (ids or versions):
            return 0
        existing = {id for id in ids if store.records.is_used(npc, id)}
        if not existing and not versions:
            return 0
        try:
            with self._records.save.accesses.transaction():
                store.owners.check(self._records.npc_id)
                reach = self._reach(npc, existing)
                earlier = [version.record for version in store.archive.by_numbers(versions)]
                records = {id: self._versions(npc, id) for id in reach.gone}
                asked = [record for id in existing for record in records[id]]
                for record in self._companions(npc, asked):
                    reach.gone.add(record.id)
                    records[record.id] = self._versions(npc, record.id)
                current = [store.records.get(npc, id) for id in reach.gone]
                numbers = [number for id in reach.gone for number in store.archive.numbers_of(npc, id)]
                sources = [*(record for group in records.values() for record in group), *earlier]
                keys = {record.key for record in sources}
                self._records.writer.delete([record for record in current if record is not None], reach.gone)
                for merged in reach.returning:
                    store.archive.return_version(merged.number)
                for number in versions:
                    store.archive.delete_version(number)
                documents = self._turns.forget_turns(self._records.npc_id, told_by(self._records, sources))
                entries = self._blank_interactions(npc, reach.gone)
                store.exchanges.forget_copies(
                    {
                        "memories": keys,
                        "archived_memories": [*numbers, *versions],
                        "documents": documents,
                        "interactions": entries,
                    }
                )
        except BaseException:
            self._records.reload()
            raise
        if reach.returning:
            self._records.reload()
        if entries:
            self._on_forgotten()
        return len(existing) + len({record.id for record in earlier})

    def matches(self, conditions: Sequence[Condition]) -> tuple[list[str], list[int]]:
        """Find what meets conditions: the ids of memories, and of archived ones that have no current version,
        and the numbers of archived versions whose current one does not.
        """
        npc, npc_id, store = self._records.npc, self._records.npc_id, self._records.store
        if npc is None:
            return [], []
        self._records.save.accesses.write()
        listings = [Listing(tuple(conditions), (), is_archive, "id", False) for is_archive in (False, True)]
        keys, numbers = (store.lists.find(npc, npc_id, listing).tolist() for listing in listings)
        current = [record.id for record in store.records.by_keys(keys, is_read_again=False)]
        archived = store.archive.by_numbers(numbers)
        others = {version.record.id for version in archived} - {*current}
        updated = {id for id in others if store.records.get(npc, id) is not None}
        pairs = zip(numbers, archived, strict=True)
        return [*current, *sorted(others - updated)], [
            n for n, version in pairs if version.record.id in updated
        ]

    def _reach(self, npc: int, ids: Collection[str]) -> _Reach:
        """Find what the memories were merged from or into, and the conclusions that rest on any of it."""
        store = self._records.store
        merged = store.archive.merged(npc)
        evidence = {
            record.id: set(map(str, list_in_extra(record, "evidence")))
            for kind in (REFLECTION, FACT)
            for record in store.records.find(npc, where(kind=kind))
        }
        gone, dissolved, pending = set(ids), set[str](), list(ids)
        while pending:
            id = pending.pop()
            into = {source.by for source in merged if source.id == id} - gone
            dissolved |= into
            reached = into | {conclusion for conclusion, of in evidence.items() if id in of}
            if id not in dissolved:
                reached |= {source.id for source in merged if source.by == id}
            pending += reached - gone
            gone |= reached
        newest = {source.id: source for source in merged if source.by in dissolved and source.id not in gone}
        return _Reach(gone, list(newest.values()))

    def _versions(self, npc: int, id: str) -> list[Record]:
        """Everything that is stored under an id, the memory in force first."""
        store = self._records.store
        current = store.records.get(npc, id)
        archived = store.archive.by_numbers(store.archive.numbers_of(npc, id))
        return [*([] if current is None else [current]), *(version.record for version in archived)]

    def _companions(self, npc: int, forgotten: Sequence[Record]) -> list[Record]:
        """Other memories of the same exchanges that say all of what a forgotten one says, such as the quoted
        conversation.
        """
        store = self._records.store
        own = {record.id for record in forgotten}
        companions: dict[str, Record] = {}
        for record in forgotten:
            content = content_of(self._records, record)
            if not record.exchange_id or not content:
                continue
            for id in store.exchanges.memory_ids(record.exchange_id, npc):
                other = store.records.get(npc, id)
                if other is not None and id not in own and content <= set(terms(other.document_full)):
                    companions[id] = other
        return list(companions.values())

    def _blank_interactions(self, npc: int, gone: Collection[str]) -> list[int]:
        """Take the words of what is forgotten out of the log of interactions. What the NPC feels stays."""
        interactions = self._records.store.interactions
        entries = interactions.find(npc)
        blanked = [entry for entry in entries if entry.details.get("memory_id") in gone]
        reasons = {entry.reason for entry in blanked}
        # A mood that an earlier event caused has that event's reason.
        reasons |= {entry.emotion.reason for entry in blanked if entry.emotion.since >= entry.stored_at}
        keys = {entry.key for entry in blanked}
        changed: list[int] = []
        for entry in entries:
            replaced = entry.without_words() if entry.key in keys else entry
            replaced = replaced.without_reasons(reasons)
            if replaced != entry:
                interactions.replace(replaced)
                changed.append(entry.key)
        return changed


def content_of(records: OwnedRecords, record: Record) -> frozenset[str]:
    """The terms of what a memory says, without the words of sentences of the addon."""
    if record.slot_type == PLAYER_SLOT:
        return frozenset()
    if record.slot_type == PLAYER_NAME_SLOT and record.entities:
        text = " ".join(map(str, list_in(record.entities)))
    else:
        text = str(mapping_in_extra(record, "fact").get("quote") or record.document_full)
    ignored = STOP_WORDS | records.config.own_words()
    return frozenset(term for word in words(text) if word not in ignored for term in terms_of(word))


def told_by(records: OwnedRecords, forgotten: Iterable[Record]) -> Callable[[Document], bool]:
    """Return a function that tells whether a turn says what forgotten memories say."""
    of_turn: dict[str, float] = {}
    of_exchange: dict[str, list[frozenset[str]]] = {}
    by_start: dict[str, list[list[frozenset[str]]]] = {}
    ids: set[str] = set()
    for record in forgotten:
        ids.add(record.id)
        turn = str(extra_of(record).get("turn", ""))
        of_turn[turn] = max(of_turn.get(turn, record.stored_at), record.stored_at)
        statements = _statements(records, record)
        content = frozenset[str]().union(*statements)
        if content and record.exchange_id:
            of_exchange.setdefault(record.exchange_id, []).append(content)
        if len(content) >= _FEWEST_TERMS or (content and record.slot_type == PLAYER_NAME_SLOT):
            by_start.setdefault(max(content, key=len)[:_COMPARED], []).append(statements)

    def is_told(turn: Document) -> bool:
        if turn.id in of_turn and turn.stored_at <= of_turn[turn.id]:
            return True
        if not ids.isdisjoint(ids_in(turn.content)):
            return True
        messages = [str(turn.content.get(name, "")) for name in ("player_message", "npc_message")]
        exchanged = of_exchange.get(turn.exchange_id, ()) if turn.exchange_id else ()
        if exchanged and not frozenset(terms(" ".join(messages))).isdisjoint(frozenset().union(*exchanged)):
            return True
        # Most turns are left out before their words are stemmed.
        lowered = " ".join(messages).lower()
        candidates = [
            statements for start, group in by_start.items() if start in lowered for statements in group
        ]
        if not candidates:
            return False
        said = [frozenset(terms(sentence)) for message in messages for sentence in sentences_of(message)]
        return any(
            all(any(statement <= sentence for sentence in said) for statement in statements)
            for statements in candidates
        )

    return is_told


def _statements(records: OwnedRecords, record: Record) -> list[frozenset[str]]:
    """The terms of each sentence of a memory that says something; a turn has to say each in one sentence."""
    content = content_of(records, record)
    if record.slot_type == PLAYER_NAME_SLOT and record.entities:
        return [content] if content else []
    text = str(mapping_in_extra(record, "fact").get("quote") or record.document_full)
    statements = (content & frozenset(terms(sentence)) for sentence in sentences_of(text))
    return [statement for statement in statements if statement]


def extra_of(record: Record) -> Mapping[str, object]:
    """Return the metadata of a memory that has no column."""
    return mapping_in(record.extra)


def list_in_extra(record: Record, key: str) -> list[object]:
    """Return a list in the metadata of a memory; an empty one when there is none."""
    value = extra_of(record).get(key)
    return value if isinstance(value, list) else []


def mapping_in_extra(record: Record, key: str) -> Mapping[str, object]:
    """Return a dictionary in the metadata of a memory; an empty one when there is none."""
    value = extra_of(record).get(key)
    return value if isinstance(value, Mapping) else {}
