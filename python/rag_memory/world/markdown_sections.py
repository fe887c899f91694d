"""Markdown as sections of sentences and lines, in slices. markdown-it finds the blocks.

A text is read in pieces that begin behind a blank line, where no block goes on: so no text, however long,
holds up anybody. Comments are left out; emphasis, links and tags of HTML leave their words.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.step import Step, Steps
from rag_memory.text.short_form import sentences_of
from rag_memory.text.terms import is_spaceless
from rag_memory.validation import shown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PARAGRAPH = "\n\n"
LINE = "\n"
SENTENCE = " "
"""The gaps between a unit and the one before it."""

_PIECE_CHARS = 4_000
_MOST_PIECE_CHARS = 64_000
_MOST_INLINE_CHARS = 10_000
"""Of a longer paragraph the marks of emphasis and the like stay: no mark of it may cost a search of all."""
_MOST_SENTENCE_WORDS = 1_000
_MOST_SENTENCE_CHARS = 8_000
_CUT_WORDS = 200
_CUT_CHARS = 2_000
_MOST_WORD_CHARS = 30
_LONGEST_TITLE = 200

_FRONT_MATTER = lazy_pattern(
    r"\A---[ \t]*\n(.{0,20000}?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_LINE = lazy_pattern(r"[ \t]*(?:#.*|-[ \t]+.*|[\w -]+:(?:[ \t].*)?|[ \t]+\S.*)?\Z")
_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)
_FENCE = lazy_pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_KNOWN_BY = lazy_pattern(r"\s*\{\s*known_by\s*[:=]([^{}]*)\}\s*\Z", re.IGNORECASE)
_OWNERS_LINE = lazy_pattern(r"^\s*known[ _-]?by\s*[:=]", re.IGNORECASE | re.MULTILINE)
_NAMES_OWNERS = lazy_pattern(r"\{[^{}]*known[ _-]?by\b", re.IGNORECASE)
_INLINE_MARK = lazy_pattern(r"[*_`\[<&\\]")
_DEFINITION = lazy_pattern(r" {0,3}\[[^\]]{1,200}\]:[ \t]*\S.*\Z")
_REFERENCE = lazy_pattern(r"\[([^\[\]]{1,500})\]\[[^\[\]]{0,200}\]")
_LINE_END = lazy_pattern(r"[^\W\d_]{4}[.!?] (?=[^\W\d_])")
_INITIALS = lazy_pattern(r"(?:\b[^\W\d_]\.){2,}[\"'”’)\]]*\Z")


class Unit(NamedTuple):
    """A sentence or a line, which no chunk cuts."""

    text: str
    gap: str
    words: int


class MarkdownSection(NamedTuple):
    """A heading and what stands below it, up to the next heading."""

    level: int
    """1 to 6; 0 for what comes before the first heading."""
    title: str
    units: list[Unit]
    known_by: tuple[str, ...] = ()
    """The owners that the heading names; none: those of the heading above."""


class FrontMatter(NamedTuple):
    """The title, the tags and the owners that a text declares before it begins."""

    title: str
    tags: list[str]
    known_by: list[str]


def count_words(text: str) -> int:
    """The number of words of a text. In scripts without spaces two characters count as one word, and so do 30
    characters without a space anywhere else.
    """
    count = max(len(text.split()), len(text) // _MOST_WORD_CHARS)
    return count if text.isascii() else count + sum(map(is_spaceless, text)) // 2


def front_matter(text: str) -> tuple[FrontMatter, str]:
    """The front matter between lines of dashes at the beginning of a text, and the rest of the text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    match = _FRONT_MATTER.match(text)
    if match is None or not all(map(_FRONT_LINE.match, match[1].split("\n"))):
        if _OWNERS_LINE.search(text.strip().split("\n\n", 1)[0] if match is None else match[1]):
            raise _not_understood("the beginning of the text")
        return FrontMatter("", [], []), text
    values: dict[str, list[str]] = {}
    name = ""
    for line in match[1].split("\n"):
        key, colon, value = line.partition(":")
        if line.lstrip().startswith("- "):
            values.setdefault(name, []).append(_unquoted(line.lstrip()[2:]))
        elif colon and not line.startswith((" ", "\t", "#")):
            name = "known_by" if _OWNERS_LINE.match(line) else key.strip().lower()
            inner = value.strip().removeprefix("[").removesuffix("]")
            parts = [value] if name == "title" else inner.split(",")
            values[name] = [part for part in map(_unquoted, parts) if part]
        elif name == "known_by" and line.strip():
            raise _not_understood(f"the line {shown(line)} at the beginning of the text")
    if values.get("known_by") == []:
        raise _not_understood("the beginning of the text")
    title, tags, known_by = (values.get(key, []) for key in ("title", "tags", "known_by"))
    return FrontMatter(" ".join(title), tags, known_by), text[match.end() :]


def sections_steps(text: str) -> Steps[list[MarkdownSection]]:
    """The sections of a Markdown text, in their order, in slices."""
    text = _without_comments(text.replace("\r\n", "\n").replace("\r", "\n"))
    reader = _Reader()
    done = 0
    for piece in _pieces(text):
        reader.read(piece)
        done += len(piece)
        yield Step(done, len(text), "reading lore")
    return reader.sections


def _without_comments(text: str) -> str:
    end = text.rfind("-->") + 3
    if end < 3:
        return text.replace("<!--", "")
    return _COMMENT.sub("", text[:end]) + text[end:].replace("<!--", "")


def _pieces(text: str) -> Iterator[str]:
    """The text in parts that begin where no block goes on: behind a blank line, not within a fence."""
    lines: list[str] = []
    chars = 0
    fence = ""
    is_after_blank = False
    for line in itertools.chain.from_iterable(map(_bearable, text.split("\n"))):
        may_begin = is_after_blank and not fence and line[:1].strip() != ""
        if lines and (chars > _MOST_PIECE_CHARS or (may_begin and chars > _PIECE_CHARS)):
            yield "\n".join(lines)
            lines, chars = [], 0
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening and not fence:
            fence = opening[1]
        elif fence and line.strip() and not line.strip().strip(fence[0]) and len(line.strip()) >= len(fence):
            fence = ""
        lines.append(line)
        chars += len(line) + 1
        is_after_blank = not line.strip()
    yield "\n".join(lines)


def _bearable(line: str) -> Iterator[str]:
    """A line; one that is far too long in parts, which end with a sentence where there is an end."""
    start = 0
    while len(line) - start > _MOST_PIECE_CHARS:
        most = start + _MOST_PIECE_CHARS
        ends = [end.end() for end in _LINE_END.finditer(line, most - _MOST_PIECE_CHARS // 2, most)]
        end = ends[-1] if ends else line.rfind(" ", start + 1, most) + 1 or most
        yield line[start:end]
        yield ""
        start = end
    yield line[start:]


class _Reader:
    """Turns pieces of Markdown into sections."""

    def __init__(self) -> None:
        self.sections = [MarkdownSection(0, "", [])]
        self._markdown = _parser()

    def read(self, piece: str) -> None:
        tokens: list[Token] = []
        self._markdown.block.parse(piece, self._markdown, {}, tokens)
        marker = ""
        gap = PARAGRAPH
        cells: list[str] | None = None
        for number, token in enumerate(tokens):
            kind = token.type
            if kind == "list_item_open":
                marker, gap = f"{token.info}. " if token.info else "- ", LINE
            elif kind in ("bullet_list_close", "ordered_list_close") and not token.level:
                marker, gap = "", PARAGRAPH
            elif kind == "table_open":
                gap = PARAGRAPH
            elif kind == "tr_open":
                cells = []
            elif kind == "tr_close" and cells is not None:
                self._append(" | ".join(cell for cell in cells if cell), gap)
                cells, gap = None, LINE
            elif kind == "table_close" and not token.level:
                gap = PARAGRAPH
            elif kind in ("fence", "code_block"):
                self._add_lines(token.content)
            elif kind == "inline":
                opening = tokens[number - 1]
                text = self._plain(token.content)
                if opening.type == "heading_open" and not opening.level:
                    self._begin(int(opening.tag[1]), " ".join(text.split()))
                elif owners := _NAMES_OWNERS.search(text):
                    raise _not_understood(f"the text {shown(text[owners.start() :])}")
                elif cells is not None:
                    cells.append(" ".join(text.split()))
                else:
                    self._add(marker + text, gap)
                    marker = ""

    def _begin(self, level: int, title: str) -> None:
        owners = _KNOWN_BY.search(title)
        known_by: tuple[str, ...] = ()
        if owners is not None:
            known_by = tuple(filter(None, map(_unquoted, owners[1].strip().strip("[]").split(","))))
        if not known_by and _NAMES_OWNERS.search(title):
            raise _not_understood(f"the heading {shown(title)}")
        if owners is not None:
            title = title[: owners.start()]
        self.sections.append(MarkdownSection(level, title[:_LONGEST_TITLE].strip(), [], known_by))
        if len(title) > _LONGEST_TITLE:
            self._add(title, PARAGRAPH)

    def _add(self, text: str, gap: str) -> None:
        """Add a paragraph, a sentence at a time."""
        for sentence in _sentences(" ".join(text.split())):
            for part in _bounded(sentence):
                self._append(part, gap)
                gap = SENTENCE

    def _add_lines(self, text: str) -> None:
        gap = PARAGRAPH
        for line in text.rstrip("\n").split("\n"):
            for part in _bounded(line.rstrip()):
                self._append(part, gap)
                gap = LINE

    def _append(self, text: str, gap: str) -> None:
        if text.strip():
            self.sections[-1].units.append(Unit(text, gap, count_words(text)))

    def _plain(self, content: str) -> str:
        """The text of a paragraph without its marks."""
        if content.lstrip(" ").startswith("["):
            content = "\n".join(line for line in content.split("\n") if not _DEFINITION.match(line))
        if _INLINE_MARK.search(content) is None or len(content) > _MOST_INLINE_CHARS:
            return content
        content = _REFERENCE.sub(r"\1", content)
        tokens: list[Any] = []
        self._markdown.inline.parse(content, self._markdown, {}, tokens)
        return "".join(map(_shown, tokens))


def _not_understood(place: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"import_lore(): {place} says who knows it",
        "the owners are not understood",
        'Write "{known_by: npc: ulf, faction: Guild}" behind a heading, or "known_by: [npc: ulf]" between '
        "the lines of dashes that a text begins with",
    )


def _shown(token: Any) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "image":
        return "".join(map(_shown, token.children or ()))
    return "" if token.type == "html_inline" else token.content


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph. What may be an abbreviation ends none."""
    sentence = ""
    for part in sentences_of(text):
        if sentence and not (part[0].islower() or part[0].isdigit() or _INITIALS.search(sentence[-20:])):
            yield sentence
            sentence = part
        else:
            sentence = f"{sentence} {part}" if sentence else part
        if len(sentence) > _MOST_SENTENCE_CHARS:
            yield sentence
            sentence = ""
    if sentence:
        yield sentence


def _bounded(sentence: str) -> Sequence[str]:
    """A sentence; what is far too long for one, in parts."""
    if len(sentence) <= _MOST_SENTENCE_CHARS and count_words(sentence) <= _MOST_SENTENCE_WORDS:
        return [sentence]
    parts: list[str] = []
    taken: list[str] = []
    chars = 0
    for word in sentence.split():
        for part in (word[place : place + _CUT_CHARS] for place in range(0, len(word), _CUT_CHARS)):
            if taken and (len(taken) >= _CUT_WORDS or chars + len(part) > _CUT_CHARS):
                parts.append(" ".join(taken))
                taken, chars = [], 0
            taken.append(part)
            chars += len(part) + 1
    return [*parts, " ".join(taken)]


def _unquoted(text: str) -> str:
    return text.strip().strip("\"'").strip()


@functools.cache
def _parser() -> MarkdownIt:
    # Imported when lore is: a game without lore does not wait for it.
    from markdown_it import MarkdownIt

    # References would be looked for again and again in a text of nothing else, and HTML would hide headings.
    return MarkdownIt("commonmark").enable("table").disable(["reference", "html_block"])
