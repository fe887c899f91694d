"""Slots with one current value, and events that supersede others."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True)
class ConflictResolution:
    """Slots with one current value, and events that replace others."""

    slot_types: list[str] = config_field(
        ["player_name", "player_allegiance", "npc_belief_about_player", "current_quest_for_npc"],
        group="Conflict Resolution",
        doc="Slots that hold one current value. store_with_conflict_check() replaces the old value.",
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
            "own_promise_kept": "own_promise",
            "own_promise_broken": "own_promise",
            "debt_paid": "debt",
            "own_debt_paid": "own_debt",
            "plan_done": "plan",
            "plan_cancelled": "plan",
            "own_plan_done": "own_plan",
            "own_plan_cancelled": "own_plan",
            "gift_returned": "gift_received gift_given first_gift",
            "task_completed": "task_assigned",
            "task_failed": "task_assigned",
            "task_cancelled": "task_assigned",
            "quest_completed": "quest_started quest_accepted",
            "quest_failed": "quest_started quest_accepted",
        },
        group="Conflict Resolution",
        doc="More event types that end others, and which ones, separated by spaces. A promise that was kept is "
        "as settled as one that was broken. As in supersession_pairs, the older memory stays, with a lower "
        "score.",
    )

    def is_slot_type(self, slot_type: str) -> bool:
        """Return True if the slot holds one current value that a new one replaces."""
        return slot_type in self.slot_types

    def ended_by(self, event_type: str) -> list[str]:
        """The event types that this one ends."""
        superseded = [old for old, new in self.supersession_pairs.items() if new == event_type]
        return [*superseded, *self.ending_event_types.get(event_type, "").split()]

    def get_superseded_event_type(self, event_type: str) -> str:
        """The event type that this one supersedes ("promise_made" for "promise_broken"), or ""."""
        return next(iter(self.ended_by(event_type)), "")

    def get_superseding_event_type(self, event_type: str) -> str:
        """The event type that supersedes this one ("promise_broken" for "promise_made"), or ""."""
        return self.supersession_pairs.get(event_type, "")
