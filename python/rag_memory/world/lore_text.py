"""A text that a game passes to be imported as lore, checked and cut into chunks."""

from __future__ import annotations

import hashlib
from pathlib import PureWindowsPath
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Steps
from rag_memory.storage.file_name import check_file_name
from rag_memory.validation import validate_options, validate_text, validate_texts
from rag_memory.world.lore_chunks import Chunk, chunks_steps
from rag_memory.world.markdown_sections import sections_steps
from rag_memory.world.who_knows import validate_known_by

_RULES = "2"
"""The version of the rules for chunks: texts cut by other rules are imported again."""


class LoreText(NamedTuple):
    """A text to be imported as a source of lore."""

    key: str
    name: str
    tags: list[str]
    path: str
    text: str
    hash: str
    known_by: list[Any]

    @property
    def file_names(self) -> list[str]:
        """The names of files with its vectors: the key, and the name of the imported file."""
        return [name for name in (self.key, PureWindowsPath(self.path).stem) if name]


def chunked_steps(key: str, text: str) -> Steps[list[Chunk]]:
    """The chunks of a text without its front matter, in slices."""
    sections = yield from sections_steps(text)
    return (yield from chunks_steps(key, sections))


def lore_text(call: str, source: Any, options: Any) -> LoreText:
    """Check the arguments of import_lore().

    Raises:
        InvalidArgumentError: it is no text, or the key is missing or no file name.
    """
    options = validate_options(call, options, ("key", "name", "tags", "known_by"))
    path = getattr(source, "path", "")
    if isinstance(source, str) and "\0" in source:
        raise InvalidArgumentError(
            f"{call}: {path or 'the source'} holds characters 0", "it is no text", "Pass a Markdown text"
        )
    text = validate_text(call, "source", source)
    key = validate_text(call, "key", options.get("key", PureWindowsPath(path).stem))
    if not key:
        raise InvalidArgumentError(
            f"{call}: the lore has no key", "a text has no file name", 'Pass {"key": "realm"} as options'
        )
    check_file_name(key, "the key of lore", "realm", is_new=True)
    name = validate_text(call, "name", options.get("name", key))
    tags = validate_texts(call, "tags", options.get("tags", []))
    digest = hashlib.blake2b(text.encode(), digest_size=16, person=_RULES.encode()).hexdigest()
    known_by = validate_known_by(call, options.get("known_by", []))
    return LoreText(key, name, tags, path, text, digest, known_by)
