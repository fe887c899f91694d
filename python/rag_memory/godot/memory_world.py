"""The Godot singleton MemoryWorld: what is true in the world of the open save, and who knows it.

Its calls are not written here: they are the game calls of the parts of `rag_memory.world.world.World`, which
`WORLD_PARTS` in game_methods.py lists.
"""

from __future__ import annotations

from typing import Any

from rag_memory.godot.config_classes import MemoryWorldConfigResource
from rag_memory.godot.declare import Argument, Property, Resources, Signal, Variant, godot_class, method
from rag_memory.godot.game_methods import world_methods
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.world.world import World


@godot_class(
    "MemoryWorld",
    "Object",
    properties=[
        Property(
            "config",
            MemoryWorldConfigResource,
            None,
            "The settings of the world, in every save; without one, the defaults of `MemoryWorldConfig` "
            "apply.",
        ),
        Property(
            "persistent",
            bool,
            True,
            "If `true`, calls go to the open save. If `false`, they go to a world that lives in memory "
            "only, as that of a `RAGMemory` with `RAGMemory.persistent` off. It holds for the calls that are "
            "made from then on.",
        ),
    ],
    signals=[
        Signal(
            "world_changed",
            (),
            "Emitted when a save was opened, closed, restored or rolled back. Whatever your game read from "
            "`MemoryWorld` before is out of date.",
        ),
        Signal("event_recorded", (Argument("id", str),), "Emitted when an event was recorded."),
        Signal(
            "rumor_spread",
            (Argument("id", str), Argument("to", str)),
            "Emitted when a rumor has spread; `to` is who hears it: a character, a place or a faction.",
        ),
        Signal(
            "task_changed",
            (Argument("id", str), Argument("status", str)),
            "Emitted when a task was added or has another status, also when its due day has passed.",
        ),
        Signal(
            "matter_overdue",
            (Argument("npc_id", str), Argument("matter", dict[str, Any])),
            "Emitted once when something that is open (`get_open_matters()`) was not done in time: after the "
            "first call of any node once the game's clock has passed that day. `npc_id` is the NPC that "
            "waits for it; if none does, the one that remembers it.",
        ),
        Signal(
            "profile_created", (Argument("npc_id", str),), "Emitted when the profile of an NPC was written."
        ),
        Signal(
            "lore_imported",
            (Argument("key", str), Argument("chunks", int)),
            "Emitted when a source of lore was imported, with the number of its chunks.",
        ),
        Signal(
            "failed",
            (Argument("error", str),),
            "Emitted when a call of `MemoryWorld` failed; `error` says what happened, why and what to do.",
        ),
    ],
    methods=world_methods(),
)
class MemoryWorld:
    """Keeps what is true in the world of the open save: its characters, its events, its lore.

    Everything lies in the save that `MemoryServer` has open, beside the memories of the NPCs, and goes back
    with it. Most calls exist twice, as those of a `RAGMemory` do: `get_character()` blocks until the answer
    is there, `get_character_async()` returns a `MemoryRequest` at once.

    ```gdscript
    MemoryWorld.register_character("mira", {"name": "Mira", "faction": "millers"})
    print(MemoryWorld.get_character("mira").faction)  # -> millers
    ```

    Its calls run in the order in which they were made.
    """

    def __init__(self, saves: OpenSaves) -> None:
        self._saves = saves
        self._persistent = True

    def configure(self, values: dict[str, Any]) -> None:
        """Take over the property values; `config` is None or a MemoryWorldConfig's values. `npc_config` are
        those of the project's default MemoryConfig, or None, and `translation` the game's translations of
        sentences.
        """
        self._persistent = values["persistent"]
        self._saves.settings.set_world_config(values["config"])
        self._saves.settings.set_npc_config(
            {**(values["npc_config"] or {}), "translation": values["translation"]}
        )

    def world(self) -> World:
        """The world that the calls go to."""
        return self._saves.world(self._persistent)

    @method(writes=True)
    def apply_rule(self, rule: str, arguments: Resources) -> Variant:
        """Applies a rule of the memory worker about the world of the open save, or about plain data when no
        save is open.

        `NPCWorldKnowledge` and `NPCWorldEvents` call their rules by it; in a game call those instead. Rules
        come and go with the version of the addon.

        Returns:
            what the rule returns; `null`, with an error, for an unknown rule.
        """
        from rag_memory.godot.world_rules import apply_world_rule

        world = None if self._saves.chosen is None else self.world()
        result: Variant = apply_world_rule(world, self._saves.now(), rule, arguments)
        return result
