"""Turns a SentencePiece model into the file that `rag_memory.embedding.unigram_pieces` maps."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag_memory.embedding.unigram_pieces import CHECKED_FROM, FIRST, HEADER, LAST, MAGIC, SPACE, UNKNOWN

from .console import SetupError

_BYTES = 256
_PIECES, _TRAINER, _NORMALIZER = 1, 2, 3
_CHARS_MAP, _ADDS_SPACE, _JOINS_SPACES, _ESCAPES_SPACES = 2, 3, 4, 5
_TEXT, _SCORE = 1, 2
_UNIGRAM_TYPE, _BYTE_FALLBACK = 3, 35
_SEARCHED_UNITS = 4096
"""How far before the end a place for several children is looked for; single ones fill what is left."""


@dataclass(frozen=True)
class SentencePieceModel:
    """What a model says of pieces and of the normal form of texts."""

    pieces: list[bytes]
    scores: list[float]
    chars_map: bytes
    """The table of normal forms, precompiled."""

    @classmethod
    def read(cls, content: bytes) -> SentencePieceModel:
        """Read a `.model` file.

        Raises:
            SetupError: it is of a kind that the core's tokenizer can't read.
        """
        model = _fields(content)
        entries = [_fields(entry) for entry in model[_PIECES]]
        pieces = [entry[_TEXT][0] for entry in entries]
        scores = [float(entry.get(_SCORE, [0.0])[0]) for entry in entries]
        normalizer = _fields(model[_NORMALIZER][0])
        trainer = _fields(model[_TRAINER][0])
        flags = [normalizer.get(flag, [1])[0] for flag in (_ADDS_SPACE, _JOINS_SPACES, _ESCAPES_SPACES)]
        reasons = {
            "it is no unigram model": trainer.get(_UNIGRAM_TYPE, [1])[0] == 1,
            "unknown characters become bytes": not trainer.get(_BYTE_FALLBACK, [0])[0],
            "it treats spaces in another way": flags == [1, 1, 1],
            "its special tokens have other numbers": pieces[:3] == [b"<unk>", b"<s>", b"</s>"],
            "a piece goes on behind a space": not any(SPACE in piece[1:] for piece in pieces),
        }
        for reason, is_fine in reasons.items():
            if not is_fine:
                raise SetupError("The tokenizer cannot be converted", reason, "choose another model")
        return cls(pieces, scores, normalizer[_CHARS_MAP][0])

    def packed(self) -> bytes:
        """The content of the mapped file."""
        special = (UNKNOWN, FIRST, LAST)
        vocabulary = {piece: number for number, piece in enumerate(self.pieces) if number not in special}
        normal_forms = dict(_normal_forms(self.chars_map))
        forms = bytearray()
        place_of: dict[bytes, int] = {}
        for form in normal_forms.values():
            if form not in place_of:
                place_of[form] = len(forms)
                forms += form + b"\0"
        places = {text: place_of[form] for text, form in normal_forms.items()}
        tries = [build_trie(vocabulary), build_trie(places)]
        units = [len(trie[0]) for trie in tries]
        counts = (len(self.pieces), *units, len(forms))
        parts = [array("f", self.scores).tobytes()]
        parts += [numbers.tobytes() for trie in tries for numbers in trie]
        content = b"".join([*parts, forms])
        checksum = zlib.crc32((HEADER.pack(MAGIC, 0, *counts) + content)[CHECKED_FROM:])
        return HEADER.pack(MAGIC, checksum, *counts) + content


def build_trie(values: Mapping[bytes, int]) -> tuple[array[int], array[int], array[int]]:
    """The arrays base, parent and value of a `Trie` of these strings, none of which is empty."""
    base, parent, value = array("i", [0]), array("i", [-1]), array("i", [-1])
    texts = sorted(values)
    used = bytearray(1)
    first_free = 1
    # Breadth first: (unit, from, to, depth) of the texts that share what leads to the unit.
    level = [(0, 0, len(texts), 0)]
    while level:
        following: list[tuple[int, int, int, int]] = []
        for unit, start, stop, depth in level:
            if len(texts[start]) == depth:
                value[unit] = values[texts[start]]
                start += 1
            groups = list(_groups(texts, start, stop, depth))
            if not groups:
                continue
            labels = [label for label, _start, _stop in groups]
            while first_free < len(used) and used[first_free]:
                first_free += 1
            searched = len(used) - _SEARCHED_UNITS if labels[1:] else 0
            place = max(first_free, labels[0] + 1, searched)
            while True:
                place = used.find(0, place) if place < len(used) else place
                place = len(used) if place < 0 else place
                offset = place - labels[0]
                if all(offset + label >= len(used) or not used[offset + label] for label in labels[1:]):
                    break
                place += 1
            needed = offset + labels[-1] + 1 - len(used)
            if needed > 0:
                used.extend(bytes(needed))
                for numbers in (base, parent, value):
                    numbers.extend([-1 if numbers is not base else 0] * needed)
            base[unit] = offset
            for label, group_start, group_stop in groups:
                child = offset + label
                used[child] = 1
                parent[child] = unit
                following.append((child, group_start, group_stop, depth + 1))
        level = following
    # A lookup by any byte stays inside.
    for numbers in (base, parent, value):
        numbers.extend([-1 if numbers is not base else 0] * _BYTES)
    return base, parent, value


def _groups(texts: list[bytes], start: int, stop: int, depth: int) -> Iterator[tuple[int, int, int]]:
    while start < stop:
        label, first = texts[start][depth], start
        while start < stop and texts[start][depth] == label:
            start += 1
        yield label, first, start


def _normal_forms(chars_map: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The strings of a precompiled table and what replaces them: a trie of Darts-clone, then texts."""
    (size,) = struct.unpack_from("<I", chars_map)
    units = struct.unpack_from(f"<{size // 4}I", chars_map, 4)
    forms = chars_map[4 + size :]
    waiting = [(_offset(units[0]), b"")]
    while waiting:
        place, text = waiting.pop()
        for label in range(1, _BYTES):
            if (place ^ label) >= len(units):
                continue
            unit = units[place ^ label]
            if unit & 0x800000FF != label:
                continue
            children = place ^ label ^ _offset(unit)
            if unit >> 8 & 1:
                form = units[children] & 0x7FFFFFFF
                yield text + bytes([label]), forms[form : forms.index(0, form)]
            waiting.append((children, text + bytes([label])))


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 0x200) >> 6)


def _fields(message: bytes) -> dict[int, list[Any]]:
    """The fields of a protocol buffer by their numbers."""
    fields: dict[int, list[Any]] = {}
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        value: Any
        match tag & 7:
            case 0:
                value, place = _varint(message, place)
            case 1:
                (value,), place = struct.unpack_from("<d", message, place), place + 8
            case 2:
                length, place = _varint(message, place)
                value, place = message[place : place + length], place + length
            case 5:
                (value,), place = struct.unpack_from("<f", message, place), place + 4
            case kind:
                raise ValueError(f"a field of the unknown kind {kind}")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def _varint(message: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place
