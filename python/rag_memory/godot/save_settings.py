"""The settings of a game that each of its saves gets."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from rag_memory.config import MemoryConfig
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.errors import ConfigError, GameLoadedError
from rag_memory.game_rules import GAME_RULES
from rag_memory.godot.game_functions import GameFunction
from rag_memory.godot.memory_config import config_from
from rag_memory.prompt.model_work import ModelWork
from rag_memory.save import Save
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps

AskStepsFunction = Callable[[GameFunction, dict[str, Any]], Steps[Any]]
"""Calls a function of the game, in slices."""
IsSetFunction = Callable[[GameFunction], bool]
"""Tells whether the game has set a function."""


class NodesOfNpcs(Protocol):
    """What the game's nodes say of the NPCs of a save; None without a node."""

    def senses_of(self, save: Save, npc_id: str) -> int | None:
        """What the NPC perceives as a bystander."""

    def config_of(self, save: Save, npc_id: str) -> MemoryConfig | None:
        """How its memories are stored and worded."""


class SaveSettings:
    """Registered names, the configs of NPCs and of the world, and the functions of the game."""

    def __init__(
        self,
        open_saves: Iterable[Save],
        prepared_lore: Path,
        ask: AskStepsFunction,
        is_set: IsSetFunction,
        on_world_event: EventFunction,
        is_editor: bool,
        nodes: NodesOfNpcs,
    ) -> None:
        self._nodes = nodes
        self._open_saves = open_saves
        self._prepared_lore = prepared_lore
        self._ask = ask
        self._is_set = is_set
        self._on_world_event = on_world_event
        self._is_editor = is_editor
        self._names: list[str] = []
        self._checks_people = False
        self._npc_config = MemoryConfig()
        self._world_config = MemoryWorldConfig()
        self._world_config_error: ConfigError | None = None

    def apply(self, save: Save) -> None:
        """Give all settings to a save that was just opened."""
        save.context.prepared_lore = self._prepared_lore
        save.register_names(self._names, self._checks_people)
        for function in GameFunction:  # a field of SaveContext each
            setattr(
                save.context,
                function.name.lower(),
                functools.partial(self._asked_steps, save.context, function),
            )
        save.context.asks_extractor = lambda: self._is_set(GameFunction.EXTRACTOR)
        save.context.senses_of = functools.partial(self._nodes.senses_of, save)
        save.context.config_of = functools.partial(self._nodes.config_of, save)
        # Questions in the editor are not part of the game, and have no game time.
        save.context.notes_accesses &= not self._is_editor
        save.npcs.set_default_config(self._npc_config)
        save.world.config = self._world_config
        save.world.on_event = self._on_world_event

    def _asked_steps(self, save: SaveContext, function: GameFunction, request: dict[str, Any]) -> Steps[Any]:
        """Ask a function of the game, which may be a language model, and else the rules of the game.

        Raises:
            GameLoadedError: another state of the save, or of the NPC, was loaded meanwhile.
        """
        name = function.name.lower()
        work = ModelWork(name, request, self._npc_config.own_roles())
        npc_id = request.get("npc_id", "")
        state = save.state(npc_id)
        answer = yield from self._ask(function, {**request, **work.prompt()})
        if save.state(npc_id) != state:
            raise GameLoadedError(
                "nothing is written", f"the game was loaded while the {name} was asked", "Make the call again"
            )
        return GAME_RULES.ask(name, request) if answer is None else work.read(answer)

    def register_names(self, names: Sequence[str], check_people: bool) -> None:
        """Register names in the open saves and in every later one."""
        self._names = [*dict.fromkeys([*self._names, *names])]
        self._checks_people = self._checks_people or check_people
        for save in self._open_saves:
            save.register_names(names, check_people)

    def set_npc_config(self, values: dict[str, Any]) -> None:
        """Set the config of NPCs that get none from a node.

        An invalid one is an error of the nodes' calls, and changes nothing here.
        """
        with contextlib.suppress(ConfigError):
            self._npc_config = config_from(values)
        for save in self._open_saves:
            save.npcs.set_default_config(self._npc_config)

    def set_world_config(self, values: dict[str, Any] | None) -> None:
        """Set MemoryWorld's config; None for the defaults. An invalid one is an error of the next calls."""
        try:
            self._world_config = MemoryWorldConfig(**(values or {})).validated()
            self._world_config_error = None
        except ConfigError as error:
            self._world_config_error = error
        for save in self._open_saves:
            save.world.config = self._world_config

    def check_world_config(self) -> None:
        """Raise a ConfigError if the last config of MemoryWorld was invalid."""
        if self._world_config_error is not None:
            raise self._world_config_error
