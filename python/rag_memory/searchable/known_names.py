"""Whom and what the game knows by name: what it registered, and every NPC of the save."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence, Set

from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record
from rag_memory.storage.protocol import Storage
from rag_memory.text.gazetteer import name_words
from rag_memory.text.name_check import NameCheck
from rag_memory.text.other_names import OtherNames
from rag_memory.text.terms import STOP_WORDS


class KnownNames:
    """The names of people, places and things, from Save.register_names()."""

    def __init__(self, store: Storage) -> None:
        self._store = store
        self._npc_ids: set[str] = set()
        self._names: set[str] = set()
        self._are_people_checked = False
        self._words: set[str] | None = None
        self._check: NameCheck | None = None
        self.of_player: dict[str, tuple[Record, list[str]]] = {}
        """By NPC the memory of the player's name and all names; see player_names()."""
        self.aliased: Callable[[], Iterable[Sequence[str]]] = lambda: ()
        """Returns all names of everybody who has several, the one that all stand for first."""

    def other_names(self, of_player: Sequence[str] = ()) -> OtherNames:
        """Return the people with several names, as they are now.

        Args:
            of_player: names by which an NPC knows the player, besides those that the game gave.
        """
        people = [list(names) for names in self.aliased() if names]
        from_game: list[str] = next((names for names in people if PLAYER in names[:2]), [])
        from_game += (name for name in of_player if name not in from_game)
        return OtherNames(people if from_game in people else [*people, from_game])

    def add(self, names: Collection[str], check_people: bool = False) -> None:
        """Add names. With `check_people`, check() finds people with other names from now on."""
        self._names.update(names)
        self._are_people_checked = self._are_people_checked or (check_people and bool(names))
        self._add_words(names)

    def add_npc(self, npc_id: str) -> None:
        """Take in an NPC that was asked for; nothing may be stored of it yet."""
        self._npc_ids.add(npc_id)
        self._add_words([npc_id])

    def is_npc_in_use(self, id: str) -> bool:
        """Return whether an NPC was asked for."""
        return id in self._npc_ids

    def forget_stored(self) -> None:
        """The save may hold other NPCs than before: read them anew when they are needed."""
        self._words = None
        self._check = None

    def check(self) -> NameCheck | None:
        """Return the check of people, or None while people are not checked."""
        people = self.people()
        if people is not None and self._check is None:
            self._check = NameCheck(people)
        return self._check

    def people(self) -> list[str] | None:
        """Return the names of everybody who exists, or None while people are not checked."""
        return self._all() if self._are_people_checked else None

    def words(self) -> Set[str]:
        """The single words of every name, in lower case."""
        if self._words is None:
            self._words = set(name_words(self._all()))
        aliases = name_words(name for names in self.aliased() for name in names)
        return self._words | (aliases - STOP_WORDS) if aliases else self._words

    def _all(self) -> list[str]:
        return [*self._names, *filter(is_npc, self._store.npcs.ids()), *self._npc_ids]

    def _add_words(self, names: Collection[str]) -> None:
        if self._words is not None:
            self._words |= name_words(names)
        self._check = None
