"""The texts in a PNG image: its tEXt chunks. No pixel is read and nothing is unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from rag_memory.errors import InvalidArgumentError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LENGTH, _TYPE, _SUM = 4, 4, 4
_REMEDY = "Export the card again, as PNG or as JSON"
_TEXT, _PACKED = b"tEXt", (b"zTXt", b"iTXt")


def text_in(call: str, data: bytes, keywords: tuple[str, ...]) -> str:
    """The text under the first of these keywords that the image has.

    Raises:
        InvalidArgumentError: it has none, the image is damaged or cut off, or the text is compressed.
    """
    texts: dict[str, bytes] = {}
    for kind, content in _chunks(call, data):
        keyword = content.partition(b"\0")[0].decode("latin-1")
        if kind == _TEXT:
            texts.setdefault(keyword, content[len(keyword) + 1 :])
        elif kind in _PACKED and keyword in keywords:
            raise InvalidArgumentError(
                f"{call}: the card in the image is in a chunk {kind.decode()}",
                "cards are in a tEXt chunk; a compressed one could fill the memory",
                _REMEDY,
            )
    for keyword in keywords:
        if keyword in texts:
            return texts[keyword].decode("latin-1")
    raise InvalidArgumentError(
        f"{call}: the image has no character card",
        f"it has no text chunk {' or '.join(keywords)}; many sites and programs remove them",
        "Download the original file again",
    )


def _chunks(call: str, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The types and contents of the chunks that may hold text."""
    place = len(SIGNATURE)
    while place < len(data):
        length = int.from_bytes(data[place : place + _LENGTH], "big")
        kind = data[place + _LENGTH : place + _LENGTH + _TYPE]
        begin = place + _LENGTH + _TYPE
        end = begin + length
        if end + _SUM > len(data):
            raise _damaged(call, "it is cut off")
        if kind == _TEXT or kind in _PACKED:
            content = data[begin:end]
            if zlib.crc32(kind + content) != int.from_bytes(data[end : end + _SUM], "big"):
                raise _damaged(call, "a checksum is wrong")
            yield kind, content
        if kind == b"IEND":
            return
        place = end + _SUM
    raise _damaged(call, "it is cut off")


def _damaged(call: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{call}: the image is damaged", why, _REMEDY)
