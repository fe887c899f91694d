"""Lorebooks of SillyTavern, RisuAI and character cards as Markdown, which import_lore() takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.portable.import_plan import NotKept
from rag_memory.portable.macros import Macros
from rag_memory.portable.untrusted_json import Fields
from rag_memory.validation import wrong_type

MOST_ENTRIES = 20_000
_LONGEST_TITLE, _LONGEST_HEADING = 100, 190
_MOST_KEYS = 50
"""Keys of an entry that are looked for in its text."""
_CERTAIN = 100.0
_EXCLUDING = (1, 2)
"""The logics of SillyTavern under which secondary keys keep an entry away: NOT ALL and NOT ANY."""
_IN_DEFINITIONS = ("", "0", "1", "before_char", "after_char")
"""Positions that stand for "somewhere beside the character"."""
_OTHER_RULES = (
    "sticky",
    "cooldown",
    "delay",
    "group",
    "exclude_recursion",
    "excludeRecursion",
    "prevent_recursion",
    "preventRecursion",
    "delay_until_recursion",
    "delayUntilRecursion",
    "match_whole_words",
    "matchWholeWords",
    "case_sensitive",
    "caseSensitive",
    "automation_id",
    "automationId",
)
_SENTENCES = {
    "order": "The order of the entries stays as their order in the text. It gives none of them priority.",
    "secondary": "Secondary keys of {count} entries are words to find them by, and no condition.",
    "excluding": "Secondary keys that keep {count} entries away are left out.",
    "constant": (
        "{count} entries are always in the prompt there. Here each is found when it fits. "
        "What has to be said always belongs in NPCPersonality.anchors."
    ),
    "probability": "The probability of {count} entries is left out: they are found whenever they fit.",
    "position": "The place in the prompt of {count} entries is left out: lore has a section of its own.",
    "regex": "Keys of {count} entries are regular expressions and are left out.",
    "rules": "Rules of {count} entries (recursion, groups, timing, case and whole words) are left out.",
    "decorators": "Decorators (lines with @@) of {count} entries are left out.",
    "keys": "Keys of {count} entries did not all fit into their headings.",
    "disabled": "{count} entries are switched off and are left out.",
    "empty": "{count} entries have no text and are left out.",
    "image": "The pictures and other extras of the book are left out.",
}
_PATTERN_KEY = lazy_pattern(r"/.+/[a-z]*\Z", re.DOTALL)
_HEADING = lazy_pattern(r"^( {0,3})(#{1,6})(?=\s|$)", re.MULTILINE)
_UNDERLINE = lazy_pattern(r"^( {0,3}(?:=+|-{2,})[ \t]*)$", re.MULTILINE)
_FENCE = lazy_pattern(r"^ {0,3}(?:`{3,}|~{3,}).*\n?", re.MULTILINE)
_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)
_DEFINITION = lazy_pattern(r"^( {0,3})\[([^\]\n]{1,200})\]:", re.MULTILINE)
_DECORATOR = lazy_pattern(r"^@@+\w.*\n?", re.MULTILINE)
_MARK = lazy_pattern(r"([\\`*_\[\]<>{}#])")


class LorebookText(NamedTuple):
    """A lorebook as Markdown."""

    name: str
    text: str
    entries: int
    not_kept: list[str]


class _Entry(NamedTuple):
    order: float
    heading: str
    text: str


def is_lorebook(value: Any) -> bool:
    """Return True if parsed JSON looks like a lorebook of one of the formats."""
    if not isinstance(value, Mapping):
        return False
    is_risu = value.get("type") == "risu" and "data" in value
    return is_risu or "entries" in value or value.get("spec") == "lorebook_v3"


def lorebook_text(call: str, value: Any, macros: Macros, name: str, known_by: str = "") -> LorebookText:
    """Turn a parsed lorebook into Markdown.

    Args:
        name: of the book, if it has none itself.
        known_by: the npc_id of the only one who knows it; "" for everyone.

    Raises:
        InvalidArgumentError: a value has the wrong type, or there are too many entries.
    """
    book = Fields(call, "the lorebook", value)
    if book.value("spec") == "lorebook_v3":
        book = book.part("data")
    name = " ".join(macros.replaced(book.text("name")).split())[:_LONGEST_TITLE] or name
    not_kept = NotKept(_SENTENCES)
    items = _items(call, book.value("entries", "data"))
    if len(items) > MOST_ENTRIES:
        raise InvalidArgumentError(
            f"{call}: the lorebook has {len(items):,} entries",
            f"{MOST_ENTRIES:,} is the most",
            "Split it into several books",
        )
    entries = [
        entry
        for number, item in enumerate(items, 1)
        if (entry := _entry(Fields(call, f"entry {number}", item), macros, not_kept)) is not None
    ]
    if len({entry.order for entry in entries}) > 1:
        not_kept.note("order")
    entries.sort(key=lambda entry: entry.order)
    description = harmless(macros.replaced(book.text("description"))).strip()
    sections = [(entry.heading, entry.text) for entry in entries]
    text = book_markdown(name, description, sections, known_by) if entries else ""
    return LorebookText(name, text, len(entries), not_kept.lines())


def book_markdown(
    name: str, description: str, sections: Sequence[tuple[str, str]], known_by: str = ""
) -> str:
    """Markdown with a title and sections.

    Args:
        sections: the heading and the text of each, harmless().
        known_by: the npc_id of the only one who knows it; "" for everyone.
    """
    head = f"---\ntitle: {name}\n" + (f"known_by: [npc: {known_by}]\n" if known_by else "") + "---\n"
    parts = [f"# {_MARK.sub(_escaped, name)}", description]
    for heading, text in sections:
        parts += [f"## {heading}", text]
    return head + "\n\n".join(part for part in parts if part) + "\n"


def _items(call: str, value: Any) -> Sequence[Any]:
    """The entries of a book: a list, or an object by their numbers."""
    if isinstance(value, Mapping):
        return list(value.values())
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise wrong_type(call, "the entries of the lorebook", value, "an Array or a Dictionary")
    return value


def _entry(entry: Fields, macros: Macros, not_kept: NotKept) -> _Entry | None:
    """An entry of any of the formats; None for one that is left out."""
    if entry.value("mode") == "folder":
        return None
    if entry.value("enabled") is False or entry.has("disable"):
        not_kept.note("disabled")
        return None
    content = entry.text("content")
    without = _DECORATOR.sub("", content)
    text = harmless(macros.replaced(without)).strip()
    if not text:
        not_kept.note("empty")
        return None
    extensions = entry.part("extensions")
    keys = list(_words_of(entry.texts("key", "keys"), entry.has("useRegex") or entry.has("use_regex")))
    secondary = entry.texts("keysecondary", "secondary_keys", "secondkey")
    logic = extensions.value("selectiveLogic") if entry.value("selectiveLogic") is None else None
    logic = entry.value("selectiveLogic") if logic is None else logic
    is_selective = bool(secondary) and entry.value("selective") is not False
    is_excluding = is_selective and logic in _EXCLUDING
    chance = entry.number("probability", "activationPercent", default=_CERTAIN)
    if entry.value("probability", "activationPercent") is None:
        chance = extensions.number("probability", default=_CERTAIN)
    position = extensions.value("position")
    position = entry.value("position") if position is None else position
    not_kept.note_if(
        {
            "secondary": is_selective and not is_excluding,
            "excluding": is_excluding,
            "constant": entry.has("constant") or entry.has("alwaysActive"),
            "probability": chance != _CERTAIN,
            "position": str("" if position is None else position) not in _IN_DEFINITIONS,
            "regex": len(keys) < len(entry.texts("key", "keys")),
            "rules": any(entry.has(rule) or extensions.has(rule) for rule in _OTHER_RULES),
            "decorators": without != content,
        }
    )
    keys += [] if is_excluding else list(_words_of(secondary, False))
    heading, is_whole = _heading(macros, entry.text("name") or entry.text("comment"), keys, text)
    not_kept.note_if({"keys": not is_whole})
    return _Entry(entry.number("order", "insertion_order", "insertorder"), heading, text)


def _words_of(keys: Sequence[str], are_patterns: bool) -> Iterator[str]:
    """The keys that are words, and no regular expressions."""
    return (key for key in keys if not are_patterns and not _PATTERN_KEY.match(key))


def _heading(macros: Macros, title: str, keys: Sequence[str], text: str) -> tuple[str, bool]:
    """The heading of an entry: its title, and the keys that neither the title nor the text says. With False
    when they did not all fit.
    """
    names = [" ".join(macros.replaced(key).split()) for key in keys[:_MOST_KEYS]]
    title = " ".join(macros.replaced(title).split())
    if not title:
        title = names[0] if names else text
    title = title[:_LONGEST_TITLE].strip()
    said = f"{title}\n{text}".casefold()
    missing = [name for name in dict.fromkeys(names) if name.casefold() not in said]
    taken = len(missing)
    while taken and len(title) + len(", ".join(missing[:taken])) > _LONGEST_HEADING:
        taken -= 1
    heading = f"{title} ({', '.join(missing[:taken])})" if taken else title
    return _MARK.sub(_escaped, heading), taken == len(missing) and len(keys) <= _MOST_KEYS


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[1]}"


def harmless(text: str) -> str:
    """The text of an entry as Markdown that ends with the entry: its headings stand below that of the
    entry, and nothing in it hides what follows.
    """
    end = text.rfind("-->") + 3 if "-->" in text else 0
    text = _COMMENT.sub("", text[:end]) + text[end:]
    text = _FENCE.sub("", text.replace("<!--", "").replace("-->", ""))
    text = _HEADING.sub(lambda match: f"{match[1]}{'#' * min(6, len(match[2]) + 2)}", text)
    return _DEFINITION.sub(r"\1\2:", _UNDERLINE.sub(r"\n\1", text))
