"""The backends' logs of interactions agree whatever is written, pruned, forgotten and rolled back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.storage.contract.conftest import TESTED, open_empty

from rag_memory.memory.interaction import ADJUSTMENT, EVENT, NO_EMOTION, REFLECTION, Interaction
from rag_memory.storage.protocol import Storage
from rag_memory.storage.sql.interactions import NEWEST, newest_events, newest_of_kind

STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.sampled_from([EVENT, ADJUSTMENT]), st.sampled_from(["", "kael", "aria"])
        ),
        st.tuples(st.just("add"), st.just(REFLECTION), st.just("")),
        st.tuples(st.just("add many"), st.just(EVENT), st.sampled_from(["kael", "lena"])),
        st.tuples(st.just("prune"), st.integers(1, 8), st.none()),
        st.tuples(st.just("roll back"), st.integers(0, 70), st.none()),
    ),
    max_size=14,
)


def replayed(storage: Storage, steps: list[tuple[str, object, object]]) -> list[object]:
    """The log after every step."""
    told: list[object] = []
    known_since: dict[str, float] = {}
    now = 0.0
    with storage.transaction():
        npc = storage.npcs.add("mira")
    for what, first, second in steps:
        with storage.transaction():
            if what.startswith("add"):
                source = str(second)
                for _ in range(60 if what == "add many" else 1):
                    now += 1.0
                    since = known_since.setdefault(source, now)
                    names = (source, source, "waved", "Hello", {"at": now})
                    entry = Interaction(
                        0, str(first), now, now, *names, 1.0, now % 100, "why", since, NO_EMOTION
                    )
                    storage.interactions.add(npc, entry)
            elif what == "prune":
                told.append(storage.interactions.prune(npc, int(str(first))))
            else:
                now = max(0.0, now - float(str(first)))
                storage.marks.roll_back(now)
        sources = sorted(storage.interactions.newest_of_sources(npc), key=lambda each: each.source_id)
        newest = [
            storage.interactions.first(npc, query)
            for query in (NEWEST, newest_of_kind(REFLECTION), newest_of_kind(ADJUSTMENT))
        ]
        found = [
            *storage.interactions.find(npc, newest_events(99)),
            *storage.interactions.find(npc, newest_events(99, "kael")),
            *sources,
            *newest,
        ]
        told.append([each and each._replace(key=0) for each in found])
    return told


@settings(deadline=None, max_examples=150)
@given(STEPS)
def test_the_backends_tell_the_same(steps: list[tuple[str, object, object]]) -> None:
    told = []
    for backend in TESTED:
        storage = open_empty(backend)
        told.append(replayed(storage, steps))
        storage.close()
    assert all(each == told[0] for each in told)
