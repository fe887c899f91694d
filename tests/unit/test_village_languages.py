"""Each text of the village has a translation, in each language that the village is played in."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest

from rag_memory_build.paths import ROOT

VILLAGE = ROOT / "demo" / "village"
MEMORIES = ROOT / "demo" / "memories"
LANGUAGES = ("de", "zh_CN")
LAST_DAY = 35
MIRAS_LEAST = 80
"""Villagers remember nothing that is not translated; of Mira's 138 memories the others are small talk."""

NOT_SHOWN = {
    "RAGMemory",
    "Memory",
    "Why",
    "Hearing",
    "Sight",
    "The village has no language %s. It has: %s.",
    "quest.pig < 4",
}
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_PLACE = re.compile(r"%\.?\d*[sdf]|\{\w+\}")
_ENTRY = re.compile(r'^msgid ((?:".*"\n)+)msgstr ((?:".*"(?:\n|$))+)', re.MULTILINE)


def in_scripts() -> Iterator[str]:
    """The sentences of the scripts: strings that have a blank or begin with a capital, and are no paths."""
    for script in sorted(VILLAGE.glob("*.gd")):
        for line in script.read_text(encoding="utf-8").splitlines():
            for literal in () if line.strip().startswith("#") else _STRING.findall(line):
                text = ast.literal_eval(f'"{literal}"')
                is_sentence = (" " in text and re.search("[a-z]", text)) or text[:1].isupper()
                if is_sentence and "://" not in text and not text.startswith("--"):
                    yield text


def in_resources() -> Iterator[str]:
    """The texts of the scenes and of the villagers, and the names of places, which are keys."""
    for file in sorted([*VILLAGE.glob("*.tscn"), *(ROOT / "demo" / "villagers").glob("*.tres")]):
        lines = file.read_text(encoding="utf-8").split("\n")
        content = "\n".join(line for line in lines if not (line.startswith("[") and line.endswith("]")))
        content = re.sub(r"(Resource|NodePath|Color|PackedStringArray)\([^)]*\)", "", content)
        content = re.sub(r'&"[^"]*"|"id": "[^"]*"|npc_id = "[^"]*"', "", content)
        for text, is_key in _VALUE.findall(content):
            if re.search("[A-Za-z]", text) and (" " in text or not is_key):
                yield text


def memories(npc: str) -> list[str]:
    records = [
        record
        for name in ("mira", "village")
        for record in json.loads((MEMORIES / f"{name}.json").read_text(encoding="utf-8"))
    ]
    return [
        record["text"]
        for record in records
        if (record.get("npc", "mira") == "mira") == (npc == "mira") and record["day"] <= LAST_DAY
    ]


def translations(locale: str) -> dict[str, str]:
    content = (VILLAGE / "languages" / f"{locale}.po").read_text(encoding="utf-8")
    entries = [
        ["".join(map(ast.literal_eval, part.split("\n")[:-1])) for part in found]
        for found in _ENTRY.findall(content + "\n")
    ]
    return dict(entries)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_text_of_the_village_is_translated(locale: str) -> None:
    translated = translations(locale)
    texts = {*in_scripts(), *in_resources(), *memories("others")} - NOT_SHOWN
    assert len(texts) > 300
    assert sorted(text for text in texts if not translated.get(text)) == []
    assert sum(bool(translated.get(text)) for text in memories("mira")) >= MIRAS_LEAST


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_translation_has_the_places_of_its_text(locale: str) -> None:
    wrong = [
        text
        for text, translation in translations(locale).items()
        if text
        and (
            _PLACE.findall(text) != _PLACE.findall(translation)
            if "%" in text
            else sorted(_PLACE.findall(text)) != sorted(_PLACE.findall(translation))
        )
    ]
    assert wrong == []


def test_chinese_is_written_in_chinese() -> None:
    """No word of English is left, other than names of keys and places for values."""
    allowed = re.compile(r"Escape|Enter|Page Up|Page Down|Start|AI|%\.?\d*[sdf]|\{\w+\}|F\d+|\b[A-Z]\b")
    left = {
        text: found
        for text, translation in translations("zh_CN").items()
        if text and (found := re.findall("[A-Za-z]{2,}", allowed.sub("", translation)))
    }
    assert left == {}
