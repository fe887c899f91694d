"""Reads answers as the native side does: the format of native/src/messages/answer_format.h."""

from __future__ import annotations

import struct
from typing import Any

from rag_memory.godot import variant_codec

_SHORT_REFERENCES = 0x80


def read_answer(data: bytes) -> Any:
    """Return the value of an answer; typed and packed arrays are lists."""
    reader = _Reader(data)
    value = reader.value()
    assert reader.at == len(data), "bytes are left over"
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0
        self._texts: list[str] = []

    def value(self) -> Any:
        tag = self._take(1)[0]
        if tag >= _SHORT_REFERENCES:
            return self._texts[tag - _SHORT_REFERENCES]
        return (
            lambda: None,
            lambda: False,
            lambda: True,
            self._integer,
            lambda: struct.unpack("<f", self._take(4))[0],
            lambda: struct.unpack("<d", self._take(8))[0],
            self._text,
            lambda: self._texts[self._number()],
            self._list,
            self._typed_list,
            lambda: {self.value(): self.value() for _ in range(self._number())},
            self._list,
            lambda: variant_codec.decode(self._take(self._number())),
        )[tag]()

    def _take(self, size: int) -> bytes:
        start, self.at = self.at, self.at + size
        assert self.at <= len(self._data), "it ends too early"
        return self._data[start : self.at]

    def _number(self) -> int:
        number, shift = 0, 0
        while True:
            byte = self._take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < _SHORT_REFERENCES:
                return number
            shift += 7

    def _integer(self) -> int:
        number = self._number()
        return ~(number >> 1) if number & 1 else number >> 1

    def _text(self) -> str:
        self._texts.append(self._take(self._number()).decode("utf-8"))
        return self._texts[-1]

    def _list(self) -> list[Any]:
        return [self.value() for _ in range(self._number())]

    def _typed_list(self) -> list[Any]:
        self._number()
        return self._list()
