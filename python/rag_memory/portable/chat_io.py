"""Chat logs as turns: those of SillyTavern (JSONL), and texts with "Name: words" in each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.portable.import_plan import ImportPlan, NotKept
from rag_memory.portable.macros import Macros
from rag_memory.portable.untrusted_json import MOST_CONTAINERS, Fields, parsed
from rag_memory.text.file_text import FileText

_LOG = ".jsonl"
_LOG_FIELDS = ("mes", "user_name", "character_name", "chat_metadata")
_LONGEST_FIRST_LINE = 100_000
_MOST_TURNS = 20_000
_LINE = lazy_pattern(r"[ \t]*(?:\[[^\]\n]{0,40}\][ \t]*)?([^:\n]{1,60}):[ \t]*(.*)")
_REMEDY = "Pass a chat of SillyTavern (JSONL), or a text with lines such as Mira: Good morning."
_SENTENCES = {
    "system": "{count} notes of the program are left out.",
    "swipes": "Other versions of {count} answers (swipes) are left out.",
    "dates": "The dates are left out: the turns happen at the game's time of the import.",
    "others": "{count} messages of others than the two are left out.",
    "lines": "{count} lines before the first name are left out.",
}


class _Message(NamedTuple):
    is_player: bool
    text: str


def is_chat_log(text: str) -> bool:
    """Return True unless the first line of a text with an object in each line has nothing of a chat."""
    line = text.lstrip().partition("\n")[0][:_LONGEST_FIRST_LINE]
    return not line or any(f'"{field}"' in line for field in _LOG_FIELDS)


def chat_plan(call: str, source: FileText, character: str, player: str, npc_id: str) -> ImportPlan:
    """What a chat log brings in.

    Args:
        character: the name of the NPC in a text; player: that of the player, and the words for {{user}}.
        npc_id: of the NPC; "" for one made of the name.

    Raises:
        InvalidArgumentError: it cannot be read, has too many turns, or nobody in it is the NPC.
    """
    not_kept = NotKept(_SENTENCES)
    ending = PureWindowsPath(source.path).suffix.casefold()
    if ending == _LOG or source.lstrip().startswith("{"):
        kind = "chat of SillyTavern"
        name, messages = _of_log(call, source, character, player, not_kept)
    else:
        kind, name = "chat", character or npc_id
        messages = list(_of_text(call, source, name, player, not_kept))
    turns = list(_turns(messages))
    if not any(turn["npc_message"] for turn in turns):
        raise InvalidArgumentError(
            f"{call}: the chat has no message of {name or 'an NPC'}",
            "without one there is no conversation",
            'Pass the name of the NPC in the file as the option "character"',
        )
    if len(turns) > _MOST_TURNS:
        raise InvalidArgumentError(
            f"{call}: the chat has {len(turns):,} turns", f"{_MOST_TURNS:,} is the most", "Split the file"
        )
    return ImportPlan(kind, name, turns=turns, not_kept=not_kept.lines(), npc_id=npc_id)


def _of_log(
    call: str, text: str, character: str, player: str, not_kept: NotKept
) -> tuple[str, Sequence[_Message]]:
    """The name of the NPC, and the messages of a log with an object in each line."""
    if text.count("{") + text.count("[") > MOST_CONTAINERS:
        parsed(call, text, _REMEDY)  # raises: the lines together are too much as well
    messages: list[_Message] = []
    macros = Macros(character, player)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        entry = Fields(call, f"line {number}", parsed(f"{call}, line {number}", line, _REMEDY))
        if entry.value("mes") is None:
            character = character or " ".join(entry.text("character_name").split())
            macros = Macros(character, player)
            continue
        is_player = entry.has("is_user")
        if not (is_player or character):
            character = " ".join(entry.text("name").split())
            macros = Macros(character, player)
        not_kept.note_if(
            {
                "system": entry.has("is_system"),
                "swipes": len(entry.texts("swipes")) > 1,
                "dates": entry.has("send_date"),
            }
        )
        words = macros.replaced(entry.text("mes")).strip()
        if words and not entry.has("is_system"):
            messages.append(_Message(is_player, words))
    return character, messages


def _of_text(call: str, text: str, character: str, player: str, not_kept: NotKept) -> Iterator[_Message]:
    """The messages of a text. A line without a name goes on with the message before it."""
    sides = {player.casefold(): True, "player": True, "user": True, "you": True, character.casefold(): False}
    text = Fields(call, "the chat", {"text": text}).text("text")
    lines: list[str] = []
    side: bool | None = None
    for line in text.split("\n"):
        match = _LINE.match(line)
        name = match[1].strip().casefold() if match is not None else ""
        is_named = match is not None and (name in sides or len(name.split()) == 1)
        if match is None or not is_named:
            if lines or side is not None:
                lines.append(line)
            elif line.strip():
                not_kept.note("lines")
            continue
        if side is not None and (words := "\n".join(lines).strip()):
            yield _Message(side, words)
        side = sides.get(name)
        if side is None:
            not_kept.note("others")
        lines = [match[2]]
    if side is not None and (words := "\n".join(lines).strip()):
        yield _Message(side, words)


def _turns(messages: Sequence[_Message]) -> Iterator[Mapping[str, Any]]:
    """Pairs of what the player said and what the NPC answered; messages of one side in a row are one."""
    said = {True: list[str](), False: list[str]()}

    def turn() -> Mapping[str, Any]:
        return {"player_message": "\n".join(said[True]), "npc_message": "\n".join(said[False])}

    for message in messages:
        if message.is_player and said[False]:
            yield turn()
            said[True].clear()
            said[False].clear()
        said[message.is_player].append(message.text)
    if said[True] or said[False]:
        yield turn()
