"""Which campaign a save belongs to, so that no campaign gets to know of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.storage.protocol import Storage
from rag_memory.validation import shown


def enter_campaign(store: Storage, name: str, campaign: str, lore: Sequence[str] | None) -> None:
    """Keep in a save which campaign it belongs to and which lore it searches; "" and None say nothing.

    Raises:
        InvalidArgumentError: the save belongs to another campaign.
    """
    if _entered(store, name, campaign, lore) is not None:
        with store.transaction():
            store.world_lock()
            content = _entered(store, name, campaign, lore)
            if content is not None:
                store.documents.forget(CAMPAIGN, [CAMPAIGN])
                store.documents.write(Document(0, CAMPAIGN, CAMPAIGN, "", content, TIMELESS, TIMELESS))


def _entered(store: Storage, name: str, campaign: str, lore: Sequence[str] | None) -> dict[str, Any] | None:
    """What the document of the campaign is to say; None when it says so already."""
    found = store.documents.get(CAMPAIGN, CAMPAIGN)
    before = {} if found is None else dict(found.content)
    known = before.get("campaign", "")
    if campaign and known and campaign != known:
        raise InvalidArgumentError(
            f"open_save(): the save {name} belongs to the campaign {shown(known)}",
            f"the option campaign is {shown(campaign)}",
            f"Pass {shown(known)}, or open another save for this campaign; get_save_info() tells which one a "
            "save belongs to",
        )
    content = {**before, **({"campaign": campaign} if campaign else {})}
    if lore is not None:
        content["lore"] = list(lore)
    return content if content != before else None
