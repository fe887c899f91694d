"""Sample files of other programs, written for these tests from the public descriptions of their formats."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from rag_memory.text.file_text import FileData

SHADOWFANGS = "Shadowfangs are wolves of black smoke. They fear silver and fire."
GLADE = "The glade of Eldoria is ringed by old oaks. No beast may enter it."

SILLY_TAVERN: dict[str, Any] = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["shadowfang", "wolf pack", "/sh?adow/i"],
            "keysecondary": ["forest"],
            "comment": "Shadowfangs",
            "content": SHADOWFANGS,
            "constant": False,
            "selective": True,
            "selectiveLogic": 0,
            "order": 200,
            "position": 4,
            "disable": False,
            "probability": 40,
            "depth": 4,
        },
        "1": {
            "uid": 1,
            "key": ["glade"],
            "keysecondary": ["city"],
            "comment": "",
            "content": GLADE,
            "constant": True,
            "selective": True,
            "selectiveLogic": 2,
            "order": 100,
            "position": 0,
            "disable": False,
            "probability": 100,
        },
        "2": {"uid": 2, "key": ["cave"], "content": "A cave.", "disable": True},
        "3": {"uid": 3, "key": ["void"], "content": "  "},
    }
}
RISU: dict[str, Any] = {
    "type": "risu",
    "ver": 1,
    "data": [
        {
            "key": "shadowfang, wolf pack",
            "secondkey": "",
            "insertorder": 100,
            "comment": "Shadowfangs",
            "content": SHADOWFANGS,
            "mode": "normal",
            "alwaysActive": False,
            "selective": False,
        },
        {"key": "", "comment": "Places", "content": "", "mode": "folder", "insertorder": 100},
    ],
}
BOOK: dict[str, Any] = {
    "name": "Eldoria",
    "extensions": {},
    "entries": [
        {
            "keys": ["shadowfang"],
            "content": "@@depth 2\n{{char}} hunts the shadowfangs with {{user}}.",
            "extensions": {"position": 0, "probability": 100},
            "enabled": True,
            "insertion_order": 5,
            "name": "The hunt",
            "position": "before_char",
        }
    ],
}
CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Seraphina Vale",
        "description": "{{char}} guards the glade of Eldoria.",
        "personality": "gentle, watchful",
        "scenario": "{{user}} wakes up in her glade.",
        "first_mes": "You are awake, {{user}}.",
        "mes_example": "<START>\n{{user}}: Who are you?\n{{char}}: The one who carried you here.\n",
        "creator_notes": "Have fun.",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["Sleep on."],
        "tags": [],
        "character_book": BOOK,
        "extensions": {},
    },
}


def as_file(value: Any, path: str = "user://eldoria.json") -> FileData:
    return FileData(json.dumps(value).encode(), path)


def chunk(kind: bytes, content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")


def png(*chunks: bytes) -> FileData:
    """An image of one pixel with these chunks."""
    head = chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
    pixel = chunk(b"IDAT", zlib.compress(b"\0\0"))
    body = b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + pixel + chunk(b"IEND", b"")
    return FileData(body, "user://seraphina.png")


def card_chunk(card: Any, keyword: bytes = b"chara") -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + base64.b64encode(json.dumps(card).encode()))
