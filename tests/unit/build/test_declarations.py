"""The Godot classes as declared: what the contract promises is there, and documented."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ElementTree

import pytest

from rag_memory import open_save
from rag_memory.config import MemoryConfig
from rag_memory.config.inheritance import INHERITS
from rag_memory.game_call import game_calls
from rag_memory.godot import classes
from rag_memory.godot.game_methods import MIND_PARTS, NPC_PARTS, WORLD_PARTS
from rag_memory_build.all_classes import all_classes
from rag_memory_build.help_examples import EXAMPLES
from rag_memory_build.help_xml import help_xml

CLASSES = {cls.name: cls for cls in all_classes()}


@pytest.mark.parametrize("name", CLASSES)
def test_everything_has_its_help(name: str) -> None:
    page = ElementTree.fromstring(help_xml(CLASSES[name]))
    assert page.findtext("brief_description")
    assert page.findtext("description") or name == "MemoryConfig"
    entries = [*page.iter("method"), *page.iter("signal")]
    undocumented = [entry.get("name") for entry in entries if not entry.findtext("description")]
    undocumented += [e.get("name") for e in [*page.iter("member"), *page.iter("constant")] if not e.text]
    assert undocumented == []


def test_the_parts_of_an_npc_and_of_the_world_with_calls_of_a_game_are_listed() -> None:
    with open_save(":memory:", vector_index="disabled") as save:
        npc = save.npc("mira")
        for owner, listed in ((npc, NPC_PARTS), (npc.mind, MIND_PARTS), (save.world, WORLD_PARTS)):
            parts = {"": owner, **{name: part for name, part in vars(owner).items() if name[0] != "_"}}
            with_calls = {name: type(part) for name, part in parts.items() if game_calls(type(part))}
            # A node has rules of its own, and a mind is another node.
            assert {name: part for name, part in with_calls.items() if name not in ("rules", "mind")} == dict(
                listed
            )


def test_every_example_belongs_to_something() -> None:
    pages = [help_xml(cls) for cls in CLASSES.values()]
    assert sum(page.count("[codeblock]") for page in pages) >= len(EXAMPLES)
    assert [name for name, code in EXAMPLES.items() if not any(_in_page(code, page) for page in pages)] == []


def _in_page(code: str, page: str) -> bool:
    return code.strip() in "".join(ElementTree.fromstring(page).itertext())


@pytest.mark.parametrize("name", CLASSES)
def test_bbcode_tags_are_closed(name: str) -> None:
    text = help_xml(CLASSES[name])
    for tag in ("code", "codeblock", "b", "i"):
        assert text.count(f"[{tag}]") == text.count(f"[/{tag}]")


def test_every_value_of_the_core_configuration_is_a_property() -> None:
    names = [property_.name for property_ in CLASSES["MemoryConfig"].properties]
    fields = [field.name for field in dataclasses.fields(MemoryConfig)]
    assert sorted(names) == sorted([*fields, INHERITS])
    assert names[: len(MemoryConfig.ESSENTIALS)] == list(MemoryConfig.ESSENTIALS)
    assert all(property_.group for property_ in CLASSES["MemoryConfig"].properties)


def test_groups_are_contiguous_so_that_the_inspector_shows_each_once() -> None:
    groups = [property_.group for property_ in CLASSES["MemoryConfig"].properties]
    starts = [group for i, group in enumerate(groups) if i == 0 or groups[i - 1] != group]
    assert len(starts) == len(set(starts))


def test_every_worker_method_has_its_own_number() -> None:
    pairs = [(cls.name, method.name) for cls, method in classes.worker_methods(all_classes())]
    assert len(pairs) == len(set(pairs))


def test_the_help_keeps_paragraphs_and_code_but_no_other_line_ends() -> None:
    for cls in CLASSES.values():
        page = ElementTree.fromstring(help_xml(cls))
        for text in [entry.text or "" for entry in page.iter("description")]:
            outside_code = re.sub(r"\n*\[codeblock\].*?\[/codeblock\]\n*", "", text, flags=re.DOTALL)
            assert not re.search(r"(?<!\n)\n(?!\n)", outside_code), text
    page = ElementTree.fromstring(help_xml(CLASSES["RAGMemory"]))
    code = re.search(r"\[codeblock\](.*?)\[/codeblock\]", page.findtext("description", ""), re.DOTALL)
    assert code and len(code[1].strip().splitlines()) > 4
