"""A text, or bytes, that may have come from a file."""

from __future__ import annotations

import codecs

from rag_memory.errors import InvalidArgumentError

_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class FileText(str):
    """A text, and where it stood. As the annotation of an argument of a game call: the game gives a text or
    the path of a file, and the call always gets the text.
    """

    __slots__ = ("path",)
    path: str
    """The file, such as "res://lore/town.md"; "" for a text that the game gave itself."""

    def __new__(cls, text: str, path: str = "") -> FileText:
        made = super().__new__(cls, text)
        made.path = path
        return made


class FileData(bytes):
    """Bytes, and where they stood: a FileText that may be an image, too."""

    path: str
    """The file; "" for a text that the game gave itself."""

    def __new__(cls, data: bytes, path: str = "") -> FileData:
        made = super().__new__(cls, data)
        made.path = path
        return made


def decoded(call: str, data: bytes, path: str) -> FileText:
    """The text of a file.

    Raises:
        InvalidArgumentError: it is no text.
    """
    encoding = next((name for mark, name in _ENCODINGS if data.startswith(mark)), "utf-8")
    try:
        return FileText(data.decode(encoding), path)
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(
            f'{call}: "{path}" is no text that can be read',
            f"it is not in UTF-8, beginning with byte {error.start}",
            "Save it as UTF-8 in a text editor",
        ) from error
