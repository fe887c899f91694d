"""What a save says of itself: its campaign, so that no campaign learns of another, its name and mod profile,
when it was made and last played, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.storage.protocol import SaveState, Storage
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


class Played(NamedTuple):
    """What a save notes when it is played."""

    seen: float
    """The real time, in seconds since 1970."""
    is_begin: bool = False
    """Whether a game begins to use the save, which is then one generation older."""
    is_new: bool = False
    """Whether the save was made just now, also where it is a copy."""


def label_save(
    store: Storage, labels: SaveLabels, played: Played | None = None, least_generation: int = 0
) -> None:
    """Write labels into a save, and that it was played; None where nobody plays.

    Args:
        least_generation: the generation is not less from now on.

    Raises:
        InvalidArgumentError: the save belongs to another campaign.
    """
    if _labelled(store, labels, played, least_generation) is not None:
        with store.transaction():
            store.owners.lock_world()
            content = _labelled(store, labels, played, least_generation)
            if content is not None:
                store.documents.forget(CAMPAIGN, [CAMPAIGN])
                store.documents.write(Document(0, CAMPAIGN, CAMPAIGN, "", content, TIMELESS, TIMELESS))


def generation_of(save: SaveState) -> int:
    """How many times a game has begun to use a save."""
    return int(_content(save).get("generation", 0))


def check_campaign(save: SaveState, name: str, labels: SaveLabels) -> None:
    """Refuse labels of another campaign; messages call the save by its name. Raises InvalidArgumentError."""
    own = _content(save).get("campaign", "")
    if labels.campaign and own and labels.campaign != own:
        raise InvalidArgumentError(
            f"{_CALL}: the save {name} belongs to the campaign {shown(own)}",
            f"the option campaign is {shown(labels.campaign)}",
            f"Pass {shown(own)}, or open another save for this campaign; get_save_info() tells which one a "
            "save belongs to",
        )


def _content(save: SaveState) -> dict[str, Any]:
    stored = save.documents.get(CAMPAIGN, CAMPAIGN)
    return {} if stored is None else dict(stored.content)


def _labelled(
    store: Storage, labels: SaveLabels, played: Played | None, least_generation: int
) -> dict[str, Any] | None:
    """The new content of the campaign's document; None when it stays the same."""
    check_campaign(store, store.name, labels)
    before = _content(store)
    texts = {name: getattr(labels, name) for name in ("campaign", "name", "mod_profile")}
    content = {**before, **{name: text for name, text in texts.items() if text}}
    if labels.lore is not None:
        content["lore"] = list(labels.lore)
    if least_generation > content.get("generation", 0):
        content["generation"] = least_generation
    if played is not None:
        created = played.seen if played.is_new else content.get("created", played.seen)
        content.update(created=created, last_played=played.seen)
        if played.is_begin:
            content["generation"] = content.get("generation", 0) + 1
    return content if content != before else None
