"""Files of other programs: what they are, and what they would bring in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PureWindowsPath
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable import png_text
from rag_memory.portable.card_io import KEYWORDS, card_plan, is_card, unpacked
from rag_memory.portable.chat_io import chat_plan, is_chat_log
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.portable.lorebook_io import is_lorebook, lorebook_text
from rag_memory.portable.macros import Macros
from rag_memory.portable.table_columns import table_plan
from rag_memory.portable.table_io import Table, csv_table, json_table, lines_table
from rag_memory.portable.untrusted_json import parsed
from rag_memory.text.file_text import FileData, FileText, decoded
from rag_memory.validation import validate_text

OPTIONS = ("character", "columns", "npc", "player")
_REMEDY = "Pass a lorebook, a character card, a chat or a table; docs/world.md lists the formats"
_DEFAULT_PLAYER = "the player"


class _File(NamedTuple):
    """A file, and what the game says of it."""

    call: str
    text: FileText
    character: str
    player: str
    npc_id: str
    columns: Any

    @property
    def name(self) -> str:
        """The file for messages."""
        return self.text.path or "the text"

    @property
    def stem(self) -> str:
        """The name of the file without its ending; "" for a text."""
        return PureWindowsPath(self.text.path).stem


def read_plan(call: str, source: FileData, options: Mapping[str, Any]) -> ImportPlan:
    """Read a file of another program, and write nothing.

    Args:
        options: `character` and `player`: the names for {{char}} and {{user}}, and of the two in a chat.
            `npc`: the id of the NPC who remembers it. `columns`: see table_plan().

    Raises:
        InvalidArgumentError: it is no such file, or damaged.
    """
    is_image = source.startswith(png_text.SIGNATURE)
    data = FileData(unpacked(call, png_text.text_in(call, source, KEYWORDS)), "") if is_image else source
    file = _File(
        call,
        decoded(call, data, source.path or "the text"),
        validate_text(call, "character", options.get("character", "")),
        validate_text(call, "player", options.get("player", _DEFAULT_PLAYER)),
        validate_text(call, "npc", options.get("npc", "")),
        options.get("columns", {}),
    )
    return _reader(file, PureWindowsPath("" if is_image else source.path).suffix.casefold())(file)


def _reader(file: _File, ending: str) -> Callable[[_File], ImportPlan]:
    """The function that reads a file, by its ending or, without one that says enough, by its content."""
    if ending in _READERS:
        return _READERS[ending]
    is_json = file.text.lstrip()[:1] in ("{", "[", "")
    if not is_json and file.columns:
        return _read_csv
    return _read_chat if not is_json and (file.character or file.npc_id) else _read_json


def _read_json(file: _File) -> ImportPlan:
    value = parsed(file.call, file.text, _REMEDY)
    if is_card(value) and not file.columns:
        return card_plan(file.call, value, file.player)
    if is_lorebook(value) and not file.columns:
        macros = Macros(file.character, file.player)
        book = lorebook_text(file.call, value, macros, file.stem or "lorebook")
        not_kept = [*book.not_kept, *macros.lines()]
        return ImportPlan("lorebook", book.name, book.text, book.entries, not_kept=not_kept)
    table = json_table(file.call, value)
    if table is None:
        raise InvalidArgumentError(
            f"{file.call}: {file.name} is neither a lorebook, a character card nor a table",
            'it has no "entries", no "name" with a "description", and no Array of Dictionaries',
            _REMEDY,
        )
    return _table(file, table)


def _read_csv(file: _File) -> ImportPlan:
    return _table(file, csv_table(file.call, file.text))


def _read_lines(file: _File) -> ImportPlan:
    if is_chat_log(file.text):
        return _read_chat(file)
    return _table(file, lines_table(file.call, file.text))


def _table(file: _File, table: Table) -> ImportPlan:
    return table_plan(file.call, table, file.npc_id, file.columns)._replace(name=file.stem)


def _read_chat(file: _File) -> ImportPlan:
    return chat_plan(file.call, file.text, file.character, file.player, file.npc_id)


_READERS: Mapping[str, Callable[[_File], ImportPlan]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_lines,
    ".ndjson": _read_lines,
    ".txt": _read_chat,
    ".log": _read_chat,
}
"""The formats that are known by the ending of the file; the others are JSON."""
