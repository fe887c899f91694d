"""Columns of an NPC's memories, compared with a plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag_memory.index.columns import Columns, SearchedRow

_EVENTS = ["general", "gift_received", "promise_made"]
_ASKED = st.lists(st.sampled_from([*_EVENTS, "never"]), max_size=3)
_CHANGES = st.one_of(
    st.tuples(
        st.sampled_from(["last", "put"]),
        st.integers(1, 30),
        st.integers(0, 6).map(float),
        st.sampled_from(_EVENTS),
    ),
    st.tuples(st.just("remove"), st.integers(0, 30), st.just(0.0), st.just("")),
    st.tuples(st.just("clear"), st.just(0), st.just(0.0), st.just("")),
)


@given(st.lists(_CHANGES, max_size=30), _ASKED, st.integers(0, 5))
def test_the_newest_of_event_types_are_those_of_a_plain_list(
    changes: list[tuple[str, int, float, str]], asked: list[str], count: int
) -> None:
    columns = Columns()
    known: dict[int, tuple[float, str]] = {}
    for what, key, timestamp, event_type in changes:
        if what == "clear":
            columns.clear()
            known.clear()
        elif what == "remove":
            if known:
                gone = sorted(known)[key % len(known)]
                columns.remove(gone)
                del known[gone]
        else:
            at = max(known, default=0) + 1 if what == "last" else key
            columns.add(SearchedRow(at, 5, timestamp, 2, event_type))
            known[at] = (timestamp, event_type)
        found = sorted(((time, at) for at, (time, event) in known.items() if event in asked), reverse=True)
        assert columns.newest_of(asked, count) == found[:count]
    assert (
        columns.newest_of(_EVENTS, 3) == sorted(((t, at) for at, (t, _) in known.items()), reverse=True)[:3]
    )


def test_positions_are_those_of_the_keys_with_and_without_gaps() -> None:
    columns = Columns([SearchedRow(key, 5, 0.0, 2, "general") for key in range(11, 20)])
    assert columns.positions(columns.keys[2:5]).tolist() == [2, 3, 4]
    keys = columns.keys[[0, 3, 8]].copy()
    columns.remove(12)
    assert columns.positions(keys).tolist() == [0, 2, 7]
    columns.clear()
    assert not len(columns.positions(keys[:0]))
