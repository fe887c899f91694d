"""Save isolation: nothing of one save shows in another, whatever is stored and whenever they open."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.godot import save_folder
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.save_folder import Folders
from rag_memory.save import Save
from rag_memory.step import run
from rag_memory.text.file_text import FileText

SAVES = ["north", "south", "east"]
NPCS = ["elena", "kael"]
VOLATILE = "(in memory)"
CONFIG = MemoryConfig(check_names=False)


class Isolation(RuleBasedStateMachine):
    """Several saves of one game, one of them open, and the one in memory of nodes that are not persistent.

    Everything that is stored names its save, so that it is known wherever it shows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now = 1000.0
        folders = Folders(self.folder, self.folder / "models", self.folder / "prepared", self.folder)
        self.saves = OpenSaves(folders, lambda: self.now, lambda *_: None, self._never)
        self.saves.models.built_in = HashingEmbedder(16)
        self.stored: dict[str, list[str]] = {}
        self.number = 0

    def _never(self, *_: Any) -> Any:
        raise AssertionError("nobody asks the game")

    def teardown(self) -> None:
        self.saves.shut_down()
        shutil.rmtree(self.folder)

    def targets(self) -> list[tuple[str, Save]]:
        """The saves that can be used now, by the name that is in everything of theirs."""
        volatile = [(VOLATILE, self.saves.for_node(False))]
        return (
            volatile if self.saves.chosen is None else [*volatile, (self.saves.chosen_id, self.saves.chosen)]
        )

    def target(self, is_volatile: bool) -> tuple[str, Save]:
        return self.targets()[0 if is_volatile else -1]

    def text(self, name: str) -> str:
        """A text that names its save and no other."""
        self.number += 1
        self.now += 1.0
        told = f"Word {self.number} of <{name}> about the mill and the war."
        self.stored.setdefault(name, []).append(told)
        return told

    @rule(save_id=st.sampled_from(SAVES))
    def open(self, save_id: str) -> None:
        self.saves.choose(save_id, {"campaign": f"<{save_id}>", "lore": [f"<{save_id}>"]})

    @rule()
    def close(self) -> None:
        self.saves.close("test")

    @rule(is_volatile=st.booleans(), npc_id=st.sampled_from(NPCS))
    def remember(self, is_volatile: bool, npc_id: str) -> None:
        name, save = self.target(is_volatile)
        save.npc(npc_id, CONFIG).memories.store(self.text(name), 5, {"location": f"<{name}>"})

    @rule(is_volatile=st.booleans(), npc_id=st.sampled_from(NPCS))
    def talk(self, is_volatile: bool, npc_id: str) -> None:
        name, save = self.target(is_volatile)
        save.npc(npc_id, CONFIG).conversation.store_turn(self.text(name), "I see.")

    @rule(is_volatile=st.booleans(), id=st.sampled_from(["siege", "feast"]))
    def happen(self, is_volatile: bool, id: str) -> None:
        name, save = self.target(is_volatile)
        save.world.events.record_event({"id": id, "summary": self.text(name)})

    @rule(is_volatile=st.booleans())
    def live(self, is_volatile: bool) -> None:
        name, save = self.target(is_volatile)
        save.world.characters.register_character("elena", {"name": "Elena", "story": self.text(name)})
        save.npc("elena", CONFIG).mind.perceive(
            {"action": "spoke", "content": self.text(name), "source_id": "kael"}
        )

    @rule(is_volatile=st.booleans())
    def read_lore(self, is_volatile: bool) -> None:
        name, save = self.target(is_volatile)
        save.world.lore.import_lore(FileText(f"# Lore\n\n{self.text(name)}\n"), {"key": f"lore of {name[0]}"})

    @rule(is_volatile=st.booleans())
    def take_and_restore_a_snapshot(self, is_volatile: bool) -> None:
        if self.saves.chosen is not None:
            self.saves.chosen.snapshots.take("manual")
            self.saves.chosen.snapshots.restore("manual")

    @rule()
    def copy_and_delete(self) -> None:
        if self.saves.chosen is not None:
            name = self.saves.chosen_id
            run(save_folder.copy_save_steps(self.folder, name, "copy", self.saves.chosen))
            assert save_folder.info_of(self.folder, "copy", None)["campaign"] == f"<{name}>"
            save_folder.delete_save(self.folder, "copy")

    @invariant()
    def everything_that_shows_is_of_its_save(self) -> None:
        for name, save in self.targets():
            shown = self.shown(save)
            for other in {*self.stored, *SAVES} - {name}:
                assert f"<{other}>" not in shown
        for save_id in save_folder.list_saves(self.folder):
            told = save_folder.info_of(self.folder, save_id, self.saves.opened(save_id))
            assert told["campaign"] == f"<{save_id}>" and told["lore"] == [f"<{save_id}>"]

    def shown(self, save: Save) -> str:
        """Everything that a save tells, as one text."""
        told: list[Any] = [
            save.world.json.export_json({"lore": True}),
            save.overview.list_npcs(),
            save.overview.feelings(),
        ]
        for npc_id in NPCS:
            npc = save.npc(npc_id, CONFIG)
            told += [
                npc.recall.retrieve_scored("the war about the mill"),
                npc.tools.export_json(),
                npc.conversation.get_turns(99),
                npc.conversation.get_conversation_summary(),
                npc.mind.get_interactions(count=99),
                save.world.events.search_events(npc_id, "the war about the mill"),
            ]
        told += [save.world.lore.search_lore("the war about the mill"), save.world.lore.list_lore()]
        return str(told)


TestSaveIsolation = Isolation.TestCase
TestSaveIsolation.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_save_isolation_names_are_seen_where_they_are_stored(tmp_path: Path) -> None:
    """The texts of the property above are present in their own save."""
    machine = Isolation()
    try:
        machine.open("north")
        for act in (machine.happen, machine.remember, machine.talk):
            act(False, "siege" if act == machine.happen else "elena")
        machine.live(False)
        machine.read_lore(False)
        assert machine.saves.chosen is not None
        shown = machine.shown(machine.saves.chosen)
        assert shown.count("<north>") > 8
        machine.open("south")
        machine.everything_that_shows_is_of_its_save()
    finally:
        machine.teardown()
