"""Files of other programs: what they are, and what they would bring in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PureWindowsPath
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable import png_text
from rag_memory.portable.card_io import KEYWORDS, card_plan, is_card, unpacked
from rag_memory.portable.chat_io import chat_plan, is_chat
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.portable.lorebook_io import is_lorebook, lorebook_text
from rag_memory.portable.macros import Macros
from rag_memory.portable.untrusted_json import parsed
from rag_memory.text.file_text import FileData, FileText, decoded
from rag_memory.validation import validate_text

OPTIONS = ("character", "npc", "player")
_REMEDY = "Pass a lorebook (JSON), a character card (JSON or PNG), or a chat (JSONL or text)"
_DEFAULT_PLAYER = "the player"


def read_plan(call: str, source: FileData, options: Mapping[str, Any]) -> ImportPlan:
    """Read a file of another program, and write nothing.

    Args:
        options: `character` and `player`: the names for {{char}} and {{user}}, and of the two in a chat.
            `npc`: the id of the NPC who remembers a chat.

    Raises:
        InvalidArgumentError: it is no such file, or damaged.
    """
    player = validate_text(call, "player", options.get("player", _DEFAULT_PLAYER))
    character = validate_text(call, "character", options.get("character", ""))
    npc_id = validate_text(call, "npc", options.get("npc", ""))
    if source.startswith(png_text.SIGNATURE):
        data = FileData(unpacked(call, png_text.text_in(call, source, KEYWORDS)), source.path)
    else:
        data = source
    text = decoded(call, data, source.path or "the text")
    if data is source and is_chat(FileText(text, source.path), character or npc_id):
        return chat_plan(call, FileText(text, source.path), character, player, npc_id)
    value = parsed(call, text, _REMEDY)
    if is_card(value):
        return card_plan(call, value, player)
    if is_lorebook(value):
        macros = Macros(character, player)
        name = PureWindowsPath(source.path).stem or "lorebook"
        book = lorebook_text(call, value, macros, name)
        return ImportPlan(
            "lorebook", book.name, book.text, book.entries, not_kept=[*book.not_kept, *macros.lines()]
        )
    raise InvalidArgumentError(
        f"{call}: {source.path or 'the text'} is neither a lorebook nor a character card",
        'it has no "entries", and no "name" with a "description"',
        _REMEDY,
    )
