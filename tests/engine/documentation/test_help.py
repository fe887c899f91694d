"""The F1 help, against what the real engine says the classes are."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from tests.engine.game import ROOT, Home, Project, for_servers, run

from rag_memory_build import native
from rag_memory_build.all_classes import all_classes
from rag_memory_build.help_xml import help_xml

pytestmark = pytest.mark.slow

_NAMED = {"method", "member", "signal", "constant"}
_LINK = re.compile(r"\[(method|member|signal|constant|enum|param) ([\w.]+)\]")
_CLASS_LINK = re.compile(r"\[([A-Z]\w+)\]")
_CODE = re.compile(r"\[codeblock\].*?\[/codeblock\]|\[code\].*?\[/code\]|\[kbd\].*?\[/kbd\]", re.DOTALL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Element]:
    """The help page of every class a user sees, by class.

    The engine writes down the classes as they are registered and merges our help into that: what is not
    registered gets lost, what has no help stays empty. Scripts it reads itself.
    """
    folder = tmp_path_factory.mktemp("help")
    project = for_servers(Project(folder / "project"))
    home = Home(folder / "home")
    native_pages = folder / "native" / "doc_classes"
    native_pages.mkdir(parents=True)
    for cls in all_classes():
        (native_pages / f"{cls.name}.xml").write_text(help_xml(cls), encoding="utf-8")
    run(project, home, "", options=["--doctool", str(native_pages.parent), "--gdextension-docs"])
    script_pages = folder / "script"
    script_pages.mkdir()
    script_options = ["--doctool", str(script_pages), "--gdscript-docs", "res://addons/rag_memory"]
    run(project, home, "", options=script_options)
    files = [*native_pages.glob("*.xml"), *script_pages.glob("*.xml")]
    roots = [ElementTree.parse(file).getroot() for file in files]
    # A script without class_name has its path for a name; nobody looks it up.
    return {root.attrib["name"]: root for root in roots if not root.attrib["name"].startswith('"')}


def test_every_public_class_has_a_page(pages: dict[str, Element]) -> None:
    declared = {cls.name for cls in all_classes()}
    scripts = (ROOT / "addons" / "rag_memory").rglob("*.gd")
    named = re.findall(r"^class_name (\w+)", "\n".join(map(Path.read_text, scripts)), re.MULTILINE)
    assert set(pages) == declared | set(named)


def test_nothing_public_is_without_help(pages: dict[str, Element]) -> None:
    missing = [name for name, page in pages.items() if not _text(page.find("brief_description"))]
    for name, page in pages.items():
        missing += [f"{name}.{entry.attrib['name']}" for entry in _entries(page) if not _help_of(entry)]
    assert missing == []


def test_nothing_is_described_that_does_not_exist(pages: dict[str, Element]) -> None:
    for cls in all_classes():
        described = {_key(entry) for entry in _entries(ElementTree.fromstring(help_xml(cls)))}
        assert described - {_key(entry) for entry in _entries(pages[cls.name])} == set()


def test_every_link_leads_somewhere(pages: dict[str, Element]) -> None:
    dead = []
    for name, page in pages.items():
        for place, text, parameters in _texts(page):
            shown = _CODE.sub("", text)
            for kind, target in _LINK.findall(shown):
                if not _leads_somewhere(pages, name, kind, target, parameters):
                    dead.append(f"{name}.{place}: [{kind} {target}]")
            for target in _CLASS_LINK.findall(shown):
                if target not in pages and target not in _engine_members():
                    dead.append(f"{name}.{place}: [{target}]")
    assert dead == []


def test_no_tag_stays_open(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        for place, text, _ in _texts(page):
            for tag in ("code", "codeblock", "b", "i", "kbd"):
                assert text.count(f"[{tag}]") == text.count(f"[/{tag}]"), f"{name}.{place}: [{tag}]"


def _entries(page: Element) -> Iterator[Element]:
    """Public members: a name that begins with an underscore is private, and not shown."""
    for entry in page.iter():
        if entry.tag in _NAMED and not entry.attrib["name"].startswith("_"):
            yield entry


def _key(entry: Element) -> tuple[str, str]:
    return entry.tag, entry.attrib["name"]


def _text(element: Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def _help_of(entry: Element) -> str:
    return _text(entry) or _text(entry.find("description"))


def _texts(page: Element) -> Iterator[tuple[str, str, set[str]]]:
    """Every text of a page: where it stands, the text, and the parameters it may name."""
    yield "brief", _text(page.find("brief_description")), set()
    yield "description", _text(page.find("description")), set()
    for entry in _entries(page):
        parameters = {each.attrib["name"] for each in entry.iter("param")}
        yield entry.attrib["name"], _help_of(entry), parameters


def _leads_somewhere(
    pages: dict[str, Element], page: str, kind: str, target: str, parameters: set[str]
) -> bool:
    if kind == "param":
        return target in parameters
    owner, _, member = target.rpartition(".")
    if kind == "enum":
        enums = {entry.get("enum") for entry in pages[owner or page].iter("constant")}
        return member in enums
    if (owner or page) in pages and (kind, member) in {
        _key(entry) for entry in _entries(pages[owner or page])
    }:
        return True
    return member in _engine_members().get(owner, set())


@functools.cache
def _engine_members() -> dict[str, set[str]]:
    """The names of the engine's own classes and types, and of what they have; "" for global constants."""
    api = json.loads((native.HEADERS / "extension_api.json").read_text(encoding="utf-8"))
    members = {"": {value["name"] for each in api["global_enums"] for value in each["values"]}}
    for each in [*api["classes"], *api["builtin_classes"]]:
        kinds = ("methods", "properties", "signals", "constants")
        members[each["name"]] = {entry["name"] for kind in kinds for entry in each.get(kind, [])}
    return members
