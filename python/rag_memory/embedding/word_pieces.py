"""The tokenizer of BERT models: words in lower case, cut into the longest pieces of a vocabulary.

It returns what Hugging Face's tokenizers returns, in a fifth of the time and memory, with two differences:
the names of special tokens, such as "[SEP]" in a text, are words like any other, and some 400 characters that
are newer than its tables of Unicode are read as what they are.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

_LONGEST_WORD = 100
_CONTINUES = "##"
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
_CONTROL = frozenset({"Cc", "Cf", "Co", "Cs"})
_CACHED_CHARACTERS = 4096
_KIND: Final = {
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}
_MODEL: Final = {
    "type": "WordPiece",
    "unk_token": _UNKNOWN,
    "continuing_subword_prefix": _CONTINUES,
    "max_input_chars_per_word": _LONGEST_WORD,
}
_TEMPLATE: Final = [
    {"SpecialToken": {"id": _FIRST, "type_id": 0}},
    {"Sequence": {"id": "A", "type_id": 0}},
    {"SpecialToken": {"id": _LAST, "type_id": 0}},
]


class _Cleaned:
    """For str.translate(): no control characters, spaces for other blanks and around ideographs."""

    @functools.lru_cache(_CACHED_CHARACTERS)  # noqa: B019
    def __getitem__(self, code: int) -> str | None:
        character = chr(code)
        if character in "\t\n\r":
            return " "
        if code == 0xFFFD or unicodedata.category(character) in _CONTROL:
            return None
        if any(first <= code <= last for first, last in _IDEOGRAPHS):
            return f" {character} "
        return " " if character.isspace() else character


class _Separated:
    """For str.translate(): no accents, and punctuation marks are words."""

    @functools.lru_cache(_CACHED_CHARACTERS)  # noqa: B019
    def __getitem__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Mn":
            return None
        is_ascii_symbol = code < 0x7F and category[0] == "S"
        return f" {character} " if category[0] == "P" or is_ascii_symbol else character


_CLEANED, _SEPARATED = _Cleaned(), _Separated()


class WordPieces:
    """Calling it with a text returns the numbers of its pieces."""

    def __init__(self, vocabulary: Mapping[str, int], max_tokens: int) -> None:
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary))
        self._unknown, self._first, self._last = (vocabulary[name] for name in (_UNKNOWN, _FIRST, _LAST))
        self._most = max_tokens - 2

    @classmethod
    def of(cls, description: Mapping[str, Any], max_tokens: int) -> WordPieces | None:
        """Make the tokenizer that a tokenizer.json describes; None if it is of another kind."""
        model = description["model"]
        template = description["post_processor"]
        is_of_this_kind = (
            _KIND.items() <= description.items()
            and _MODEL.items() <= model.items()
            and template is not None
            and template.get("single") == _TEMPLATE
        )
        return cls(model["vocab"], max_tokens) if is_of_this_kind else None

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the pieces, with those of the text's beginning and end."""
        ids = [self._first]
        for word in words_of(text):
            whole = self._vocabulary.get(word)
            if whole is None:
                ids += self._pieces(word)
            else:
                ids.append(whole)
            if len(ids) > self._most:
                del ids[self._most + 1 :]
                break
        ids.append(self._last)
        return ids

    def _pieces(self, word: str) -> list[int]:
        pieces: list[int] = []
        start, before = 0, ""
        while start < len(word) <= _LONGEST_WORD:
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self._vocabulary.get(before + word[start:end])
                if piece is not None:
                    break
            else:
                break
            pieces.append(piece)
            start, before = end, _CONTINUES
        return pieces if start == len(word) else [self._unknown]


def words_of(text: str) -> list[str]:
    """Return the words and punctuation marks of a text, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFD", text.translate(_CLEANED))
    # Lower case of one letter at a time: a sigma at the end of a word is as any other.
    return decomposed.translate(_SEPARATED).replace("Σ", "σ").lower().split()
