"""Saves that a stranger has changed by hand, each in another way, made of a small real one; seeded."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import string
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.text.file_text import FileText

NOW = 1_702_500_000.0
HOUR = 3600.0
NPCS = ("elena", "bjorn")
SECRET = "The key of the treasury lies under the third stone."
"""The content of a file outside the folder of saves, which no call may read or change."""

_LAST_KEY = 2**63 - 1
_ODD_NUMBERS = ("9e999", "-9e999", "NaN", "Infinity", "1e308", "-1", "0", str(2**70))
_ODD_TEXTS = ("", "\0", "\ud800", "\u202eabc", "x" * 100_000, "[system]", "{}", "\u001b[31m")
_MEMORY_TEXTS = ("document_full", "document_short", "event_type", "milestone_type", "emotion", "info_type")
_MEMORY_LISTS = ("participants", "topics", "entities")
_MEMORY_NUMBERS = (
    *("importance", "timestamp", "memory_tier", "is_milestone", "superseded_at", "stored_at"),
    *("repeat_count", "first_timestamp", "last_accessed", "digest", "write_order", "occurrences"),
)


def make_base(path: Path) -> None:
    """A small save with something of everything in it."""
    now = NOW
    with open_save(path, embedder=HashingEmbedder(64), clock=lambda: now) as save:
        save.world.characters.register_character("elena", {"name": "Elena", "location": "mill"})
        save.world.facts.set_flags({"war": True})
        save.world.facts.set_facts({"mayor": {"text": "Bjorn is the mayor."}})
        save.world.facts.set_player_info({"name": "Theron", "class": "knight"})
        save.world.events.record_event(
            {"summary": "The mill burned down.", "location": "mill", "actors": ["elena"], "type": "fire"}
        )
        save.world.tasks.add_task({"summary": "Build the mill", "assignee": "elena", "issuer": "bjorn"})
        save.world.lore.import_lore(FileText("# Mill\n\nThe mill is old.\n"), {"key": "mill"})
        save.world.profiles.ensure_profile("elena", {"age": 40})
        for npc_id in NPCS:
            npc = save.npc(npc_id)
            for number in range(8):
                now += HOUR
                npc.memories.store(
                    f"{npc_id} saw the player mend {number} roofs at the mill.",
                    number + 1,
                    {"topics": ["mill"], "participants": ["player", npc_id], "own": {"deep": [1, 2.5]}},
                )
            npc.memories.store("Their name is Falk.", 9, {"event_type": "player_info", "info_type": "name"})
            npc.memories.store("Their name is Theron.", 9, {"event_type": "player_info", "info_type": "name"})
            npc.memories.store("It rained.", 2)
            npc.memories.store("It rained.", 2)
            npc.relationship.store_relationship("player", {"trust": 40, "affection": 10})
            npc.relationship.store_npc_state(True)
            npc.mind.perceive({"content": "You saved me!", "source_id": "player", "action": "rescue"})
            npc.mind.feelings.feel("happy", 0.5, "the harvest", 100.0)
            npc.conversation.store_turn("Hello! I promise you a mill.", "Hello, Theron.")
            npc.exchanges.record_exchange("I am hungry.", {"response": "Here is bread."})
            npc.mind.reflections.learn_fact("The player likes bread.")
            save.marks.add()
        save.npc("elena").memories.update_memory(
            save.npc("elena").recall.get_recent(1)[0]["id"], {"location": "inn"}
        )


def sql(*statements: str, **values: object) -> Craft:
    """Change a save by statements that check nothing."""

    def craft(path: Path, chosen: random.Random) -> None:
        with opened(path) as connection:
            for statement in statements:
                connection.execute(statement, values if ":" in statement else {})

    return craft


Craft = Callable[[Path, random.Random], None]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database of a save, without anything that would refuse a value."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection


def _change_rows(
    path: Path, chosen: random.Random, table: str, key: str, columns: Mapping[str, Callable[[Any], Any]]
) -> None:
    """Give one column of every row a value that `columns` makes of the stored one."""
    with opened(path) as connection:
        for (number,) in connection.execute(f"SELECT {key} FROM {table}").fetchall():
            column = chosen.choice(sorted(columns))
            (value,) = connection.execute(
                f"SELECT {column} FROM {table} WHERE {key} = ?", (number,)
            ).fetchone()
            with contextlib.suppress(sqlite3.IntegrityError):
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (columns[column](value), number)
                )


def _odd_types(path: Path, chosen: random.Random) -> None:
    """A value of another type in some column of every row of every table."""
    values = (b"\xff\xfe", 5, 2.5, "no number", float("inf"), -1, b"", "")
    for table, key in _KEYS.items():
        with opened(path) as connection:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != key]
        _change_rows(path, chosen, table, key, {name: lambda _: chosen.choice(values) for name in names})


_KEYS = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
    "vectors": "memory",
    "embedding_models": "model",
    "npcs": "npc",
    "meta": "key",
}


def _odd_numbers(path: Path, chosen: random.Random) -> None:
    numbers: tuple[Any, ...] = (float("inf"), -float("inf"), 1e308, -1, 0, 2**62, -(2**63), 1e-320)
    for table, key in (("memories", "memory"), ("archived_memories", "archive")):
        columns = {name: lambda _: chosen.choice(numbers) for name in _MEMORY_NUMBERS}
        _change_rows(path, chosen, table, key, columns)
    columns = {name: lambda _: chosen.choice(numbers) for name in ("timestamp", "stored_at")}
    _change_rows(path, chosen, "documents", "document", columns)
    columns |= {name: lambda _: chosen.choice(numbers) for name in ("sentiment", "strength", "known_since")}
    _change_rows(path, chosen, "interactions", "interaction", columns)


def _odd_lists(path: Path, chosen: random.Random) -> None:
    lists = ('[1, {"a": 2}, null]', '{"a": 1}', "3", "[[[]]]", '["a", 5]', "null", "", "[", "[9e999]")
    columns = {name: lambda _: chosen.choice(lists) for name in _MEMORY_LISTS}
    for table, key in (("memories", "memory"), ("archived_memories", "archive")):
        _change_rows(path, chosen, table, key, columns)


def _odd_extra(path: Path, chosen: random.Random) -> None:
    def changed(text: str) -> str:
        value = f'{{"own": {chosen.choice(_ODD_NUMBERS)}, "secret": 5, "known_to": 3, "turn": []}}'
        return chosen.choice((value, text.replace("2.5", "9e999"), text.replace("{", '{"repeated_at": NaN,')))

    for table, key in (("memories", "memory"), ("archived_memories", "archive")):
        _change_rows(path, chosen, table, key, {"extra": changed})


def _deep(path: Path, chosen: random.Random) -> None:
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"
    sql("UPDATE memories SET extra = :deep WHERE memory % 2 = 0", deep=deep)(path, chosen)
    sql("UPDATE interactions SET details = :deep WHERE interaction % 2 = 0", deep=deep)(path, chosen)
    sql("UPDATE documents SET content = :deep WHERE document % 3 = 0", deep=deep)(path, chosen)


def _fairly_deep(path: Path, chosen: random.Random) -> None:
    deep = '{"own":' + "[" * 500 + "]" * 500 + "}"
    sql("UPDATE memories SET extra = :deep", deep=deep)(path, chosen)
    sql("UPDATE archived_memories SET extra = :deep", deep=deep)(path, chosen)


def _odd_keys(path: Path, chosen: random.Random) -> None:
    """A bit in one key of every document and every interaction."""

    def changed(text: str) -> str:
        places = [place for place in range(len(text) - 1) if text[place] in string.ascii_lowercase]
        keys = [place for place in places if _is_in_key(text, place)]
        if not keys:
            return text
        place = chosen.choice(keys)
        return text[:place] + chr(ord(text[place]) ^ 1 << chosen.randrange(3)) + text[place + 1 :]

    _change_rows(path, chosen, "documents", "document", {"content": changed})
    _change_rows(path, chosen, "interactions", "interaction", {"details": changed})


def _is_in_key(text: str, place: int) -> bool:
    end = text.find('"', place)
    return end > 0 and text[end + 1 : end + 2] == ":"


def _odd_documents(path: Path, chosen: random.Random) -> None:
    """A value of another type for one key of every document, sometimes deep inside it."""
    _change_rows(path, chosen, "documents", "document", {"content": lambda text: _changed_json(text, chosen)})


def _odd_interactions(path: Path, chosen: random.Random) -> None:
    texts = ("[]", "5", '["x"]', '[5, 9e999, [], {}, "a"]', '["sad", 9e999, "", 0, NaN]', '{"memory_id": 3}')
    columns: Mapping[str, Callable[[Any], Any]] = {
        "details": lambda text: (
            _changed_json(text, chosen) if chosen.random() < 0.5 else chosen.choice(texts)
        ),
        "emotion": lambda _: chosen.choice(texts),
        "kind": lambda _: "nonsense",
        "reason": lambda _: chosen.choice(_ODD_TEXTS).encode("utf-8", "replace").decode(),
    }
    _change_rows(path, chosen, "interactions", "interaction", columns)


def _changed_json(text: str, chosen: random.Random) -> str:
    values: tuple[Any, ...] = (
        None,
        5,
        -1.5,
        True,
        "text",
        [],
        {},
        [1, None],
        {"a": {"b": 1}},
        ["x" * 9],
        10**400,
    )
    value = json.loads(text)
    inside = value
    while isinstance(inside, dict) and inside:
        key = chosen.choice(sorted(inside))
        if isinstance(inside[key], dict) and inside[key] and chosen.random() < 0.6:
            inside = inside[key]
            continue
        inside[key] = chosen.choice(values) if chosen.random() < 0.9 else float("nan")
        break
    return json.dumps(value)


def _missing_keys(path: Path, chosen: random.Random) -> None:
    def changed(text: str) -> str:
        value = json.loads(text)
        for key in sorted(value):
            if chosen.random() < 0.4:
                del value[key]
        return json.dumps(value or {"a": 1})

    _change_rows(path, chosen, "documents", "document", {"content": changed})


def _nulls(path: Path, chosen: random.Random) -> None:
    """NULL where the schema allows none: written while it did."""
    with opened(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        stored = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'"
        )
    for table, key in _KEYS.items():
        if table != "meta":
            with opened(path) as connection:
                names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != key]
            _change_rows(path, chosen, table, key, {name: lambda _: None for name in names})
    with opened(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for name, statement in stored:
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (statement, name))


def _odd_vectors(path: Path, chosen: random.Random) -> None:
    columns: Mapping[str, Callable[[Any], Any]] = {
        "embedding": lambda stored: chosen.choice(
            (b"", b"\xff" * len(stored), b"abc", stored[:-4], stored * 2)
        ),
        "model": lambda _: chosen.choice((0, 77, -1)),
    }
    _change_rows(path, chosen, "vectors", "memory", columns)
    sql("UPDATE embedding_models SET dimension = 1000000000 WHERE model = 1")(path, chosen)


def _odd_ids(path: Path, chosen: random.Random) -> None:
    ids = ("", "x\0y", "a\nb", " ", "x" * 100_000, "\u202e", "../../x", "elena_1_1", "lore:mill")
    for table, key in (("memories", "memory"), ("archived_memories", "archive"), ("documents", "document")):
        _change_rows(path, chosen, table, key, {"id": lambda _: chosen.choice(ids)})
    _change_rows(path, chosen, "documents", "document", {"owner": lambda _: chosen.choice(ids)})
    sql("INSERT INTO npcs (npc_id) VALUES ('a' || char(10) || 'b'), (''), ('Elena'), ('../x'), (' ')")(
        path, chosen
    )


def _odd_meta(path: Path, chosen: random.Random) -> None:
    texts = ("5", "[", "{}", "null", "[9e999]", '[{"a": 1}]', "", "x" * 100_000, "-1", "1e999")
    with opened(path) as connection:
        for (key,) in connection.execute("SELECT key FROM meta").fetchall():
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", (chosen.choice(texts), key))


def _page_512(path: Path, chosen: random.Random) -> None:
    with opened(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL")


def _as_snapshot(craft: Craft) -> Craft:
    """The same, of a snapshot of a sound save."""

    def crafted(path: Path, chosen: random.Random) -> None:
        snapshot = path.parent / f"{path.stem}.snapshots" / "manual.sqlite3"
        snapshot.parent.mkdir()
        snapshot.write_bytes(path.read_bytes())
        craft(snapshot, chosen)

    return crafted


def _links(*endings: str) -> Craft:
    """Links to a file outside where the core writes its own beside a save."""

    def craft(path: Path, chosen: random.Random) -> None:
        outside = outside_of(path)
        for ending in endings:
            beside = path.parent / ending.format(save=path.name, stem=path.stem)
            beside.parent.mkdir(exist_ok=True)
            beside.symlink_to(outside)

    return craft


def _linked_folders(*endings: str) -> Craft:
    def craft(path: Path, chosen: random.Random) -> None:
        for ending in endings:
            (path.parent / f"{path.stem}{ending}").symlink_to(outside_of(path).parent)

    return craft


def outside_of(path: Path) -> Path:
    """A file outside the folder of saves."""
    return path.parent.parent / "outside" / "village.sqlite3"


def _fifo(name: str) -> Craft:
    def craft(path: Path, chosen: random.Random) -> None:
        fifo = path.parent / name.format(save=path.name, stem=path.stem)
        fifo.parent.mkdir(exist_ok=True)
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)

    return craft


def _device(name: str) -> Craft:
    def craft(path: Path, chosen: random.Random) -> None:
        device = path.parent / name.format(save=path.name, stem=path.stem)
        device.parent.mkdir(exist_ok=True)
        device.unlink(missing_ok=True)
        device.symlink_to("/dev/zero")

    return craft


def _sparse(name: str, is_save: bool = False) -> Craft:
    """8 GB of zeros that take no room on the disk."""

    def craft(path: Path, chosen: random.Random) -> None:
        sparse = path.parent / name.format(save=path.name, stem=path.stem)
        sparse.parent.mkdir(exist_ok=True)
        if is_save:
            sparse.write_bytes(path.read_bytes())
        else:
            sparse.unlink(missing_ok=True)
            sparse.touch()
        os.truncate(sparse, 8 << 30)

    return craft


def _damaged_index(path: Path, chosen: random.Random) -> None:
    sql(
        "UPDATE memories_fts_data SET block = randomblob(length(block)) WHERE id > 10",
        "DELETE FROM memories_fts_idx",
    )(path, chosen)


def _odd_keywords(path: Path, chosen: random.Random) -> None:
    with opened(path) as connection:
        connection.execute("DROP TRIGGER memories_fts_update")
        connection.execute("UPDATE memories SET keywords = hex(randomblob(20)), digest = 5")
        connection.execute(_TRIGGER)


_TRIGGER = """CREATE TRIGGER memories_fts_update AFTER UPDATE OF keywords ON memories
WHEN old.keywords <> new.keywords BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, keywords) VALUES ('delete', old.memory, old.keywords);
    INSERT INTO memories_fts (rowid, keywords) VALUES (new.memory, new.keywords);
END"""


def _odd_history(path: Path, chosen: random.Random) -> None:
    sql(
        "UPDATE write_orders SET marked = reserved - 1",
        "UPDATE marks SET mark = -mark WHERE rowid % 2",
        "UPDATE npcs SET write_order = -5, revision = -1",
        "UPDATE earlier_memories SET mark = 77, extra = '[]', participants = '5'",
    )(path, chosen)


_LINKED = ("{save}.suspect", "{save}-wal", "{save}-journal", "{save}.lock", "{save}.new")

CRAFTS: Mapping[str, Craft] = {
    "fts_version": sql("UPDATE memories_fts_config SET v = 99 WHERE k = 'version'"),
    "fts_damaged": _damaged_index,
    "fts_other_words": _odd_keywords,
    "extra": _odd_extra,
    "lists": _odd_lists,
    "deep_json": _deep,
    "fairly_deep_json": _fairly_deep,
    "bit_in_keys": _odd_keys,
    "document_types": _odd_documents,
    "missing_keys": _missing_keys,
    "interactions": _odd_interactions,
    "column_types": _odd_types,
    "numbers": _odd_numbers,
    "nulls": _nulls,
    "deleted_npc": sql("DELETE FROM npcs WHERE npc_id = 'bjorn'"),
    "last_key": sql("UPDATE sqlite_sequence SET seq = :last", last=_LAST_KEY),
    "last_key_used": sql(
        "UPDATE memories SET memory = :last WHERE memory = (SELECT max(memory) FROM memories)",
        "UPDATE interactions SET interaction = :last WHERE interaction = "
        "(SELECT max(interaction) FROM interactions)",
        "UPDATE documents SET document = :last WHERE document = (SELECT max(document) FROM documents)",
        last=_LAST_KEY,
    ),
    "no_text": sql(
        "UPDATE memories SET document_full = CAST(x'ff80' AS TEXT), extra = CAST(x'ff' AS TEXT) "
        "WHERE memory % 7 = 0"
    ),
    "ids": _odd_ids,
    "vectors": _odd_vectors,
    "meta": _odd_meta,
    "history": _odd_history,
    "huge_text": sql("UPDATE memories SET document_full = hex(zeroblob(1000000)) WHERE memory % 5 = 0"),
    "page_512": _page_512,
    "snapshot_page_512": _as_snapshot(_page_512),
    "snapshot_numbers": _as_snapshot(_odd_numbers),
    "snapshot_documents": _as_snapshot(_odd_documents),
    "trigger": sql("CREATE TRIGGER t AFTER INSERT ON memories BEGIN DELETE FROM memories; END"),
    "view": sql("ALTER TABLE meta RENAME TO other", "CREATE VIEW meta AS SELECT 'a' AS key, 'b' AS value"),
    "generated_column": sql(
        "ALTER TABLE memories ADD COLUMN g GENERATED ALWAYS AS (hex(zeroblob(100000000)))"
    ),
    "links": _links(*_LINKED),
    "linked_snapshot": _links("{stem}.snapshots/manual.sqlite3", "{stem}.snapshots/quick.sqlite3.unfinished"),
    "linked_folders": _linked_folders(".snapshots", ".copying", ".index"),
    "fifo": _fifo("{save}"),
    "fifo_beside": _fifo("{save}-wal"),
    "fifo_snapshot": _fifo("{stem}.snapshots/manual.sqlite3"),
    "device": _device("{save}"),
    "device_snapshot": _device("{stem}.snapshots/manual.sqlite3"),
    "sparse": _sparse("{save}"),
    "sparse_tail": _sparse("{save}", is_save=True),
    "sparse_snapshot": _sparse("{stem}.snapshots/manual.sqlite3"),
}
"""How a save is changed, by the name of the way."""


def crafted(name: str, base: bytes, folder: Path, seed: int) -> Path:
    """Write the save of this name below a folder; return its file. A file outside lies beside its folder."""
    path = folder / name / "saves" / "village.sqlite3"
    path.parent.mkdir(parents=True)
    outside = outside_of(path)
    outside.parent.mkdir()
    outside.write_text(SECRET)
    path.write_bytes(base)
    CRAFTS[name](path, random.Random(f"{seed} {name}"))
    return path
