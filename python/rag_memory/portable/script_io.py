"""Dialogue files of Ink and Dialogue Manager: what is said in them, by whom. What is code is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.portable.chat_io import Message, sides_of, turns_of
from rag_memory.portable.import_plan import ImportPlan, NotKept
from rag_memory.portable.lorebook_io import MOST_ENTRIES, book_markdown, harmless
from rag_memory.portable.untrusted_json import Fields

_SENTENCES = {
    "code": "{count} lines of code are left out.",
    "functions": "{count} functions are left out.",
    "conditions": "{count} conditions are left out: their lines count as said.",
    "variables": "{count} lines with variables, alternatives or conditions in them are left out.",
    "jumps": "{count} jumps to other passages are left out.",
    "tags": "{count} tags are left out.",
    "others": "{count} lines of others than the two, and without a name, are left out.",
    "empty": "{count} passages have no words and are left out.",
}
_NAMED = lazy_pattern(r"([^\W\d_][\w.'’ -]{0,39}):[ \t]+(\S.*)")
_MOST_WORDS = 4
"""Of a name."""

_INK_COMMENT = lazy_pattern(r"/\*.*?\*/", re.DOTALL)
_INK_LINE_COMMENT = lazy_pattern(r"(?<!:)//.*")
_INK_KNOT = lazy_pattern(r"(={1,10})[ \t]*(function\b[ \t]*)?(\w+)")
_INK_CODE = lazy_pattern(r"~|(?:VAR|CONST|LIST|INCLUDE|EXTERNAL)\b|TODO:")
_INK_MARKS = lazy_pattern(r"((?:[*+][ \t]*)+|(?:-(?!>)[ \t]*)+)(?:\(\w+\)[ \t]*)?")
_INK_CONDITION = lazy_pattern(r"\{[^{}|:]*\}[ \t]*")
_INK_TAG = lazy_pattern(r"(?<!\\)#.*")
_INK_SPEAKER = lazy_pattern(r"#[ \t]*speaker[ \t]*:[ \t]*([^#:\n]{1,40})")
_INK_JUMP = lazy_pattern(r"(?:->|<-).*")
_INK_CHOICE = lazy_pattern(r"([^\[\]]*)\[([^\[\]]*)\](.*)")
_ESCAPE = lazy_pattern(r"\\(.)")

_MANAGER_CODE = lazy_pattern(r"(?:do!?|set|import|using)\b|\$>")
_MANAGER_CONDITION = lazy_pattern(r"(?:if|elif|else|while|match|when)\b")
_MANAGER_OPENING = lazy_pattern(r"(?:- ?|%[\d.]*[ \t]*(?:\[if [^\]]*\][ \t]*)?|\|[ \t]?)")
_MANAGER_CHOICE_CONDITION = lazy_pattern(r"\[if [^\]]*/\]")
_MANAGER_CHANGING = lazy_pattern(r"\{\{|\[\[|\[(?:if|else|elif|/if)\b")
_MANAGER_TAG = lazy_pattern(r"(?<!\\)\[[^\[\]]{0,300}\]")
_MANAGER_JUMP = lazy_pattern(r"=>.*")


class _Line(NamedTuple):
    name: str
    words: str


class _Passage(NamedTuple):
    title: str
    lines: list[_Line]


_Reader = Callable[[str, str, NotKept], Iterator[_Passage | _Line]]


def script_plan(
    call: str, text: str, ending: str, name: str, names: tuple[str, str], npc_id: str
) -> ImportPlan:
    """What a dialogue file brings in: turns of an NPC if one is named, else lore with a section for each
    passage.

    Args:
        ending: of the file, a key of SCRIPTS; name: of the file.
        names: those of the NPC, "" for none, and of the player, who says the choices.

    Raises:
        InvalidArgumentError: it cannot be read, is too long, or the NPC says nothing in it.
    """
    format, read = SCRIPTS[ending]
    character, player = names
    text = Fields(call, "the file", {"text": text}).text("text")
    not_kept = NotKept(_SENTENCES)
    passages = [_Passage(name, [])]
    for part in read(text, player, not_kept):
        if isinstance(part, _Passage):
            passages.append(part)
        else:
            passages[-1].lines.append(part)
    said = [passage for passage in passages if passage.lines]
    not_kept.note(*["empty"] * sum(not passage.lines for passage in passages[1:]))
    if len(said) > MOST_ENTRIES or not said:
        raise InvalidArgumentError(
            f"{call}: the file has {len(said):,} passages with words",
            f"{MOST_ENTRIES:,} is the most" if said else "there is nothing to import",
            "Split the file" if said else "Pass a file with lines such as Mira: Good morning.",
        )
    if not (character or npc_id):
        entries = [(passage.title, _lore(passage)) for passage in said]
        lore = book_markdown(name, "", entries)
        return ImportPlan(format, name, lore, len(entries), not_kept=not_kept.lines())
    turns = [
        turn for passage in said for turn in turns_of(_messages(passages, passage, names, npc_id, not_kept))
    ]
    if not any(turn["npc_message"] for turn in turns):
        raise InvalidArgumentError(
            f"{call}: the file has no line of {character or npc_id}",
            "without one there is no conversation",
            'Pass the name of the NPC in the file as the option "character"',
        )
    return ImportPlan(format, character or npc_id, turns=turns, not_kept=not_kept.lines(), npc_id=npc_id)


def _lore(passage: _Passage) -> str:
    lines = (f"{line.name}: {line.words}" if line.name else line.words for line in passage.lines)
    return harmless("\n".join(lines))


def _messages(
    passages: list[_Passage], passage: _Passage, names: tuple[str, str], npc_id: str, not_kept: NotKept
) -> list[Message]:
    """What the NPC and the player say in a passage. In a file without names the NPC says it all."""
    character, player = names
    sides = sides_of(player, character, npc_id)
    if not any(line.name and line.name != player for part in passages for line in part.lines):
        sides[""] = False
    messages = []
    for line in passage.lines:
        side = sides.get(line.name.casefold())
        if side is None:
            not_kept.note("others")
        else:
            messages.append(Message(side, line.words))
    return messages


def _line(text: str, player: str, is_choice: bool) -> _Line | None:
    text = " ".join(text.split())
    match = _NAMED.fullmatch(text)
    if match is not None and len(match[1].split()) <= _MOST_WORDS:
        return _Line(match[1].strip(), match[2])
    return _Line(player if is_choice else "", text) if text else None


def _title(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


def _of_ink(text: str, player: str, not_kept: NotKept) -> Iterator[_Passage | _Line]:
    knot, depth, is_function = "", 0, False
    for line in _INK_COMMENT.sub("", text).split("\n"):
        line = _INK_LINE_COMMENT.sub("", line).strip()
        if not line:
            continue
        if depth:  # inside of a block of conditions
            depth = max(0, depth + line.count("{") - line.count("}"))
            not_kept.note("variables")
            continue
        if heading := _INK_KNOT.match(line):
            is_knot = len(heading[1]) > 1
            is_function = bool(heading[2]) if is_knot else is_function
            if is_function:
                not_kept.note_if({"functions": is_knot})
                continue
            knot = heading[3] if is_knot else knot
            yield _Passage(_title(knot if is_knot else f"{knot} {heading[3]}"), [])
            continue
        if is_function or _INK_CODE.match(line):
            not_kept.note("code")
            continue
        marks = _INK_MARKS.match(line)
        is_choice = marks is not None and marks[1][0] in "*+"
        line = line[marks.end() :] if marks is not None else line
        speaker = _INK_SPEAKER.search(line)
        line, tags = _INK_TAG.subn("", line)
        line, jumps = _INK_JUMP.subn("", line)
        while is_choice and (condition := _INK_CONDITION.match(line)):
            line = line[condition.end() :]
            not_kept.note("conditions")
        not_kept.note(*["tags"] * (tags - bool(speaker)), *["jumps"] * jumps)
        if "{" in line or "}" in line:
            depth = max(0, line.count("{") - line.count("}"))
            not_kept.note("variables")
            continue
        if is_choice and (choice := _INK_CHOICE.fullmatch(line.strip())):
            said = choice[1] + choice[3]
            line = said if said.strip() else choice[2]
        if speaker is not None and line.strip() and not is_choice:
            line = f"{speaker[1].strip()}: {line.strip()}"
        spoken = _line(_ESCAPE.sub(r"\1", line.replace("<>", " ")), player, is_choice)
        if spoken is not None:
            yield spoken


def _of_manager(text: str, player: str, not_kept: NotKept) -> Iterator[_Passage | _Line]:
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("~"):
            yield _Passage(_title(line[1:]), [])
            continue
        kinds = {"code": _MANAGER_CODE.match(line), "conditions": _MANAGER_CONDITION.match(line)}
        if any(kinds.values()):
            not_kept.note_if(kinds)
            continue
        opening = _MANAGER_OPENING.match(line)
        is_choice = line.startswith("-")
        line = line[opening.end() :] if opening is not None else line
        line, jumps = _MANAGER_JUMP.subn("", line)
        line, conditions = _MANAGER_CHOICE_CONDITION.subn("", line)
        not_kept.note_if({"jumps": jumps, "conditions": conditions})
        if _MANAGER_CHANGING.search(line):
            not_kept.note("variables")
            continue
        line, tags = _MANAGER_TAG.subn("", line)
        not_kept.note(*["tags"] * tags)
        spoken = _line(_ESCAPE.sub(r"\1", line), player, is_choice)
        if spoken is not None:
            yield spoken


SCRIPTS: Mapping[str, tuple[str, _Reader]] = {
    ".ink": ("Ink", _of_ink),
    ".dialogue": ("Dialogue Manager", _of_manager),
}
"""The name of each format, and what reads it, by the ending of the file."""
