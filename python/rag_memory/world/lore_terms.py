"""The #tags and the names in a chunk of lore, by which it is searched besides its words."""

from __future__ import annotations

from collections import Counter

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.short_form import details_of, sentences_of

_MOST_NAMES = 20
_TAG = lazy_pattern(r"(?<![\w&/#])#([^\W\d_][\w-]{0,63})")
_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")
_POSSESSIVE = lazy_pattern(r"['’]s?\Z")
_WITHIN_NAME = lazy_pattern(r"(?: |,? (?:of|of the|the|von|van|der|de|del|di|al|le|la) )\Z")


def tags_in(text: str) -> list[str]:
    """Return the #tags in a text, without repetitions."""
    return list(dict.fromkeys(_TAG.findall(text))) if "#" in text else []


def names_in_lore(text: str) -> list[str]:
    """The names in a text, the most frequent first: runs of capitalised words, as "Anna of Greywater"."""
    capitalised = details_of(text, sentences_of(text))
    names: list[str] = []
    end = -1
    for word in _WORD.finditer(text):
        bare = _POSSESSIVE.sub("", word.group())
        if bare not in capitalised:
            continue
        if names and end >= 0 and _WITHIN_NAME.match(text[end : word.start()]):
            names[-1] += text[end : word.start()] + bare
        else:
            names.append(bare)
        end = word.end() if bare == word.group() else -1
    return [name for name, _ in Counter(names).most_common(_MOST_NAMES)]
