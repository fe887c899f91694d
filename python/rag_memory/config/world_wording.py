"""The sentences about the world; config/wording.py has them in its table."""

from __future__ import annotations

from collections.abc import Mapping

WORLD_GROUPS: Mapping[str, Mapping[str, str]] = {
    "What is told of the world (WorldMemory)": {
        "rumor_heard": "I heard that this happened: {event}",
    },
}
