"""Character cards (V1, V2 and V3) as the properties of an NPCPersonality, and their book as lore."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.portable.import_plan import ImportPlan, NotKept, id_of
from rag_memory.portable.lorebook_io import LorebookText, lorebook_text
from rag_memory.portable.macros import Macros
from rag_memory.portable.untrusted_json import Fields

KEYWORDS = ("ccv3", "chara")
"""The keywords of the text chunks with a card, the better one first."""
_VERSIONS = {"chara_card_v2": "character card V2", "chara_card_v3": "character card V3"}
_FIRST_FIELDS = ("description", "personality", "first_mes", "mes_example", "scenario")
_MOST_EXAMPLES = 5
_LONGEST_EXAMPLE = 300
_LONGEST_NAME = 100
_SENTENCES = {
    "system_prompt": "The system prompt of the card is left out: NPCContextBuilder writes its own.",
    "post_history_instructions": "Instructions after the conversation are left out.",
    "greetings": "The first lines are in the result and in no personality: a game decides when to say one.",
    "examples": "{count} example lines are left out: they are long, of others, or more than five.",
    "creator_notes": "Notes of the creator are left out.",
    "tags": "Tags are left out.",
    "assets": "Pictures and other assets are left out.",
    "extensions": "Data of other programs in the card (extensions) is left out.",
}
_START = lazy_pattern(r"<START>", re.IGNORECASE)
_TRAIT_END = lazy_pattern(r"[,;\n]+")
_LONGEST_TRAIT = 60


def is_card(value: Any) -> bool:
    """Return True if parsed JSON looks like a character card."""
    if not isinstance(value, Mapping):
        return False
    return value.get("spec") in _VERSIONS or ("name" in value and any(map(value.__contains__, _FIRST_FIELDS)))


def unpacked(call: str, text: str) -> bytes:
    """The JSON of a card that is in an image as base64.

    Raises:
        InvalidArgumentError: it is no base64.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidArgumentError(
            f"{call}: the card in the image cannot be read",
            f"it is no base64 ({error})",
            "Export the card again, as PNG or as JSON",
        ) from error


def card_plan(call: str, value: Any, player: str) -> ImportPlan:
    """What a parsed character card brings in.

    Args:
        player: the words for {{user}}.

    Raises:
        InvalidArgumentError: a value has the wrong type, or the card has no name.
    """
    card = Fields(call, "the card", value)
    data = card.part("data") if card.value("spec") in _VERSIONS else card
    name = " ".join(data.text("name").split())[:_LONGEST_NAME]
    if not name:
        raise InvalidArgumentError(
            f"{call}: the card has no name", "an NPC needs one", 'Give the card a "name"'
        )
    shown_name = " ".join(data.text("nickname").split())[:_LONGEST_NAME] or name
    macros = Macros(shown_name, player)

    def said(*names: str) -> str:
        return macros.replaced(data.text(*names)).strip()

    npc_id = id_of(name)
    examples = list(_examples(macros.replaced(data.text("mes_example")), shown_name))
    lines = [line for line in examples if line and len(line) <= _LONGEST_EXAMPLE][:_MOST_EXAMPLES]
    personality = {
        "npc_id": npc_id,
        "display_name": shown_name,
        "background": "\n\n".join(filter(None, (said("description"), said("scenario")))),
        "traits": _traits(said("personality")),
        "example_lines": lines,
    }
    greetings = [said("first_mes"), *map(macros.replaced, data.texts("alternate_greetings"))]
    greetings += map(macros.replaced, data.texts("group_only_greetings"))
    greetings = [line for line in greetings if line]
    not_kept = NotKept(_SENTENCES)
    not_kept.note_if(
        {field: data.has(field) for field in _SENTENCES if field not in ("greetings", "examples")}
    )
    not_kept.note_if({"greetings": greetings})
    not_kept.note(*["examples"] * (len(examples) - len(lines)))
    book = LorebookText("", "", 0, [])
    if data.has("character_book"):
        book = lorebook_text(call, data.value("character_book"), macros, shown_name, npc_id)
    return ImportPlan(
        _VERSIONS.get(card.text("spec"), "character card V1"),
        name,
        book.text,
        book.entries,
        {property: content for property, content in personality.items() if content},
        greetings,
        not_kept=not_kept.lines([*book.not_kept, *macros.lines()]),
    )


def _traits(text: str) -> list[str]:
    """The personality of a card in traits: its list, or as one when it is written in sentences."""
    parts = [part.strip(" .") for part in _TRAIT_END.split(text)]
    parts = [part for part in parts if part]
    return parts if all(len(part) <= _LONGEST_TRAIT for part in parts) else [text]


def _examples(text: str, name: str) -> Iterator[str]:
    """What is said in the example conversations, a line each; "" for a line of somebody else."""
    own = f"{name}:"
    for conversation in _START.split(text):
        for line in conversation.split("\n"):
            line = line.strip()
            if line:
                yield line[len(own) :].strip() if line.startswith(own) else ""
