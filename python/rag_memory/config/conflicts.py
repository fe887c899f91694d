"""Slots with one current value, and events that supersede others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rag_memory.config.config_field import config_field
from rag_memory.lazy_pattern import lazy_pattern

_COMMITMENT = lazy_pattern(
    r"(own_)?(promise|vow|oath|pledge|debt|loan|plan|gift|task|quest|errand|mission|deal|bet|favou?r|order|"
    r"threat|appointment|meeting|question)(?:_|$)"
)
_ENDING = lazy_pattern(
    r"(?<!_part)_(?:kept|fulfilled|honou?red|broken|paid|repaid|settled|forgiven|done|completed|finished|failed|"
    r"cancelled|canceled|abandoned|dropped|delivered|returned|withdrawn|off|over|answered|met|missed|"
    r"carried_out|made_good)$"
)
_OPEN = lazy_pattern(
    r"(?:own_)?(?:(?P<promise>promise|vow|oath|pledge|deal|bet)|(?P<debt>debt|loan)|(?P<threat>threat)"
    r"|(?P<appointment>appointment|meeting)|(?P<question>question)"
    r"|(?P<task>task|quest|errand|mission|order|favou?r))"
    r"(?:_(?:made|given|owed|started|accepted|assigned|received|asked|agreed|set|arranged|taken|sworn|planned))?$"
)
_SYNONYMS = {
    "fulfilled": "kept",
    "received": "kept",
    "gift": "kept",
    "repaid": "paid",
    "settled": "paid",
    "canceled": "cancelled",
    "done": "completed",
    "finished": "completed",
}


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ConflictResolution:
    """Slots with one current value, and events that replace others."""

    slot_types: list[str] = config_field(
        ["player_name", "player_allegiance", "npc_belief_about_player", "current_quest_for_npc"],
        group="Conflict Resolution",
        doc="Slots whose earlier value is archived when a new one is stored. In any other slot it stays, as "
        "superseded.",
    )
    supersession_pairs: dict[str, str] = config_field(
        {
            "promise_made": "promise_broken",
            "trust_gained": "trust_lost",
            "alliance_formed": "alliance_broken",
            "secret_kept": "secret_revealed",
        },
        group="Conflict Resolution",
        doc="Each event type and the event type that supersedes it. The older memory stays, with a lower "
        "score.",
    )
    ending_event_types: dict[str, str] = config_field(
        {
            "promise_kept": "promise_made",
            "promise_fulfilled": "promise_made",
            "debt_paid": "debt",
            "own_debt_paid": "own_debt",
        },
        group="Conflict Resolution",
        doc="More event types that end others, and which ones, separated by spaces. A promise that was kept "
        "is as settled as one that was broken. As in supersession_pairs, the older memory stays, with a "
        "lower score. Promises, debts, plans, gifts, tasks and quests need not be named: their event types "
        "end others that begin with the same word, as plan_done and plan_cancelled end plan_made.",
    )

    def is_slot_type(self, slot_type: str) -> bool:
        """Return True if the slot holds one current value that a new one replaces."""
        return slot_type in self.slot_types

    def may_end(self, event_type: str) -> bool:
        """Return True if an event of this type may end others."""
        return bool(self._named_ends(event_type)) or is_ending(event_type)

    def ended_by(self, event_type: str, used: Iterable[str] = ()) -> list[str]:
        """The event types that this one ends.

        Args:
            used: event types of memories. Those that begin like this one are among the ended, if they are
                promises, debts and the like: "debt_paid" ends "debt_owed", too.
        """
        ended = self._named_ends(event_type)
        if is_ending(event_type):
            matter = _commitment(event_type)
            ended += [old for old in used if _commitment(old) == matter and not is_ending(old)]
        return list(dict.fromkeys(ended))

    def _named_ends(self, event_type: str) -> list[str]:
        superseded = [old for old, new in self.supersession_pairs.items() if new == event_type]
        return [*superseded, *self.ending_event_types.get(event_type, "").split()]

    def get_superseded_event_type(self, event_type: str) -> str:
        """The event type that this one supersedes ("promise_made" for "promise_broken"), or ""."""
        return next(iter(self.ended_by(event_type)), "")

    def get_superseding_event_type(self, event_type: str) -> str:
        """The event type that supersedes this one ("promise_broken" for "promise_made"), or ""."""
        return self.supersession_pairs.get(event_type, "")


def _commitment(event_type: str) -> str:
    """What somebody is bound to by an event of this type: "debt" for "debt_owed"; "" for nothing."""
    match = _COMMITMENT.match(event_type)
    return "".join(part or "" for part in match.groups()) if match else ""


def open_kind(event_type: str) -> str:
    """Return the kind of matter that an event of this type leaves open until another one ends it: "promise",
    "debt", "threat", "appointment", "question" or "task"; "" for none.
    """
    match = _OPEN.match(event_type)
    return str(match.lastgroup) if match else ""


def outcome_word(event_type: str) -> str:
    """Return the outcome that a superseding event type means: "kept" for "promise_kept"."""
    word = event_type.rsplit("_", 1)[-1]
    return _SYNONYMS.get(word, word)


def is_ending(event_type: str) -> bool:
    """Return True if an event of this type ends a promise, a debt or the like."""
    return bool(_COMMITMENT.match(event_type) and _ENDING.search(event_type))


def stand_apart(event_type: str, later: str) -> bool:
    """Return True if a later event never changes what an earlier one says, unless it has ended it: a second
    debt is no news of the first one.
    """
    return is_ending(later) or (
        "plan" not in event_type and "" != _commitment(event_type) == _commitment(later)
    )
