"""The short form of a memory: a few of its own sentences, chosen so that names and numbers survive."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence

from rag_memory.text.name_check import is_common_word

ELLIPSIS = "..."
_JOINER = "\u200d"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))

# Longer texts are summarised from their beginning: choosing among thousands of sentences would stall store().
_CONSIDERED_CHARS = 4000
_EXACT_CHOICE_SENTENCES = 12
_LEAST_CHARS = 50

_SENTENCE_END = re.compile(r"(?:(?<![.!?…])[.!?…]+[\"'”’“»)\]]*(?=\s|$)|[。！？]+[」』”]*|\n+)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Capt|Lt|Sgt|Gen|No|vs|etc|e\.g|i\.e|[A-Z])\.$"
)
_LONGER_THAN_ABBREVIATIONS = 8
_QUOTES = "\"“”„'‘’‚«»「」『』 \u00a0\u202f"
_CLOSING = {
    '"': '"',
    "“": "”",
    "‘": "’",
    "'": "' ",
    "„": "“",
    "‚": "‘",
    "«": "»",
    "「": "」",
    "『": "』",
}
_SAYING = re.compile(
    r"((?:(?<=[.!?…] )|(?<=[.!?…][\"”’'] )|^)(?:[^\W\d_][\w'’-]* ){1,4}?"
    r"(?:said|says|told|tells|asked|asks|answered|replied|whispered|wrote)(?: [\w'’-]+){0,4}:) ?([\"“‘']?)"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORD_PART = re.compile(r"[^\W\d_]\w*")
_COMMON_OPENERS = frozenset(
    """
    a after again all also although always an and another any are as at because before but by can come
    could did do does each even every everyone everything for from good had has have he hello her here
    hers hey hi his how however i if in is it its just last later let long look many maybe me most my
    never next no nobody none not nothing now of oh on once one only or our out over people perhaps
    please since so some somebody someone something sometimes soon such sure than thanks that the their
    them then there these they this those though three to today tomorrow tonight two under until up us
    very was we well were what when where whether which while who whoever whose why will with without
    would yes yesterday yet you your player
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)


def short_form(
    text: str,
    target_length: int,
    max_length: int,
    names: Iterable[str] = (),
    sayings: tuple[str, ...] = (),
    no_names: frozenset[str] = frozenset(),
) -> str:
    """A form of `text` of at most `max_length` characters that ends at a sentence or, failing that, at a
    word.

    A text within `target_length` is its own short form. Among the ways to keep whole sentences in their
    order, the one that keeps the most names and numbers wins; then the one with the first sentence; then the
    one nearest to `target_length`. When cutting at a word keeps more names and numbers than any whole
    sentences, it is cut there. Whole sentences of less than 50 characters are filled up to `target_length`
    with the beginning of another one.

    Args:
        names: words known to be names (participants, entities), besides those that capital letters show.
        sayings: how a sentence begins in which somebody says something, besides the English ways, as regular
            expressions.
        no_names: words in lower case that are no names, whatever their capital letter.
    """
    target_length = min(target_length, max_length)
    if len(text) <= target_length:
        return text
    names = list(names)
    short = _shortened(text, target_length, max_length, names, no_names)
    said = _said_by(text, short, sayings)
    room = max_length - len(said) - len(' ""')
    if not said or room < _LEAST_CHARS:
        return short
    short = _shortened(text, min(target_length, room), room, names, no_names)
    said = _said_by(text, short, sayings)
    return f'{said} "{short.strip(_QUOTES)}"' if said else short


def _said_by(text: str, short: str, own: tuple[str, ...]) -> str:
    """Who says the first words of a short form that begins within somebody's words: "The player said:"."""
    beginning = short.strip(_QUOTES).removesuffix(ELLIPSIS)[:_LEAST_CHARS].rstrip()
    considered = " ".join(text[:_CONSIDERED_CHARS].split())
    place = considered.find(beginning) if beginning else -1
    before = considered[: max(0, place)]
    sayings = [*_SAYING.finditer(before), *(_own_saying(own).finditer(before) if own else ())]
    if not sayings:
        return ""
    saying = max(sayings, key=lambda each: each.end())
    quote = saying.group(2)
    is_over = quote != "" and _CLOSING[quote] in considered[saying.end() : place]
    return "" if is_over else saying.group(1)


@functools.lru_cache(64)
def _own_saying(sayings: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"({'|'.join(sayings)})\s?([\"“‘'„‚«「『]?)")


def _shortened(
    text: str, target_length: int, max_length: int, names: Iterable[str], no_names: frozenset[str]
) -> str:
    considered = " ".join(text[:_CONSIDERED_CHARS].split())
    if not considered:
        return text[:max_length]
    if len(considered) <= target_length:
        return considered
    complete = len(text) <= _CONSIDERED_CHARS
    sentences = sentences_of(text[:_CONSIDERED_CHARS])
    if not complete and len(sentences) > 1:
        sentences.pop()
    facts = frozenset(fact for fact in facts_of(considered, sentences, names) if fact.lower() not in no_names)
    choices = [" ".join(kept) for kept in _sentence_choices(sentences, facts, max_length)]
    if complete and len(considered) <= max_length:
        choices.append(considered)
    told = frozenset(_kept("\n".join(choices), facts))
    best_whole = max(
        (_balanced(choice) for choice in choices if len(_balanced(choice)) <= max_length),
        key=lambda choice: _merit(choice, sentences[0], told, target_length),
        default="",
    )
    cut = max(
        (_cut_at_word(part, max_length) for part in [considered, *sentences] if len(part) > max_length),
        key=lambda choice: len(_kept(choice, facts)),
        default="",
    )
    if best_whole and len(_kept(best_whole, facts)) >= len(_kept(cut, facts)):
        if len(best_whole) < min(_LEAST_CHARS, target_length):
            return _filled_up(best_whole, sentences, target_length)
        return best_whole
    return cut


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, in their order, each on one line."""
    parts: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        last_word = text[max(start, end.end() - _LONGER_THAN_ABBREVIATIONS) : end.end()]
        if end.group().startswith(".") and _ABBREVIATION.search(last_word):
            continue
        parts.append(text[start : end.end()])
        start = end.end()
    parts.append(text[start:])
    return [" ".join(part.split()) for part in parts if part.strip()]


def facts_of(text: str, sentences: Sequence[str], names: Iterable[str] = ()) -> frozenset[str]:
    """The names and numbers in a text, given its sentences and words known to be names."""
    found = set(_NUMBER.findall(text))
    uncapitalised = {word for word in [*_WORD.findall(text), *_WORD_PART.findall(text)] if word[0].islower()}
    found.update(name for name in names if name and name in text)
    for sentence in sentences:
        for index, word in enumerate(_WORD.finditer(sentence)):
            bare = re.sub(r"['’]s?$", "", word.group())
            lowered = bare.lower()
            if not bare[:1].isupper() or lowered in _COMMON_OPENERS or lowered.startswith(("i'", "i’")):
                continue
            opens = (
                index == 0
                or sentence[max(0, word.start() - 2) : word.start()].rstrip()[-1:] in "\"“'‘„‚«「([:"
            )
            if opens and (len(bare) < 2 or is_common_word(lowered) or lowered in uncapitalised):
                continue
            found.add(bare)
    return frozenset(found)


def _kept(text: str, facts: frozenset[str]) -> list[str]:
    return [fact for fact in facts if fact in text]


def _merit(choice: str, first: str, facts: frozenset[str], target_length: int) -> tuple[int, bool, bool, int]:
    within = len(choice) <= target_length
    return (
        len(_kept(choice, facts)),
        choice.startswith(first),
        within,
        len(choice) if within else -len(choice),
    )


def _sentence_choices(sentences: Sequence[str], facts: frozenset[str], max_length: int) -> list[list[str]]:
    fitting = [sentence for sentence in sentences if len(sentence) <= max_length]
    if len(fitting) > _EXACT_CHOICE_SENTENCES:
        fitting = _most_telling(fitting, facts)
    choices: list[list[str]] = []

    def extend(kept: list[str], length: int, start: int) -> None:
        for index in range(start, len(fitting)):
            longer = length + len(fitting[index]) + (1 if kept else 0)
            if longer <= max_length:
                choice = [*kept, fitting[index]]
                choices.append(choice)
                extend(choice, longer, index + 1)

    extend([], 0, 0)
    return choices


def _filled_up(choice: str, sentences: Sequence[str], target_length: int) -> str:
    """The sentences of `choice` with the beginning of one it lacks: the one after its end, if any."""
    kept = [sentence in choice for sentence in sentences]
    dropped = [index for index, is_kept in enumerate(kept) if not is_kept]
    room = target_length - len(choice) - len(' "')
    if not dropped or room <= len(ELLIPSIS):
        return choice
    last_kept = max((index for index, is_kept in enumerate(kept) if is_kept), default=-1)
    added = next((index for index in dropped if index > last_kept), dropped[0])
    parts = [sentence for sentence, is_kept in zip(sentences[:added], kept[:added], strict=True) if is_kept]
    parts.append(sentences[added] if len(sentences[added]) <= room else _cut_at_word(sentences[added], room))
    parts += [sentence for sentence, is_kept in zip(sentences[added:], kept[added:], strict=True) if is_kept]
    return _balanced(" ".join(parts))


def _most_telling(sentences: Sequence[str], facts: frozenset[str]) -> list[str]:
    """The sentences worth choosing among: the first one, and those with the most facts, in their order."""
    ranked = sorted(range(1, len(sentences)), key=lambda index: (-len(_kept(sentences[index], facts)), index))
    return [sentences[index] for index in sorted([0, *ranked[: _EXACT_CHOICE_SENTENCES - 1]])]


def _cut_at_word(text: str, max_length: int) -> str:
    room = max_length - len(ELLIPSIS)
    if room <= 0:
        return text[:max_length]
    cut = text[: room + 1].rfind(" ")
    if cut < room // 2:
        cut = room
        while cut > 1 and _is_joined(text, cut):
            cut -= 1
    return text[:cut].rstrip(" ,;:-") + ELLIPSIS


def _is_joined(text: str, place: int) -> bool:
    """Whether the characters before and at a place are seen as one: a letter and its accents, an emoji of
    several parts, a flag.
    """
    before, at = text[place - 1], text[place]
    if before == _JOINER or at == _JOINER or at in _SKIN_TONES or unicodedata.category(at) in ("Mn", "Me"):
        return True
    letters = place
    while letters and text[letters - 1] in _FLAG_LETTERS:
        letters -= 1
    return at in _FLAG_LETTERS and (place - letters) % 2 == 1


def _balanced(text: str) -> str:
    return text + '"' if text.count('"') % 2 else text
