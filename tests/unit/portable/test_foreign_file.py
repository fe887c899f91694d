"""Lorebooks and character cards of other programs: what is read of them, and what hostile ones do."""

from __future__ import annotations

import base64
import copy
import itertools
import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.portable.foreign_files import (
    CARD,
    GLADE,
    RISU,
    SHADOWFANGS,
    SILLY_TAVERN,
    as_file,
    card_chunk,
    chunk,
    png,
)

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable.foreign_file import read_plan
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.text.file_text import FileData

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
CARD_FIELDS = st.dictionaries(st.sampled_from([*CARD["data"], "nickname", "assets"]), JSON, max_size=5)
ENTRY_FIELDS = st.dictionaries(
    st.sampled_from([*SILLY_TAVERN["entries"]["0"], "enabled", "keys", "extensions", "mode", "insertorder"]),
    JSON,
    max_size=5,
)


def plan(source: FileData, **options: Any) -> ImportPlan:
    return read_plan("import_file()", source, options)


def says(read: ImportPlan, *words: str) -> list[bool]:
    return [any(word in line for line in read.not_kept) for word in words]


def test_a_lorebook_of_silly_tavern_is_read_in_its_order() -> None:
    read = plan(as_file(SILLY_TAVERN))
    assert (read.format, read.name, read.id, read.entries) == ("lorebook", "eldoria", "eldoria", 2)
    assert read.lore == (
        f"---\ntitle: eldoria\n---\n# eldoria\n\n## glade\n\n{GLADE}\n\n"
        f"## Shadowfangs (wolf pack, forest)\n\n{SHADOWFANGS}\n"
    )


def test_what_is_not_kept_of_a_lorebook_is_listed() -> None:
    read = plan(as_file(SILLY_TAVERN))
    listed = (
        "order",
        "Secondary keys of 1",
        "keep 1 entries away",
        "1 entries are always",
        "probability of 1",
    )
    assert all(says(read, *listed, "place in the prompt of 1", "regular", "switched off", "no text"))
    assert not any(says(read, "Decorators", "Rules", "headings", "Placeholders"))


def test_a_lorebook_of_risu_is_read() -> None:
    read = plan(as_file(RISU))
    assert read.entries == 1
    assert f"## Shadowfangs (wolf pack)\n\n{SHADOWFANGS}" in read.lore
    assert read.not_kept == []


def test_a_card_becomes_a_personality_and_lore() -> None:
    read = plan(as_file(CARD))
    assert (read.format, read.name, read.id) == ("character card V2", "Seraphina Vale", "seraphina_vale")
    assert read.personality == {
        "npc_id": "seraphina_vale",
        "display_name": "Seraphina Vale",
        "background": "Seraphina Vale guards the glade of Eldoria.\n\nthe player wakes up in her glade.",
        "traits": ["gentle", "watchful"],
        "example_lines": ["The one who carried you here."],
    }
    assert read.greetings == ["You are awake, the player.", "Sleep on."]
    assert read.entries == 1
    assert "known_by: [npc: seraphina_vale]" in read.lore
    assert "Seraphina Vale hunts the shadowfangs with the player." in read.lore
    assert all(says(read, "creator", "Decorators", "first lines"))


def test_a_card_lies_in_the_text_of_an_image_and_version_three_comes_first() -> None:
    third = {**copy.deepcopy(CARD), "spec": "chara_card_v3"}
    third["data"]["nickname"] = "Sera"
    read = plan(png(card_chunk(CARD), card_chunk(third, b"ccv3")))
    assert read.format == "character card V3"
    assert read.personality["display_name"] == "Sera"
    assert plan(png(card_chunk(CARD))).format == "character card V2"
    assert plan(as_file(CARD["data"])).format == "character card V1"


LOG: list[dict[str, Any]] = [
    {"user_name": "Ada", "character_name": "Sera", "create_date": "2024-1-1"},
    {
        "name": "Sera",
        "is_user": False,
        "mes": "You are awake, {{user}}.",
        "send_date": "x",
        "swipes": ["a", "b"],
    },
    {"name": "Ada", "is_user": True, "mes": "Where am I?"},
    {"name": "System", "is_system": True, "mes": "A note."},
    {"name": "Sera", "is_user": False, "mes": "In the glade."},
    {"name": "Sera", "is_user": False, "mes": "You are safe."},
    {"name": "Ada", "is_user": True, "mes": "Thank you."},
]


def test_a_chat_of_silly_tavern_becomes_turns() -> None:
    log = "\n".join(map(json.dumps, LOG)).encode()
    read = plan(FileData(log, "user://chat.jsonl"))
    assert (read.format, read.name) == ("chat of SillyTavern", "Sera")
    assert [tuple(turn.values()) for turn in read.turns] == [
        ("", "You are awake, the player."),
        ("Where am I?", "In the glade.\nYou are safe."),
        ("Thank you.", ""),
    ]
    assert all(says(read, "1 notes", "swipes", "dates"))


def test_a_text_with_names_becomes_turns() -> None:
    lines = (
        "A log",
        "[09:14] Ada: Good day.",
        "Sera: Good day.",
        "Note: rain",
        "More.",
        "Ulf: Hm.",
        "you: Bye: now",
    )
    read = plan(FileData("\n".join(lines).encode(), "user://chat.txt"), character="sera", player="Ada")
    assert [tuple(turn.values()) for turn in read.turns] == [("Good day.", "Good day."), ("Bye: now", "")]
    assert all(says(read, "2 messages of others", "1 lines before"))
    wrapped = plan(FileData(b"Sera: One.\nTwo.\n\nThree."), character="Sera")
    assert wrapped.turns == [{"player_message": "", "npc_message": "One.\nTwo.\n\nThree."}]


def test_names_stand_for_placeholders() -> None:
    book = {"entries": [{"key": ["a"], "content": "{{Char}} and <USER>{{// a note}} {{random:x,y}}"}]}
    read = plan(as_file(book), character="Mira", player="Ada")
    assert "Mira and Ada {{random:x,y}}" in read.lore
    assert says(read, "{{random:x,y}}") == [True]


def test_no_entry_hides_or_moves_the_next_one() -> None:
    tricks = ["```\ncode", "<!-- hidden", "# Big\ntext", "Title\n---\ntext", "---\nknown", "[a]: is told"]
    book = {"entries": [{"comment": f"Trick {n}", "content": text} for n, text in enumerate(tricks)]}
    read = plan(as_file(book))
    lines = read.lore.split("\n")
    assert [line for line in lines if line.startswith("## ")] == [f"## Trick {n}" for n in range(6)]
    assert "#" * 3 + " Big" in lines
    assert "a: is told" in lines
    assert "```" not in read.lore and "<!--" not in read.lore
    assert all(not lines[place - 1] for place, line in enumerate(lines) if line == "---" and place > 2)


@pytest.mark.parametrize(
    "part", ["<!--", "-->", "{{", "{{a", "/a", "@@", "# ", "[a", "=", "```\n", "a,", "(", "<START>"]
)
def test_a_text_that_repeats_itself_is_read(part: str) -> None:
    long = part * 25_000
    entry = {"key": long, "comment": long, "content": f"{long} end"}
    read = plan(as_file({"name": long, "description": long, "entries": [entry]}))
    assert read.name
    card = {field: long for field in CARD["data"] if field not in ("character_book", "extensions")}
    assert plan(as_file({**card, "alternate_greetings": [long]})).personality["display_name"]


@pytest.mark.parametrize(
    ("source", "says_why"),
    [
        (b"", "cannot be read"),
        (b"{", "cut off"),
        (b'{"entries": [', "cut off"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"entries": [' + b"[]," * 1_000_001 + b"[]]}", "1,000,000"),
        (b'{"entries": [NaN]}', "NaN"),
        (b'\xff{"entries": []}', "UTF-8"),
        (b'{"entries": 5}', "Array"),
        (b'{"entries": [5]}', "entry 1"),
        (b'{"entries": [{"content": 5}]}', "content of entry 1"),
        (b'{"entries": [{"content": "a\\u0000b"}]}', "characters 0"),
        (b'{"entries": [{"content": "a", "key": [1]}]}', "key of entry 1"),
        (b'{"entries": [{"content": "a", "order": 1e999}]}', "finite"),
        (b'{"entries": [' + b'{"content":"a"},' * 20_000 + b"{}]}", "20,000"),
        (b'{"name": "", "description": "x"}', "no name"),
        (b'{"name": 5, "description": "x"}', "name of the card"),
        (b'{"spec": "chara_card_v2", "data": []}', "data of the card"),
        (b'{"kings": []}', "neither a lorebook"),
        (b"5", "neither a lorebook"),
        (FileData(b"Ada: Hello.", "user://a.txt"), "no message"),
        (FileData(b'{"mes": 5, "name": "a"}', "user://a.jsonl"), "mes of line 1"),
        (FileData(b'{"mes": "a", "name": "a"}\n{"mes', "user://a.jsonl"), "line 2"),
        (FileData(b"{}\n" * 1_000_001, "user://a.jsonl"), "1,000,000"),
        (FileData(b"a: b\0", "user://a.txt"), "characters 0"),
        (FileData(b"", "user://a.jsonl"), "no message"),
        (png(), "no character card"),
        (png(card_chunk(CARD))[:-30], "cut off"),
        (png(card_chunk(CARD))[:100], "cut off"),
        (png(card_chunk(CARD)).replace(b"chara", b"chart", 1), "checksum"),
        (png(chunk(b"tEXt", b"chara\0*no base64*")), "base64"),
        (png(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"\xff\xfe\xfd"))), "UTF-8"),
        (png(chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"A" * 10_000_000))), "compressed"),
        (b"\x89PNG\r\n\x1a\n" + b"\xff" * 12, "cut off"),
    ],
)
def test_a_hostile_file_gives_a_clear_error(source: bytes, says_why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"import_file\(\)") as error:
        plan(FileData(source, getattr(source, "path", "") or "user://book.json"))
    assert says_why in str(error.value)
    assert error.value.remedy


@settings(max_examples=150, deadline=None)
@given(JSON, CARD_FIELDS, ENTRY_FIELDS, st.binary(max_size=40), st.integers(0, 400))
def test_whatever_a_file_holds_it_is_read_or_refused(
    value: Any, card: dict[str, Any], entry: dict[str, Any], noise: bytes, end: int
) -> None:
    image = png(card_chunk({**CARD, "data": {**CARD["data"], **card}}))
    book = {"entries": [{**SILLY_TAVERN["entries"]["0"], **entry}]}
    texts = [json.dumps(item).encode() for item in (value, book, {**CARD["data"], **card})]
    lines = b"\n".join([*(json.dumps({**LOG[1], **entry}).encode() for _ in range(2)), noise[end:]])
    paths = ("user://x", "user://x.txt", "user://x.jsonl")
    sources = (*texts, image, image[:end] + noise + image[end:], noise, lines)
    for source, path in itertools.product(sources, paths):
        try:
            read = plan(FileData(source, path))
        except InvalidArgumentError:
            continue
        assert read.as_data()["id"]
        assert "\0" not in read.lore
        assert all(any(turn.values()) for turn in read.turns)
        read.lore.encode()
