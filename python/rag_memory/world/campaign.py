"""The campaign that a save belongs to, so that no campaign learns of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.storage.protocol import Storage
from rag_memory.validation import shown


def enter_campaign(store: Storage, name: str, campaign: str, lore: Sequence[str] | None) -> None:
    """Write into a save which campaign it belongs to and which lore it searches; "" and None change nothing.

    Raises:
        InvalidArgumentError: the save belongs to another campaign.
    """
    if _entered(store, name, campaign, lore) is not None:
        with store.transaction():
            store.owners.lock_world()
            content = _entered(store, name, campaign, lore)
            if content is not None:
                store.documents.forget(CAMPAIGN, [CAMPAIGN])
                store.documents.write(Document(0, CAMPAIGN, CAMPAIGN, "", content, TIMELESS, TIMELESS))


def _entered(store: Storage, name: str, campaign: str, lore: Sequence[str] | None) -> dict[str, Any] | None:
    """The new content of the campaign's document; None when it stays the same."""
    stored = store.documents.get(CAMPAIGN, CAMPAIGN)
    before = {} if stored is None else dict(stored.content)
    own = before.get("campaign", "")
    if campaign and own and campaign != own:
        raise InvalidArgumentError(
            f"open_save(): the save {name} belongs to the campaign {shown(own)}",
            f"the option campaign is {shown(campaign)}",
            f"Pass {shown(own)}, or open another save for this campaign; get_save_info() tells which one a "
            "save belongs to",
        )
    content = {**before, **({"campaign": campaign} if campaign else {})}
    if lore is not None:
        content["lore"] = list(lore)
    return content if content != before else None
