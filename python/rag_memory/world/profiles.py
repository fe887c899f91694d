"""Who the NPCs are: written once per save, when somebody first needs to know."""

from __future__ import annotations

import functools
from collections.abc import Generator, Mapping
from typing import Any

from rag_memory.npc.game_call import DONE, Done, game_call
from rag_memory.npc.npc_id import validate_npc_id
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory.validation import validate_metadata, wrong_type
from rag_memory.world import profile as profiles
from rag_memory.world.asking import answered_steps
from rag_memory.world.characters import CHARACTER, validate_character
from rag_memory.world.events import Events
from rag_memory.world.lore import Lore
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.profile_draft import draft_of, known_of
from rag_memory.world.shared_steps import SharedSteps

PROFILE = "profile"
_MOST_FOUND = 5
_FAILED = (
    "The profile_writer wrote no profile of {}: %s. It is written from what is known of the NPC, without it."
)


class Profiles(Events, Lore):
    """The calls about profiles."""

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        super().__init__(save, npc)
        self._being_written: dict[str, SharedSteps[dict[str, Any]]] = {}

    @game_call(writes=True)
    def ensure_profile(self, npc_id: str, stats: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the profile of an NPC, and writes it when she has none: once per save.

        It is written from what `register_character()` told of her, from `stats`, and from the lore and the
        events she knows of. `MemoryServer.profile_writer` may write it. Without one it is put together from
        sentences of the addon's own. `profile_created` tells of a new profile. Two calls at once get the
        same one. Use `ensure_profile_async()` when the writer has to be awaited: a call that blocks does not
        wait for it, and one that comes while another is being awaited ends the waiting for both.

        Its `relationship_seed` is how she stands to a player she has never met. Her initial relationship
        has its `trust` less its `suspicion`, and its `respect`, until something else is told or stored.

        Args:
            stats: what the game knows of her now, with the keys of `register_character()`,
                `relation_to_player` (-100 to 100), and others for the writer.

        Returns:
            `npc_id`, `backstory`, `personality`, `speech_style`, `goals`, `fears`, `loyalties`,
            `relationship_seed` (`trust`, `respect`, `suspicion`), `created_day` and `updated_day`.
        """
        return run(self.ensure_profile_steps(npc_id, stats))

    def ensure_profile_steps(
        self, npc_id: str, stats: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, dict[str, Any]]:
        """ensure_profile(), in slices."""
        where = "ensure_profile()"
        npc_id, told = validate_npc_id(npc_id), _stats(where, stats)
        known = self._content(PROFILE, npc_id)
        return known or (yield from self._written_once_steps(where, npc_id, told))

    @game_call(writes=True)
    def regenerate_profile(self, npc_id: str, stats: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Writes the profile of an NPC anew, whether she has one or not, and returns it.

        What `set_profile()` told is gone with the old one; `MemoryServer.rollback_to()` brings it back.

        Args:
            stats: as in `ensure_profile()`.
        """
        return run(self.regenerate_profile_steps(npc_id, stats))

    def regenerate_profile_steps(
        self, npc_id: str, stats: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, dict[str, Any]]:
        """regenerate_profile(), in slices."""
        where = "regenerate_profile()"
        npc_id, told = validate_npc_id(npc_id), _stats(where, stats)
        return (yield from self._written_once_steps(where, npc_id, told))

    @game_call()
    def get_profile(self, npc_id: str) -> dict[str, Any]:
        """Returns the profile of an NPC, with the keys of `ensure_profile()`; empty when she has none."""
        return self._content(PROFILE, validate_npc_id(npc_id)) or {}

    @game_call(writes=True)
    def set_profile(self, npc_id: str, changes: Mapping[str, Any]) -> Done:
        """Changes the profile of an NPC; keys that are left out stay as they were.

        An NPC without a profile gets one that says just this, and `ensure_profile()` returns it from then on.
        `MemoryServer.rollback_to()` brings back what it was.

        Args:
            changes: keys of a profile, see `ensure_profile()`. `null` empties one. Other keys are kept for
                the game. What is too long is cut, with a warning.

        Raises:
            InvalidArgumentError: a value has another type than that key of a profile.
        """
        npc_id = validate_npc_id(npc_id)
        with self._transaction():
            known = self._content(PROFILE, npc_id) or {}
            changed = profiles.changed("set_profile()", known, changes)
            if changed != known:
                self._keep(npc_id, changed, known.get("created_day"))
        return DONE

    def initial_relationship(self, npc_id: str) -> dict[str, float]:
        """How an NPC stands to a player she has never met, by her profile."""
        known = self._all(PROFILE).get(npc_id)
        return {} if known is None else profiles.initial_relationship(known.content)

    def _written_once_steps(
        self, where: str, npc_id: str, stats: dict[str, Any]
    ) -> Generator[Step, None, dict[str, Any]]:
        """A new profile; whoever asks meanwhile gets the same one."""
        shared = self._being_written.get(npc_id)
        if shared is None or shared.is_done:
            before = self._content(PROFILE, npc_id)
            shared = SharedSteps(self._write_steps(where, npc_id, stats, before))
            self._being_written[npc_id] = shared
        try:
            return dict((yield from shared.result_steps()))
        finally:
            if shared.is_done and self._being_written.get(npc_id) is shared:
                del self._being_written[npc_id]

    def _write_steps(
        self, where: str, npc_id: str, stats: dict[str, Any], before: dict[str, Any] | None
    ) -> Generator[Step, None, dict[str, Any]]:
        character = self._content(CHARACTER, npc_id) or {}
        known = known_of(npc_id, {**character, **stats})
        yield Step(0, 2, "gathering what is known")
        words = ", ".join(value for value in (known.culture, known.faction, known.clan, known.place) if value)
        lore: list[dict[str, Any]] = []
        events: list[dict[str, Any]] = []
        if words:
            names = {"culture": known.culture, "faction": known.faction, "location": known.place}
            lore = yield from self.search_lore_steps(words, {**names, "limit": _MOST_FOUND})
            events = yield from self.search_events_steps(npc_id, words, {"limit": _MOST_FOUND})
        draft = draft_of(
            self._npc(npc_id).config,
            known._replace(
                lore=[each["text"] for each in lore],
                events=[each["text"] for each in events],
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
        }
        told = yield from answered_steps(
            self._save.profile_writer,
            request,
            self._npc(npc_id).config.summarizer_timeout_seconds,
            functools.partial(profiles.written, npc_id, draft=draft),
            _FAILED.format(npc_id),
        )
        with self._transaction():
            now = self._content(PROFILE, npc_id)
            if now is not None and now != before:  # the game has told one while the writer was at work
                return now
            self._keep(npc_id, told or draft, None)
            self._emit("profile_created", (npc_id,))
        return self._content(PROFILE, npc_id) or {}

    def _keep(self, npc_id: str, content: Mapping[str, Any], created_day: float | None) -> None:
        day = self._day()
        kept = {"npc_id": npc_id, **content, "created_day": day if created_day is None else created_day}
        self._write(PROFILE, npc_id, {**kept, "updated_day": day})


def _stats(where: str, stats: Any) -> dict[str, Any]:
    if stats is None:
        return {}
    if not isinstance(stats, Mapping):
        raise wrong_type(where, "stats", stats, "a Dictionary")
    told: dict[str, Any] = validate_metadata(where, "stats", stats)
    validate_character(where, told)
    return {name: value for name, value in told.items() if value is not None}
