"""The tokenizer of unigram models: the most likely pieces of a text, as SentencePiece finds them.

The vocabulary and the table of normal forms are tries in one file, which is mapped: 128,000 pieces take
hardly any memory. `rag_memory_build.pack_tokenizer` writes the file. The names of special tokens, such as
"</s>" in a text, are words like any other.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from pathlib import Path
from typing import Final, NamedTuple

FILE = "tokenizer.data"
"""The file in a model's folder."""
MAGIC: Final = b"RMUNI02\n"
HEADER: Final = struct.Struct("<8s5I")
"""MAGIC, a CRC-32, and how many pieces, units of the vocabulary, units of the normal forms and bytes of these
forms."""
CHECKED_FROM: Final = 12
"""The CRC-32 is of all bytes from here on, those of the numbers included."""
_BLOCK_BYTES = 1 << 18
UNKNOWN, FIRST, LAST = 0, 1, 2
"""The numbers of the special tokens."""
SPACE: Final = "▁".encode()
_BELOW_ALL = 10.0
"""An unknown character is this much less likely than the rarest piece."""
_ASCII = 128


class Trie(NamedTuple):
    """Byte strings and their values. The child of a unit by a byte is at the unit's base plus the byte, if
    that unit names this one as its parent.
    """

    base: memoryview
    parent: memoryview
    value: memoryview
    """-1 where no string ends."""


class UnigramPieces:
    """Calling it with a text returns the numbers of its pieces.

    Raises:
        ValueError: the file is not whole.
        OSError: it cannot be read.
    """

    def __init__(self, file: Path, max_tokens: int) -> None:
        with file.open("rb") as opened:
            mapped = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
            # Read, not mapped: what is mapped stays in memory.
            opened.seek(CHECKED_FROM)
            checksum = 0
            while block := opened.read(_BLOCK_BYTES):
                checksum = zlib.crc32(block, checksum)
        pieces, units, normal_units, form_bytes = _counts(mapped, checksum)
        place = HEADER.size

        def part(count: int) -> memoryview:
            nonlocal place
            start, place = place, place + 4 * count
            return mapped[start:place]

        self._scores = part(pieces).cast("f")
        self._pieces = Trie(*(part(units).cast("i") for _ in Trie._fields))
        self._normal = Trie(*(part(normal_units).cast("i") for _ in Trie._fields))
        self._forms = bytes(mapped[place : place + form_bytes])
        self._unknown_score = min(self._scores) - _BELOW_ALL
        self._most = max_tokens - 2
        ascii_forms = {code: self._normal_form(bytes([code])) for code in range(_ASCII)}
        self._dropped = bytes(code for code, form in ascii_forms.items() if not form)
        self._ascii = bytes((form or b"\0")[0] for form in ascii_forms.values()).ljust(256, b"\0")

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the pieces, with those of the text's beginning and end."""
        encoded = text.encode()
        if text.isascii():
            encoded = encoded.translate(self._ascii, self._dropped)
        else:
            encoded = self._normal_form(encoded)
        ids = [FIRST]
        for word in encoded.split(b" "):
            if word:
                ids += self._segmented(SPACE + word)
            if len(ids) > self._most:
                del ids[self._most + 1 :]
                break
        ids.append(LAST)
        return ids

    def _normal_form(self, text: bytes) -> bytes:
        """Replace the longest string that has another form, from the left to the right."""
        base, parent, value = self._normal
        normal = bytearray()
        start, size = 0, len(text)
        while start < size:
            unit, form, after = 0, -1, start
            for end in range(start, size):
                child = base[unit] + text[end]
                if parent[child] != unit:
                    break
                unit = child
                if value[unit] >= 0:
                    form, after = value[unit], end + 1
            if form < 0:
                after = start + _bytes_of_character(text[start])
                normal += text[start:after]
            else:
                normal += self._forms[form : self._forms.index(0, form)]
            start = after
        return bytes(normal)

    def _segmented(self, word: bytes) -> list[int]:
        """The pieces of a word with the highest sum of scores."""
        base, parent, value = self._pieces
        scores = self._scores
        size = len(word)
        sums = [0.0] + [float("-inf")] * size
        starts = [0] * (size + 1)
        pieces = [UNKNOWN] * (size + 1)
        start = 0
        while start < size:
            total = sums[start]
            after = start + _bytes_of_character(word[start])
            unit, is_known = 0, False
            for end in range(start, size):
                child = base[unit] + word[end]
                if parent[child] != unit:
                    break
                unit = child
                piece = value[unit]
                if piece >= 0:
                    stop = end + 1
                    is_known = is_known or stop == after
                    if total + scores[piece] > sums[stop]:
                        sums[stop], starts[stop], pieces[stop] = total + scores[piece], start, piece
            if not is_known and total + self._unknown_score > sums[after]:
                sums[after], starts[after], pieces[after] = total + self._unknown_score, start, UNKNOWN
            start = after
        ids: list[int] = []
        while size:
            # Unknown characters side by side are one piece.
            if not (pieces[size] == UNKNOWN and ids[-1:] == [UNKNOWN]):
                ids.append(pieces[size])
            size = starts[size]
        return ids[::-1]


def _counts(mapped: memoryview, checksum: int) -> tuple[int, int, int, int]:
    if len(mapped) < HEADER.size:
        raise ValueError("it is cut off")
    magic, expected, pieces, units, normal_units, form_bytes = HEADER.unpack(mapped[: HEADER.size])
    if magic != MAGIC:
        raise ValueError("it is of another kind, or of another version of the addon")
    size = HEADER.size + 4 * (pieces + 3 * units + 3 * normal_units) + form_bytes
    if len(mapped) != size:
        raise ValueError(f"it has {len(mapped)} bytes instead of {size}")
    if checksum != expected:
        raise ValueError("its content was changed")
    return pieces, units, normal_units, form_bytes


def _bytes_of_character(first: int) -> int:
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
