"""Which campaign a save belongs to, so that no campaign gets to know of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.storage.documents import Documents
from rag_memory.validation import shown


def check_campaign(store: Documents, name: str, campaign: str) -> None:
    """Refuse a save of another campaign; one that belongs to none is taken, and "" says nothing.

    Raises:
        InvalidArgumentError: it belongs to another one.
    """
    known = _content(store).get("campaign", "")
    if campaign and known and campaign != known:
        raise InvalidArgumentError(
            f"open_save(): the save {name} belongs to the campaign {shown(known)}",
            f"the option campaign is {shown(campaign)}",
            f"Pass {shown(known)}, or open another save for this campaign; get_save_info() tells which one a save "
            "belongs to",
        )


def keep_campaign(store: Documents, campaign: str, lore: Sequence[str] | None) -> None:
    """Keep in a save which campaign it belongs to and which lore it searches; "" and None say nothing. Inside
    a transaction.
    """
    before = _content(store)
    content = {**before, **({"campaign": campaign} if campaign else {})}
    if lore is not None:
        content["lore"] = list(lore)
    if content != before:
        store.forget_documents(CAMPAIGN, [CAMPAIGN])
        store.write_document(Document(0, CAMPAIGN, CAMPAIGN, "", content, TIMELESS, TIMELESS))


def _content(store: Documents) -> dict[str, Any]:
    found = store.document(CAMPAIGN, CAMPAIGN)
    return {} if found is None else dict(found.content)
