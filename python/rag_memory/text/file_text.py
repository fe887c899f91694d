"""A text that may have come from a file."""

from __future__ import annotations


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
