"""The written documentation names everything a user can call, connect to or set, with the right defaults, in
short sentences.
"""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_memory.config import MemoryConfig
from rag_memory.godot import declare
from rag_memory_build import reference, settings_table
from rag_memory_build.all_classes import all_classes

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TEXT = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
)
SCRIPTS = [
    path
    for path in sorted((ROOT / "addons" / "rag_memory").rglob("*.gd"))
    if re.search(r"^class_name ", path.read_text(encoding="utf-8"), re.MULTILINE)
]
GUIDES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "bench" / "README.md",
    ROOT / "addons" / "rag_memory" / "README.md",
    *(path for path in sorted(DOCS.glob("*.md")) if path.stem not in ("architecture", "reference")),
]
MOST_MEAN_WORDS = 18
MOST_WORDS = 35_000
MOST_LINES_OF_ONE_PAGE = 80
MOST_LINES_OF_README = 100
MEMBER = re.compile(r"^(?:(?:static )?func|signal|(?:@export[^\n]*? )?var) ([a-z]\w*)", re.MULTILINE)


@pytest.mark.parametrize("cls", all_classes(), ids=lambda cls: cls.name)
def test_every_member_of_a_native_class_is_in_the_documents(cls: declare.GodotClass) -> None:
    names = [
        *(method.name for method in cls.methods),
        *(signal.name for signal in cls.signals),
        *(property.name for property in cls.properties),
    ]
    assert _not_named([name for name in names if not name.startswith("_")]) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_member_of_a_script_class_is_in_the_documents(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = MEMBER.findall(text)
    assert _not_named([name for name in names if not name.endswith("_async")]) == []


def test_the_reference_has_every_setting() -> None:
    settings = dataclasses.fields(MemoryConfig)
    tables = settings_table.tables()
    assert [field.name for field in settings if f"| `{field.name}` |" not in tables] == []
    assert tables in reference.reference()


def test_the_reference_is_what_the_docstrings_say() -> None:
    """After a change of one: `python3 build.py python -m rag_memory_build.reference`."""
    assert reference.DOCUMENT.read_text(encoding="utf-8") == reference.reference()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_member_of_a_script_class_is_in_the_reference(path: Path) -> None:
    names = MEMBER.findall(path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#### (\w+)$", reference.reference(), re.MULTILINE)
    assert set(names) - set(headings) == set()


def test_every_link_leads_to_a_file_and_a_heading_in_it() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), ROOT / "addons" / "rag_memory" / "README.md"]
    dead = []
    for path in pages:
        for target, anchor in re.findall(
            r"\]\(([^)#:\s]*)(?:#([\w-]+))?\)", path.read_text(encoding="utf-8")
        ):
            page = (path.parent / target) if target else path
            if not page.exists() or (anchor and anchor not in _anchors(page)):
                dead.append(f"{path.name}: {target}#{anchor}")
    assert dead == []


def test_help_messages_and_comments_name_headings_that_exist() -> None:
    folders = ("python", "native/src", "addons/rag_memory", "bench", "tests")
    named = re.compile(r"docs/(\w+\.md)#([\w-]+)")
    dead = []
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".gd", ".h", ".cpp", ".md") and "runtime" not in path.parts:
                for page, anchor in named.findall(path.read_text(encoding="utf-8", errors="replace")):
                    if anchor not in _anchors(DOCS / page):
                        dead.append(f"{path.relative_to(ROOT)}: {page}#{anchor}")
    assert dead == []


def test_the_documents_are_short() -> None:
    """Without the generated reference, and without the list of files in the page for contributors."""
    pages = [ROOT / "README.md", *(path for path in DOCS.glob("*.md") if path.stem != "reference")]
    words = sum(len(_without_lists_of_files(path.read_text(encoding="utf-8")).split()) for path in pages)
    assert words <= MOST_WORDS, (
        f"docs/ has {words - MOST_WORDS} words too many: say each thing once, link docs/reference.md"
    )


def test_no_document_has_the_marks_of_a_merge() -> None:
    documents = [*GUIDES, ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")]
    assert [
        path for path in documents if re.search(r"^[<>]{7} ", path.read_text("utf-8"), re.MULTILINE)
    ] == []


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_sentences_of_a_guide_are_short(path: Path) -> None:
    assert _mean_words(path.read_text(encoding="utf-8")) < MOST_MEAN_WORDS


@pytest.mark.parametrize("cls", all_classes(), ids=lambda cls: cls.name)
def test_the_sentences_of_a_help_page_are_short(cls: declare.GodotClass) -> None:
    texts = [cls.brief, cls.description]
    texts += [method.doc for method in cls.methods]
    texts += [signal.doc for signal in cls.signals]
    texts += [property.doc for property in cls.properties]
    assert _mean_words("\n\n".join(texts)) < MOST_MEAN_WORDS


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_sentences_of_a_script_s_help_are_short(path: Path) -> None:
    comments = re.findall(r"(?:^[ \t]*##.*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert _mean_words(
        "\n".join(re.sub(r"^[ \t]*## ?", "", each, flags=re.MULTILINE) for each in comments)
    ) < (MOST_MEAN_WORDS)


def test_long_sentences_are_noticed() -> None:
    long = "This goes on and on, " * 5 + "and has an end."
    assert _mean_words(f"# A heading counts nothing\n\n{long}\n") == 29
    assert _mean_words("Two words. `one_code` counts. A\nbroken line.\n\n* An item\n\n| a | table |") == 2.25


def test_the_readme_is_short_and_leads_to_every_guide() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES_OF_README
    assert [path.name for path in DOCS.glob("*.md") if f"](docs/{path.name})" not in text] == []


def test_performance_is_one_page() -> None:
    lines = (DOCS / "performance.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES_OF_ONE_PAGE


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _without_lists_of_files(text: str) -> str:
    return re.sub(r"^## Where do I change what\?\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)


def _mean_words(text: str) -> float:
    """Words per sentence, without headings, tables, code and what benchmarks write."""
    return statistics.fmean(len(re.findall(r"\S*\w\S*", sentence)) for sentence in _sentences(text))


def _sentences(text: str) -> Iterator[str]:
    text = re.sub(r"<!-- (\w+): .*?<!-- /\1 -->", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```|\[codeblock\].*?\[/codeblock\]", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`|\[code\].*?\[/code\]", "code", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|\[/?(?:b|i|kbd)\]", "", text)
    text = re.sub(r"^[ \t]*[#|!].*$|\[br\]", "\n\n", text, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s", text, flags=re.MULTILINE):
        yield from (each for each in re.split(r"(?<=[.!?])[)\"*]*\s+", block) if re.search(r"\w", each))


def _not_named(names: list[str]) -> list[str]:
    return [name for name in names if not re.search(rf"\b{name}\b", TEXT)]
