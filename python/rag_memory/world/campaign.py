"""What a save says of itself: its campaign, so that no campaign learns of another, its name and mod profile,
and when it was made and last played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.storage.protocol import Storage
from rag_memory.validation import shown, validate_text, validate_texts

LONGEST_TITLE = 200
"""Characters of a name or a mod profile, at most."""
_CALL = "open_save()"


class SaveLabels(NamedTuple):
    """The options of open_save() that the save keeps; "" and None change nothing."""

    campaign: str = ""
    lore: Sequence[str] | None = None
    name: str = ""
    """For people to read."""
    mod_profile: str = ""

    def validated(self) -> SaveLabels:
        """Raises InvalidArgumentError for a value of the wrong type, or a text that is too long."""
        for field in ("campaign", "name", "mod_profile"):
            text = validate_text(_CALL, field, getattr(self, field))
            if field != "campaign" and len(text) > LONGEST_TITLE:
                raise InvalidArgumentError(
                    f"{_CALL}: {field} has {len(text):,} characters",
                    f"it may have {LONGEST_TITLE}",
                    "Pass a shorter one",
                )
        return self if self.lore is None else self._replace(lore=validate_texts(_CALL, "lore", self.lore))


def labels_of(options: Mapping[str, Any]) -> SaveLabels:
    """The labels among the options of open_save()."""
    return SaveLabels(**{name: options[name] for name in SaveLabels._fields if name in options})


def label_save(store: Storage, labels: SaveLabels, seen: float | None = None, is_new: bool = False) -> None:
    """Write labels into a save, and that it was seen.

    Args:
        seen: the real time, in seconds since 1970; None where nobody plays.
        is_new: whether the save was made just now, also where it is a copy.

    Raises:
        InvalidArgumentError: the save belongs to another campaign.
    """
    if _labelled(store, labels, seen, is_new) is not None:
        with store.transaction():
            store.owners.lock_world()
            content = _labelled(store, labels, seen, is_new)
            if content is not None:
                store.documents.forget(CAMPAIGN, [CAMPAIGN])
                store.documents.write(Document(0, CAMPAIGN, CAMPAIGN, "", content, TIMELESS, TIMELESS))


def _labelled(store: Storage, labels: SaveLabels, seen: float | None, is_new: bool) -> dict[str, Any] | None:
    """The new content of the campaign's document; None when it stays the same."""
    stored = store.documents.get(CAMPAIGN, CAMPAIGN)
    before = {} if stored is None else dict(stored.content)
    own = before.get("campaign", "")
    if labels.campaign and own and labels.campaign != own:
        raise InvalidArgumentError(
            f"{_CALL}: the save {store.name} belongs to the campaign {shown(own)}",
            f"the option campaign is {shown(labels.campaign)}",
            f"Pass {shown(own)}, or open another save for this campaign; get_save_info() tells which one a "
            "save belongs to",
        )
    texts = {name: getattr(labels, name) for name in ("campaign", "name", "mod_profile")}
    content = {**before, **{name: text for name, text in texts.items() if text}}
    if labels.lore is not None:
        content["lore"] = list(labels.lore)
    if seen is not None:
        created = seen if is_new else content.get("created", seen)
        content = {**content, "created": created, "last_seen": seen}
    return content if content != before else None
