"""Documents of the world, in every backend: versions, of which the newest holds."""

from __future__ import annotations

import pytest

from rag_memory.memory.document import TIMELESS, Document
from rag_memory.storage.protocol import Storage

from .conftest import OpenStorage


def version(id: str, at: float = 1.0, kind: str = "event", owner: str = "", **content: object) -> Document:
    """A version that is not written yet; without content it removes the document."""
    return Document(0, kind, id, owner, content, at, at)


def write(storage: Storage, *versions: Document) -> list[int]:
    with storage.transaction():
        return [storage.documents.write(each) for each in versions]


def ids(storage: Storage, kind: str = "event", owner: str | None = None) -> list[str]:
    return [document.id for document in storage.documents.find(kind, owner)]


def roll_back(storage: Storage, moment: float) -> None:
    with storage.transaction():
        storage.marks.roll_back(moment)


def test_a_document_comes_back_as_it_was_written(storage: Storage) -> None:
    told = Document(
        0,
        "event",
        "siege",
        "",
        {"title": "Ärger\0 🐉", "known_by": ["a", 1, 2.5, None, {"b": [True]}]},
        7.5,
        9.0,
    )
    (key,) = write(storage, told)
    assert storage.documents.get("event", "siege") == told._replace(key=key)
    assert storage.documents.find("event") == [told._replace(key=key)]
    assert storage.documents.get("event", "feast") is None
    assert storage.documents.get("task", "siege") is None


def test_what_the_caller_does_with_the_content_later_changes_nothing(storage: Storage) -> None:
    names = ["elena"]
    write(storage, version("siege", known_by=names))
    names.append("kael")
    read = storage.documents.get("event", "siege")
    assert read is not None and read.content["known_by"] == ["elena"]
    read.content["known_by"].append("bjorn")
    again = storage.documents.get("event", "siege")
    assert again is not None and again.content["known_by"] == ["elena"]


def test_the_newest_version_holds(storage: Storage) -> None:
    keys = write(storage, version("siege", n=1), version("feast", n=1), version("siege", n=2))
    assert keys == sorted(set(keys))
    assert [(each.id, each.content["n"]) for each in storage.documents.find("event")] == [
        ("siege", 2),
        ("feast", 1),
    ]


def test_a_removed_document_is_gone_until_it_is_written_again(storage: Storage) -> None:
    write(storage, version("siege", n=1), version("feast", n=1), version("siege"))
    assert storage.documents.get("event", "siege") is None
    assert ids(storage) == ["feast"]
    assert storage.documents.counts() == {"event": 1}
    write(storage, version("siege", n=3))
    assert ids(storage) == ["siege", "feast"]
    assert storage.documents.counts() == {"event": 2}


def test_kinds_and_owners_have_documents_of_their_own(storage: Storage) -> None:
    write(
        storage,
        version("x", kind="turn", owner="elena", n=1),
        version("x", kind="summary", owner="elena", n=2),
        version("y", kind="turn", owner="bjorn", n=3),
    )
    assert ids(storage, "turn") == ["x", "y"]
    assert ids(storage, "turn", "bjorn") == ["y"]
    assert ids(storage, "turn", "") == []
    assert storage.documents.counts() == {"summary": 1, "turn": 2}


def test_the_newest_documents_are_those_first_written_last(storage: Storage) -> None:
    write(storage, *(version(f"t{n}", kind="turn", owner="elena", n=n) for n in range(5)))
    write(storage, version("t0", kind="turn", owner="elena", n=9), version("t4", kind="turn", owner="elena"))
    newest = storage.documents.find("turn", "elena", count=2, is_newest_first=True)
    assert [each.id for each in newest] == ["t3", "t2"]
    assert storage.documents.find("turn", "elena", count=9, is_newest_first=True)[-1].content == {"n": 9}
    assert storage.documents.find("turn", "elena", count=0, is_newest_first=True) == []


def test_documents_are_read_in_pages_from_a_version_on(storage: Storage) -> None:
    keys = write(storage, *(version(f"t{n}", kind="turn", owner="elena", n=n) for n in range(5)))
    write(storage, version("t1", kind="turn", owner="elena", n=9), version("t3", kind="turn", owner="elena"))
    write(storage, version("u", kind="turn", owner="bjorn", n=1))
    first = storage.documents.find("turn", "elena", 0, 2)
    assert [each.id for each in first] == ["t0", "t1"]
    rest = storage.documents.find("turn", "elena", keys[1], 9)
    assert [each.id for each in rest] == ["t2", "t4"]
    assert storage.documents.find("turn", "elena", rest[-1].key, 9) == []
    assert sorted(storage.documents.ids("turn")) == ["t0", "t1", "t2", "t4", "u"]
    assert storage.documents.ids("oath") == set()


def test_forgotten_documents_leave_no_version(storage: Storage) -> None:
    write(storage, *(version(id, float(n), n=n) for n in range(1, 4) for id in ("siege", "feast", "fair")))
    with storage.transaction():
        storage.documents.forget("event", ["siege", "fair", "nothing"])
    assert ids(storage) == ["feast"]
    roll_back(storage, 2.0)
    assert ids(storage) == ["feast"]


def test_everything_of_an_owner_is_forgotten_at_once(storage: Storage) -> None:
    write(
        storage,
        version("t1", kind="turn", owner="elena", n=1),
        version("s1", kind="summary", owner="elena", n=1),
        version("t2", kind="turn", owner="bjorn", n=1),
        version("t1", kind="turn", owner="elena", n=2),
    )
    assert storage.documents.owners("turn") == ["bjorn", "elena"]
    with storage.transaction():
        storage.documents.forget_of("turn", "elena")
    assert storage.documents.counts() == {"summary": 1, "turn": 1}
    assert ids(storage, "turn") == ["t2"]
    assert storage.documents.owners("turn") == ["bjorn"]
    assert storage.documents.owners("event") == []


@pytest.mark.parametrize(
    ("kept", "left"), [(1, [1, 9]), (3, [1, 7, 8, 9]), (8, [*range(1, 10)]), (20, [*range(1, 10)])]
)
def test_pruning_keeps_the_newest_versions_and_the_first(
    storage: Storage, kept: int, left: list[int]
) -> None:
    write(storage, *(version("siege", float(n), n=n) for n in range(1, 10)), version("feast", 1.0, n=1))
    with storage.transaction():
        assert storage.documents.prune("event", kept, 1) == min(1, 9 - len(left))
        assert storage.documents.prune("event", kept) == max(0, 8 - len(left))
        assert storage.documents.prune("event", kept) == 0
        assert storage.documents.prune("task", kept) == 0
    seen = []
    for moment in range(9, 0, -1):
        roll_back(storage, float(moment))
        found = storage.documents.get("event", "siege")
        assert found is not None and found.content["n"] <= moment
        seen.append(found.content["n"])
    assert sorted(set(seen)) == left
    assert storage.documents.get("event", "feast") is not None


def test_a_rollback_forgets_the_latest_versions(storage: Storage) -> None:
    write(
        storage,
        version("siege", 1.0, n=1),
        version("siege", 5.0, n=5),
        version("feast", 6.0, n=6),
        version("fair", 2.0, n=2),
        version("fair", 7.0),
    )
    roll_back(storage, 5.0)
    assert [(each.id, each.content) for each in storage.documents.find("event")] == [
        ("siege", {"n": 5}),
        ("fair", {"n": 2}),
    ]
    roll_back(storage, 4.0)
    assert [each.content["n"] for each in storage.documents.find("event")] == [1, 2]
    roll_back(storage, 0.0)
    assert storage.documents.find("event") == [] and storage.documents.counts() == {}


def test_what_is_dated_later_goes_though_it_was_written_before(storage: Storage) -> None:
    write(
        storage,
        version("eclipse", n=1)._replace(timestamp=50.0),
        version("siege", n=1)._replace(stored_at=50.0),
    )
    roll_back(storage, 10.0)
    assert storage.documents.find("event") == []


@pytest.mark.parametrize("moment", [0.0, -5.0e9, -1.0e17])
def test_no_rollback_takes_away_what_is_timeless(storage: Storage, moment: float) -> None:
    write(storage, version("oath", TIMELESS, kind="lore_chunk", text="Vows."), version("siege", 1.0, n=1))
    roll_back(storage, moment)
    assert ids(storage, "lore_chunk") == ["oath"]


def test_a_failed_transaction_leaves_no_version(storage: Storage) -> None:
    write(storage, version("siege", n=1))
    with pytest.raises(KeyError), storage.transaction():
        storage.documents.write(version("siege", n=2))
        storage.documents.write(version("feast", n=2))
        storage.documents.forget("event", ["siege"])
        raise KeyError
    assert [(each.id, each.content["n"]) for each in storage.documents.find("event")] == [("siege", 1)]


def test_a_key_is_never_given_twice(storage: Storage) -> None:
    (first, second) = write(storage, version("siege", n=1), version("feast", n=1))
    with storage.transaction():
        storage.documents.forget("event", ["feast"])
    (third,) = write(storage, version("fair", n=1))
    assert first < second < third


def test_a_copy_of_a_save_has_its_documents(open_one: OpenStorage) -> None:
    source, target = open_one(), open_one()
    write(source, version("siege", n=1), version("siege", n=2), version("feast", n=1), version("feast"))
    write(target, version("other", n=1), version("other", kind="task", n=1))
    target.replace_all(source)
    assert target.documents.find("event") == source.documents.find("event")
    assert target.documents.counts() == {"event": 1}
    write(target, version("siege", n=3))
    found = source.documents.get("event", "siege")
    assert found is not None and found.content == {"n": 2}


def test_many_versions_of_many_documents(storage: Storage) -> None:
    write(storage, *(version(f"e{n}", float(v), n=v) for v in range(5) for n in range(300)))
    found = storage.documents.find("event")
    assert [each.id for each in found] == [f"e{n}" for n in range(300)]
    assert {each.content["n"] for each in found} == {4}
    assert list(storage.documents.compared()) == sorted(("event", f"e{n}", '{"n":4}') for n in range(300))
