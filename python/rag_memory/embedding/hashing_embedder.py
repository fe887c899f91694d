"""An embedder without a model: texts that share words, and parts of words, are similar.

Feature hashing with signs: Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask
Learning". Everything here is exact integer arithmetic, or IEEE operations that round correctly
(sqrt, fsum), so that every machine computes the same bits.
"""

from __future__ import annotations

import math
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from rag_memory.embedding.embedder import validate_embeddable
from rag_memory.errors import InvalidArgumentError
from rag_memory.text.terms import with_few_marks
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, NDArray

_WORD_WEIGHT = 1.0
_BIGRAM_WEIGHT = 0.5
_PART_WEIGHT = 0.35
_SHORT_WORD_FACTOR = 0.35
"""Words of up to three letters are mostly grammar: without it "the" makes everything similar."""
_SHORT_WORD_LETTERS = 3
_PART_LENGTHS = (3, 4, 5)
_MAX_WORD_LETTERS = 64
_SLICE_TEXTS = 16
_READ_CHARS_PER_WORD = 16

# Written without spaces between words: there a letter or a pair of letters is what a word is elsewhere.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


class HashingEmbedder:
    """Word, word-pair and letter-group features hashed into a fixed number of dimensions."""

    max_tokens = 4096
    max_chars = max_tokens * _READ_CHARS_PER_WORD

    def __init__(self, dimension: int = 384) -> None:
        if not 8 <= dimension <= 65536:
            raise InvalidArgumentError(
                "The hashing embedder cannot have this dimension",
                f"{dimension} is not within 8 and 65536",
                "Use the default of 384",
            )
        self.dimension = dimension
        self.name = "hashing"
        self.fingerprint = f"hashing-v1-{dimension}"

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """See Embedder.embed."""
        matrix = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._vector(text)
        return matrix

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """See Embedder.batches."""
        for start in range(0, len(texts), _SLICE_TEXTS):
            part = texts[start : start + _SLICE_TEXTS]
            yield np.arange(start, start + len(part), dtype=np.int64), self.embed(part)

    def _vector(self, text: str) -> FloatVector:
        weights = _features(text, self.max_tokens)
        sums: NDArray[np.float64] = np.zeros(self.dimension, dtype=np.float64)
        if weights:
            hashes = _mixed(
                np.fromiter((zlib.crc32(f.encode("utf-8", "replace")) for f in weights), dtype=np.uint32)
            )
            signs = np.where(hashes >> np.uint32(31), 1.0, -1.0)
            values = signs * np.fromiter(weights.values(), dtype=np.float64)
            places = (hashes & np.uint32(0x7FFFFFFF)) % np.uint32(self.dimension)
            sums = np.bincount(places.astype(np.intp), weights=values, minlength=self.dimension).astype(
                np.float64
            )
        length = math.sqrt(math.fsum((sums * sums).tolist()))
        if length == 0.0:
            # No word at all, or features that cancel out: still a vector, and always the same one.
            sums[0] = length = 1.0
        return (sums / length).astype(np.float32)


def _features(text: str, max_words: int) -> dict[str, float]:
    """Feature -> weight, in order of first appearance. Repetition counts by its square root."""
    counts: Counter[str] = Counter()
    weights: dict[str, float] = {}

    def count(feature: str, weight: float) -> None:
        counts[feature] += 1
        weights[feature] = max(weights.get(feature, 0.0), weight)

    previous = ""
    for word in _words(text)[:max_words]:
        short = len(word) <= _SHORT_WORD_LETTERS and not _is_unspaced(word[0])
        factor = _SHORT_WORD_FACTOR if short else 1.0
        count("w" + word, _WORD_WEIGHT * factor)
        if previous:
            count(f"b{previous} {word}", _BIGRAM_WEIGHT)
        previous = word
        marked = f"<{word}>"
        for size in _PART_LENGTHS:
            for start in range(len(marked) - size + 1):
                count("p" + marked[start : start + size], _PART_WEIGHT * factor)
    return {feature: weight * math.sqrt(counts[feature]) for feature, weight in weights.items()}


def _words(text: str) -> list[str]:
    """Runs of letters, marks and digits, case-folded; single characters of unspaced scripts and
    symbols (emoji) are words of their own."""
    validate_embeddable(text)
    # NFKC can grow a character eighteenfold: cut before, so that no input takes seconds.
    text = with_few_marks(text[: HashingEmbedder.max_chars])
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words: list[str] = []
    letters: list[str] = []
    for letter in folded:
        kind = unicodedata.category(letter)
        if kind[0] in "LMN" and not _is_unspaced(letter):
            letters.append(letter)
            if len(letters) < _MAX_WORD_LETTERS:
                continue
        if letters:
            words.append("".join(letters))
            letters.clear()
        if kind == "So" or (kind[0] in "LMN" and _is_unspaced(letter)):
            words.append(letter)
    if letters:
        words.append("".join(letters))
    return words


def _is_unspaced(letter: str) -> bool:
    code = ord(letter)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def _mixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """MurmurHash3's finaliser: CRC-32 alone is linear, so similar features would collide together."""
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))
