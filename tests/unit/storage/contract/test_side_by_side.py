"""Random work on several storages at once: all of them give the same answers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.unit.sqlite_access import opened as opened_file
from tests.unit.storage.contract.conftest import (
    DIMENSION,
    IN_MEMORY,
    POSTGRES,
    SQLITE,
    TESTED,
    numbered_after,
    open_empty,
    record_of,
    vector_of,
)

from rag_memory.errors import StoreError
from rag_memory.memory.archived import CONSOLIDATED, INFO_UPDATE, REPEATED, SLOT_UPDATE, UPDATED, Archived
from rag_memory.memory.document import TIMELESS, Document
from rag_memory.memory.interaction import EVENT, NO_EMOTION, Interaction
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import repeated
from rag_memory.storage.captured import Captured
from rag_memory.storage.filter import parse_filter
from rag_memory.storage.listing import ARCHIVE_SORTS, SORTS, Listing
from rag_memory.storage.mark import new_code
from rag_memory.storage.protocol import Storage
from rag_memory.storage.sql.records import newest_in_slot, newest_of, of_info, repetitions_of
from rag_memory.storage.sqlite.store import Store as SqliteStore
from rag_memory.storage.timeline import span_of
from rag_memory.text.terms import NAMED, SPEAKER, WORD

IDS = [f"m{number}" for number in range(3)]
TEXTS = ["The mill burned.", "Theron left the mill.", "Theron said: close the inn!", "ÄRGER in Müllers Mühle"]
DATA: list[dict[str, Any]] = [
    {},
    {"event_type": "war", "importance": 8, "participants": ["Theron"]},
    {"event_type": "player_info", "info_type": "name"},
    {"slot_type": "mood", "topics": ["fire", "mill"], "gold": 3},
    {"is_milestone": True, "location": "Mill", "gold": "3", "tags": [1, "x"]},
]
FILTERS: list[dict[str, Any]] = [
    {},
    {"importance": {">": 5}},
    {"topics": {"contains": "fire"}},
    {"gold": {"!=": 3}},
    {"superseded_by": {"not_in": ["", "m0"]}},
    {"location": {"<": "a"}},
]
WORDS = [(), ("mill",), ("THER",), ("the", "inn"), ("müll",)]
KINDS = ["event", "turn", "lore_chunk"]
OWNERS = {"event": "", "turn": "elena", "lore_chunk": ""}
CONTENTS: list[dict[str, Any]] = [{}, {"n": 1}, {"n": 2, "text": "Ärger"}, {"n": 1, "list": [1, {"a": None}]}]
REASONS = st.sampled_from([SLOT_UPDATE, INFO_UPDATE, UPDATED, CONSOLIDATED])
MOMENTS = st.integers(1, 8).map(float)
_COUNTED = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}
NPCS = st.sampled_from([1, 1, 1, 2])

_SPANS = [
    span_of(options) for options in ({"buckets": 3}, {"begin": 3.0, "end": 8.0, "buckets": 2, "marks": 2})
]


def observed(storage: Storage, npc: int) -> dict[str, Any]:
    """Everything that a storage tells of an NPC."""
    records = storage.records.find(npc)
    keys = [record.key for record in records]
    rows, vectors = storage.vectors.searched(keys, 1, DIMENSION)
    archived = storage.archive.find(npc)
    return {
        "records": records,
        "pages": list(storage.records.key_pages(npc)),
        "by_id": [storage.records.get(npc, id) for id in IDS],
        "exists": [storage.records.is_used(npc, id) for id in IDS],
        "by_keys": storage.records.by_keys(list(range(12))),
        "slot": (storage.records.in_slot(npc, "mood"), storage.records.first(npc, newest_in_slot("mood"))),
        "events": storage.records.valid_of_event(npc, "war", 6.0),
        "info": storage.records.first(npc, of_info("name")),
        "newest": storage.records.find(npc, newest_of(3, 5)),
        "repeatable": [storage.records.find(npc, repetitions_of("general", text)) for text in TEXTS],
        "searched": (rows, vectors.tolist()),
        "terms": [sorted(storage.terms.of_kind(npc, kind)) for kind in (WORD, SPEAKER, NAMED)],
        "with": [storage.terms.keys_with(npc, WORD, term).tolist() for term in ("mill", "theron", "inn")],
        "index_terms": storage.terms.of(npc, keys),
        "archived": (archived, storage.archive.by_numbers([each.number for each in archived])),
        "numbers": [storage.archive.numbers_of(npc, id) for id in IDS],
        "captured": storage.archive.capture(npc, IDS),
        "statistics": storage.browsing.statistics(npc),
        "counts": [
            storage.browsing.counts_by(npc, field) for field in ("memory_tier", "event_type", "slot_type")
        ],
        "timelines": [storage.browsing.timeline(npc, span) for span in _SPANS],
        "interactions": [entry._replace(key=0) for entry in storage.interactions.find(npc)],
    }


def played(storage: Storage) -> dict[str, Any]:
    """What a rollback to a mark brings back: everything but lore. Vectors are made anew by one model first,
    because those of memories that have not changed stay as they are.
    """
    for npc_id in storage.npcs.ids():
        storage.owners.own(npc_id)
    with storage.transaction():
        for npc in (1, 2):
            for record in storage.records.find(npc):
                storage.vectors.put([record.key], vector_of(record)[None], 1)
    return {
        "npcs": storage.npcs.ids(),
        "observed": [observed(storage, npc) for npc in (1, 2)],
        "documents": [storage.documents.find(kind) for kind in KINDS[:2]],
        "owners": [storage.documents.owners(kind) for kind in KINDS[:2]],
    }


def world(storage: Storage) -> dict[str, Any]:
    """Everything that a storage tells of its documents."""
    return {
        "all": [storage.documents.find(kind) for kind in KINDS],
        "owned": [storage.documents.find(kind, owner) for kind in KINDS for owner in ("", "elena", "kael")],
        "newest": [
            storage.documents.find(kind, OWNERS[kind], count=2, is_newest_first=True) for kind in KINDS
        ],
        "single": [storage.documents.get(kind, id) for kind in KINDS for id in IDS],
        "counts": storage.documents.counts(),
        "owners": [storage.documents.owners(kind) for kind in KINDS],
        "compared": list(storage.documents.compared()),
    }


def lists(storage: Storage, npc: int, filter: dict[str, Any], words: tuple[str, ...]) -> list[list[int]]:
    conditions = tuple(parse_filter("test", filter))
    return [
        *(storage.lists.keys_where(npc, condition).tolist() for condition in conditions),
        *(
            storage.lists.find(
                npc, "elena", Listing(conditions, words, is_archive, sort, is_descending)
            ).tolist()
            for is_archive, sorts in ((False, SORTS), (True, ARCHIVE_SORTS))
            for sort in sorts
            for is_descending in (False, True)
        ),
    ]


class Both(RuleBasedStateMachine):
    """The same work on several backends; each rule is one transaction."""

    backends: tuple[str, ...] = (IN_MEMORY, SQLITE)

    def __init__(self) -> None:
        super().__init__()
        self.all = [open_empty(name) for name in self.backends]
        self.captured: list[Captured] = []
        self.marks: dict[str, dict[str, Any]] = {}
        """Marks of the steps played, by code."""

    @initialize()
    def begin(self) -> None:
        if POSTGRES in self.backends:
            numbered_after({})
        for storage in self.all:
            storage.vectors.model_number("model-1", "Model 1", DIMENSION)
            storage.vectors.model_number("model-2", "Model 2", DIMENSION)
            with storage.transaction():
                for npc_id in ("elena", "Bjorn"):
                    storage.npcs.add(npc_id)
                for number, id in enumerate(IDS):
                    record = record_of(TEXTS[number], float(number), id=id, **DATA[number])
                    storage.records.insert(1, record, vector_of(record), 1)

    def teardown(self) -> None:
        for storage in self.all:
            storage.close()

    def same(self, answers: list[Any]) -> Any:
        assert all(answer == answers[0] for answer in answers), answers
        return answers[0]

    def known(self, npc: int, id: str) -> Record | None:
        record: Record | None = self.same([storage.records.get(npc, id) for storage in self.all])
        return record

    @rule(
        npc=NPCS,
        id=st.sampled_from(IDS),
        text=st.sampled_from(TEXTS),
        data=st.sampled_from(DATA),
        at=MOMENTS,
        model=st.sampled_from([1, 2]),
        fails=st.sampled_from([False, False, False, True]),
    )
    def store(
        self, npc: int, id: str, text: str, data: dict[str, Any], at: float, model: int, fails: bool
    ) -> None:
        record = record_of(text, at, id=id, **data)
        before = self.known(npc, id)
        for storage in self.all:
            with suppress(KeyError), storage.transaction():
                if before is None:
                    storage.records.insert(npc, record, vector_of(record), model)
                else:
                    storage.archive.copy([before.key], Archived(at, UPDATED, id))
                    storage.records.update(npc, record._replace(key=before.key), vector_of(record), model)
                if fails:
                    raise KeyError

    @rule(npc=NPCS, text=st.sampled_from(TEXTS))
    def store_under_an_id_that_is_taken(self, npc: int, text: str) -> None:
        refused = []
        for storage in self.all:
            record = record_of(text, id="m0")
            try:
                with storage.transaction():
                    storage.records.insert(npc, record._replace(id="m4x"), vector_of(record), 1)
                    storage.records.insert(npc, record, vector_of(record), 1)
                    storage.records.delete([self.key_of(storage, npc, "m0")])
                    storage.records.delete([self.key_of(storage, npc, "m4x")])
            except StoreError:
                refused.append(True)
            else:
                refused.append(False)
        self.same(refused)

    def key_of(self, storage: Storage, npc: int, id: str) -> int:
        record = storage.records.get(npc, id)
        assert record is not None
        return record.key

    @rule(npc=NPCS, id=st.sampled_from(IDS), at=MOMENTS)
    def tell_again(self, npc: int, id: str, at: float) -> None:
        record = self.known(npc, id)
        if record is not None and not record.superseded_by:
            again = record._replace(timestamp=at, stored_at=at, importance=7)
            for storage in self.all:
                with storage.transaction():
                    storage.archive.add_weight(npc, record, at, REPEATED, 1)
                    storage.records.update(npc, repeated(record, again))

    @rule(npc=NPCS, id=st.sampled_from(IDS), by=st.sampled_from(IDS), at=MOMENTS)
    def supersede(self, npc: int, id: str, by: str, at: float) -> None:
        record = self.known(npc, id)
        for storage in self.all:
            with storage.transaction():
                storage.records.supersede([] if record is None else [record.key], by, at)

    @rule(npc=NPCS, id=st.sampled_from(IDS), by=st.sampled_from(IDS), at=MOMENTS, reason=REASONS)
    def archive(self, npc: int, id: str, by: str, at: float, reason: str) -> None:
        record = self.known(npc, id)
        for storage in self.all:
            with storage.transaction():
                storage.archive.move([] if record is None else [record.key], Archived(at, reason, by))

    @rule(npc=NPCS, id=st.sampled_from(IDS), text=st.sampled_from(TEXTS), at=MOMENTS, reason=REASONS)
    def archive_new(self, npc: int, id: str, text: str, at: float, reason: str) -> None:
        known = self.known(npc, id)
        record = record_of(text, at, id=id)._replace(key=0 if known is None else known.key)
        for storage in self.all:
            with storage.transaction():
                storage.archive.add(npc, Archived(at, reason, "m1"), record, vector_of(record), 1)

    @rule(npc=NPCS, id=st.sampled_from(IDS), forgets_all=st.sampled_from([False, False, False, True]))
    def forget(self, npc: int, id: str, forgets_all: bool) -> None:
        record = self.known(npc, id)
        for storage in self.all:
            with storage.transaction():
                if forgets_all:
                    storage.records.delete_all(npc)
                    storage.archive.forget(npc)
                elif record is not None:
                    storage.records.delete([record.key])
                    storage.records.unsupersede(npc, id)
                    storage.archive.forget(npc, id)

    @rule(npc=NPCS, ids=st.lists(st.sampled_from(IDS), unique=True, max_size=3))
    def capture(self, npc: int, ids: list[str]) -> None:
        self.captured = self.same([each.archive.capture(npc, ids) for each in self.all])

    @rule(npc=NPCS)
    def put_back(self, npc: int) -> None:
        answers = []
        for storage in self.all:
            with storage.transaction():
                answers.append(storage.archive.put_back(npc, self.captured))
        self.same(answers)

    @rule(moment=MOMENTS)
    def roll_back(self, moment: float) -> None:
        answers = []
        for storage in self.all:
            with storage.transaction():
                answers.append(storage.marks.roll_back(moment))
        self.same(answers)

    @rule(npc=NPCS, id=st.sampled_from(IDS), at=MOMENTS)
    def access(self, npc: int, id: str, at: float) -> None:
        record = self.known(npc, id)
        for storage in self.all:
            with storage.transaction():
                storage.records.access({} if record is None else {record.key: at})

    @rule(npc=NPCS, source=st.sampled_from(["", "player"]), strength=st.sampled_from([0.0, 70.0]), at=MOMENTS)
    def happen(self, npc: int, source: str, strength: float, at: float) -> None:
        entry = Interaction(
            0, EVENT, at, at, source, source, "greet", "Hello.", {}, 0.5, strength, "", at, NO_EMOTION
        )
        for storage in self.all:
            with storage.transaction():
                storage.interactions.add(npc, entry)

    @rule(npc=NPCS)
    def forget_interactions(self, npc: int) -> None:
        for storage in self.all:
            with storage.transaction():
                storage.interactions.forget(npc)

    @rule(at=MOMENTS)
    def mark(self, at: float) -> None:
        code = new_code()
        self.marks[code] = self.same([played(storage) for storage in self.all])
        for storage in self.all:
            storage.marks.add(code, at)

    @rule(number=st.integers(0, 5))
    def return_to_a_mark(self, number: int) -> None:
        if not self.marks:
            return
        code = [*self.marks][number % len(self.marks)]
        marks = [storage.marks.get(code) for storage in self.all]
        self.same([mark is None for mark in marks])
        answers = []
        for storage, mark in zip(self.all, marks, strict=True):
            if mark is not None:
                with storage.transaction():
                    answers.append(storage.marks.return_to(mark).forgotten)
        if answers:
            self.same(answers)
            assert self.same([played(storage) for storage in self.all]) == self.marks[code]

    @rule(
        kind=st.sampled_from(KINDS),
        id=st.sampled_from(IDS),
        content=st.sampled_from(CONTENTS),
        at=MOMENTS,
        written=MOMENTS,
        fails=st.sampled_from([False, False, False, True]),
    )
    def write_document(
        self, kind: str, id: str, content: dict[str, Any], at: float, written: float, fails: bool
    ) -> None:
        times = (TIMELESS, TIMELESS) if kind == "lore_chunk" else (at, written)
        answers = []
        for storage in self.all:
            with suppress(KeyError), storage.transaction():
                answers.append(storage.documents.write(Document(0, kind, id, OWNERS[kind], content, *times)))
                if fails:
                    raise KeyError
        self.same(answers)

    @rule(kind=st.sampled_from(KINDS), ids=st.lists(st.sampled_from(IDS), max_size=2))
    def forget_documents(self, kind: str, ids: list[str]) -> None:
        for storage in self.all:
            with storage.transaction():
                storage.documents.forget(kind, ids)

    @rule(kind=st.sampled_from(KINDS), owner=st.sampled_from(["", "elena", "kael"]))
    def forget_documents_of(self, kind: str, owner: str) -> None:
        for storage in self.all:
            with storage.transaction():
                storage.documents.forget_of(kind, owner)

    @rule(kind=st.sampled_from(KINDS), kept=st.integers(1, 3))
    def prune_documents(self, kind: str, kept: int) -> None:
        answers = []
        for storage in self.all:
            with storage.transaction():
                answers.append(storage.documents.prune(kind, kept))
        self.same(answers)

    @rule()
    def copy_whole(self) -> None:
        copies = [open_empty(name) for name in self.backends]
        for copy, storage in zip(copies, self.all, strict=True):
            copy.replace_all(storage)
            storage.close()
        self.all = copies

    @rule(npc=NPCS, model=st.sampled_from([1, 2]))
    def embed_again(self, npc: int, model: int) -> None:
        for storage in self.all:  # Whoever has nobody makes no vectors.
            for npc_id in storage.npcs.ids():
                storage.owners.own(npc_id)
        keys = self.same([storage.vectors.keys_of_other_models(model) for storage in self.all])
        for storage in self.all:
            records = storage.records.by_keys(keys, is_read_again=False)
            with storage.transaction():
                for record in records:
                    storage.vectors.put([record.key], vector_of(record)[None], model)
        self.same([storage.vectors.of(keys, model).keys() for storage in self.all])

    @rule(npc=NPCS, filter=st.sampled_from(FILTERS), words=st.sampled_from(WORDS))
    def browse(self, npc: int, filter: dict[str, Any], words: tuple[str, ...]) -> None:
        self.same([lists(storage, npc, filter, words) for storage in self.all])

    @invariant()
    def numbers_go_on_alike(self) -> None:
        """A server gives no number twice, not even one of a transaction that failed: here it has to."""
        if POSTGRES not in self.backends:
            return
        file = self.all[self.backends.index(SQLITE)]
        assert isinstance(file, SqliteStore)
        rows = opened_file(file).statements.rows("SELECT name, seq FROM sqlite_sequence")
        numbered_after(
            {"npc": 2, "model": 2} | {_COUNTED[table]: last for table, last in rows if table in _COUNTED}
        )

    @invariant()
    def answers_are_the_same(self) -> None:
        if self.all[0].npcs.ids():
            for npc in (1, 2):
                answers = [observed(storage, npc) for storage in self.all]
                for name in answers[0]:
                    self.same([answer[name] for answer in answers])
        told = [world(storage) for storage in self.all]
        for name in told[0]:
            self.same([each[name] for each in told])
        self.same([storage.browsing.npc_overview() for storage in self.all])
        self.same([list(storage.browsing.compared()) for storage in self.all])
        self.same([storage.records.count() for storage in self.all])
        for moment in (1.0, 4.0):
            self.same([[mark.code for mark in storage.marks.at(moment)] for storage in self.all])
            self.same([storage.marks.count_writes_at(moment) for storage in self.all])


class BothAndServer(Both):
    """The same on a server, too."""

    backends = (IN_MEMORY, SQLITE, *({POSTGRES} & set(TESTED)))


_UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck), stateful_step_count=30)

TestSideBySide = Both.TestCase
TestSideBySide.settings = settings(_UNHURRIED, max_examples=100)
TestBesideAServer = BothAndServer.TestCase
# Each step is a hundred ways to the server and back.
TestBesideAServer.settings = settings(_UNHURRIED, max_examples=10)


def test_every_backend_is_compared() -> None:
    assert set(TESTED) <= set(BothAndServer.backends)
