"""The profiles of NPCs: written once per save, when they are first needed."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.owners import validate_npc_id
from rag_memory.mind.asking import answered_steps
from rag_memory.step import Step, Steps, in_slices
from rag_memory.validation import validate_fields
from rag_memory.world import profile as profiles
from rag_memory.world.characters import CHARACTER, validate_character
from rag_memory.world.events import Events
from rag_memory.world.lore import Lore
from rag_memory.world.profile import PROFILE
from rag_memory.world.profile_draft import draft_of, person_of
from rag_memory.world.profile_standing import WRITTEN_WITH, relation_of, with_standing
from rag_memory.world.shared_steps import SharedSteps
from rag_memory.world.world_context import WorldContext

_MOST_FOUND = 5


class Profiles:
    """Writes the profiles of NPCs, and changes them."""

    def __init__(self, context: WorldContext, events: Events, lore: Lore) -> None:
        self._context = context
        self._events = events
        self._lore = lore
        self._under_way: dict[str, SharedSteps[dict[str, Any]]] = {}

    @game_call(writes=True)
    @in_slices
    def ensure_profile(self, npc_id: str, stats: Mapping[str, Any] | None = None) -> Steps[dict[str, Any]]:
        """Returns the profile of an NPC, and writes it first if there is none (once per save).

        It is written from the data of `register_character()`, from `stats`, and from the lore and the events
        that the NPC knows of. `MemoryServer.profile_writer` may write it. Without one it is put together from
        sentences of the addon's own. Emits `profile_created` for a new profile. Two calls at once get the
        same one. Use `ensure_profile_async()` when the writer has to be awaited: a call that blocks does not
        wait for it, and one that comes while another is being awaited ends the waiting for both.

        Its `relationship_seed` is the relationship to a player whom the NPC has never met. The initial
        relationship has its `trust` minus its `suspicion`, and its `respect`, until something else is set or
        stored.

        Args:
            stats: what the game knows of the NPC now, with the keys of `register_character()`,
                `relation_to_player` (-100 to 100), and others for the writer.

        Returns:
            `npc_id`, `backstory`, `personality`, `speech_style`, `goals`, `fears`, `loyalties`,
            `relationship_seed` (`trust`, `respect`, `suspicion`), `created_day`, `updated_day`,
            `relationship_to_player` (the five dimensions and the `status` as they are now; empty while
            nothing has changed them) and `is_outdated`: whether that has changed a lot since the profile was
            written. Then its `backstory` says what the NPC thinks of the player now, and
            `regenerate_profile()` writes all of it anew.
        """
        call = "ensure_profile()"
        npc_id, stats = validate_npc_id(npc_id), _checked_stats(call, stats)
        if self._context.content(PROFILE, npc_id) is None:
            yield from self._written_once_steps(npc_id, stats)
        return self.get_profile(npc_id)

    @game_call(writes=True)
    @in_slices
    def regenerate_profile(
        self, npc_id: str, stats: Mapping[str, Any] | None = None
    ) -> Steps[dict[str, Any]]:
        """Writes the profile of an NPC anew, whether it has one or not, and returns it.

        The changes of `set_profile()` are gone with the old one; `MemoryServer.rollback_to()` brings it back.

        Args:
            stats: as in `ensure_profile()`.
        """
        call = "regenerate_profile()"
        npc_id, stats = validate_npc_id(npc_id), _checked_stats(call, stats)
        yield from self._written_once_steps(npc_id, stats)
        return self.get_profile(npc_id)

    @game_call()
    def get_profile(self, npc_id: str) -> dict[str, Any]:
        """Returns the profile of an NPC, with the keys of `ensure_profile()`; empty when it has none."""
        npc_id = validate_npc_id(npc_id)
        content = self._context.content(PROFILE, npc_id)
        if content is None:
            return {}
        npc = self._context.npc(npc_id)
        return with_standing(npc.config, self._name(npc_id), content, npc.player.current())

    @game_call(writes=True)
    def set_profile(self, npc_id: str, changes: Mapping[str, Any]) -> Done:
        """Changes the profile of an NPC; keys that are left out stay as they were.

        An NPC without a profile gets one that says just this, and `ensure_profile()` returns it from then on.
        `MemoryServer.rollback_to()` brings back what it was.

        Args:
            changes: keys of a profile, see `ensure_profile()`. `null` empties one. Other keys are stored for
                the game. What is too long is cut, with a warning.

        Raises:
            InvalidArgumentError: a value has another type than that key of a profile.
        """
        npc_id = validate_npc_id(npc_id)
        with self._context.transaction():
            before = self._context.content(PROFILE, npc_id) or {}
            changed = profiles.changed("set_profile()", before, changes)
            if changed != before:
                self._write(npc_id, changed, before.get("created_day"))
        return DONE

    def initial_relationship(self, npc_id: str) -> dict[str, float]:
        """The relationship of an NPC to a player it has never met, from its profile."""
        profile = self._context.all(PROFILE).get(npc_id)
        return {} if profile is None else profiles.initial_relationship(profile.content)

    def _name(self, npc_id: str) -> str:
        return person_of(npc_id, self._context.content(CHARACTER, npc_id) or {}).name

    def _written_once_steps(self, npc_id: str, stats: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """A new profile; all calls that come meanwhile get the same one."""
        shared = self._under_way.get(npc_id)
        if shared is None or shared.is_done:
            before = self._context.content(PROFILE, npc_id)
            shared = SharedSteps(self._write_steps(npc_id, stats, before))
            self._under_way[npc_id] = shared
        try:
            return dict((yield from shared.result_steps()))
        finally:
            if shared.is_done and self._under_way.get(npc_id) is shared:
                del self._under_way[npc_id]

    def _write_steps(
        self, npc_id: str, stats: Mapping[str, Any], before: dict[str, Any] | None
    ) -> Steps[dict[str, Any]]:
        character = self._context.content(CHARACTER, npc_id) or {}
        current = self._context.npc(npc_id).player.current()
        relation = {"relation_to_player": relation_of(current)} if current else {}
        person = person_of(npc_id, {**character, **relation, **stats})
        yield Step(0, 2, "gathering data")
        belongs_to = (person.culture, person.faction, person.clan, person.place)
        words = ", ".join(value for value in belongs_to if value)
        lore: list[dict[str, Any]] = []
        events: list[dict[str, Any]] = []
        if words:
            names = {"culture": person.culture, "faction": person.faction, "location": person.place}
            lore = yield from self._lore.search_lore.steps(
                words, {**names, "limit": _MOST_FOUND, "known_to": npc_id}
            )
            events = yield from self._events.search_events.steps(npc_id, words, {"limit": _MOST_FOUND})
        draft = draft_of(
            self._context.npc(npc_id).config,
            person._replace(
                lore=[chunk["text"] for chunk in lore],
                events=[event["text"] for event in events],
            ),
        )
        yield Step(1, 2, "writing the profile")
        request = {
            "npc_id": npc_id,
            "character": character,
            "stats": stats,
            "lore": lore,
            "events": events,
            "draft": draft,
            **({"relationship": current} if current else {}),
        }
        written = yield from answered_steps(
            self._context.save.profile_writer,
            request,
            self._context.npc(npc_id).config.summarizer_timeout_seconds,
            functools.partial(profiles.written, npc_id, draft=draft),
            f"The profile_writer wrote no profile of {npc_id}",
            "The profile is written from the registered data instead.",
        )
        with self._context.transaction():
            now = self._context.content(PROFILE, npc_id)
            if now is not None and now != before:  # the game set one while the writer was at work
                return now
            self._write(npc_id, {**(written or draft), **({WRITTEN_WITH: current} if current else {})}, None)
            self._context.emit("profile_created", (npc_id,))
        return self._context.content(PROFILE, npc_id) or {}

    def _write(self, npc_id: str, content: Mapping[str, Any], created_day: float | None) -> None:
        day = self._context.day()
        days = {"created_day": day if created_day is None else created_day, "updated_day": day}
        self._context.write(PROFILE, npc_id, {"npc_id": npc_id, **content, **days})


def _checked_stats(call: str, stats: Any) -> dict[str, Any]:
    if stats is None:
        return {}
    values = validate_fields(call, "stats", stats)
    validate_character(call, values)
    return {name: value for name, value in values.items() if value is not None}
