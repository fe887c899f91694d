"""Docstrings as BBCode and as Markdown."""

from __future__ import annotations

import re

import pytest

from rag_memory.godot.declare import GodotClass, Kind, Method
from rag_memory_build.all_classes import all_classes
from rag_memory_build.help_text import bbcode, bbcode_of_method, markdown, markdown_of_bbcode, parsed

NODE = next(cls for cls in all_classes() if cls.name == "RAGMemory")
METHODS = [
    (cls, method) for cls in all_classes() for method in cls.methods if not method.name.startswith("_")
]
DOCSTRING = """Changes a memory, as `store()` does.

    Emits `memory_superseded`, never
    `None`.

    Args:
        changes: what is new, such as `text` or `[a]`. See `MemoryConfig.slot_types`, `MemoryServer.restore()`
            and `RAGMemory.npc_id`.
        id: whose; `"failed"` is none.

    Returns:
        `id` and `changes`, and perhaps an `ERR_FILE_CORRUPT` of `NPCContextBuilder`.

    Raises:
        StoreError: `id` is empty.
        ConfigError: the config is wrong.
    """


@pytest.mark.parametrize(("cls", "method"), METHODS, ids=lambda value: value.name)
def test_every_form_that_blocks_says_so_and_names_the_other_one(cls: GodotClass, method: Method) -> None:
    blocks = method.kind in (Kind.WORKER, Kind.WORKER_SYNC)
    *_, last = bbcode_of_method(cls, method).split("\n\n")
    assert last.startswith("Blocks the frame ") == blocks
    assert (f"[method {method.name}_async]" in last) == (method.kind == Kind.WORKER)


def test_names_become_links_and_sections_sentences() -> None:
    assert bbcode(NODE, DOCSTRING, ["changes", "id"]).split("\n\n") == [
        "Changes a memory, as [method store] does.",
        "Emits [signal memory_superseded], never [code]null[/code].",
        "[param changes]: what is new, such as [code]text[/code] or [code][lb]a[rb][/code]. See [member "
        "MemoryConfig.slot_types], [method MemoryServer.restore] and [member npc_id].",
        '[param id]: whose; [code]"failed"[/code] is none.',
        "Result: [code]id[/code] and [code]changes[/code], and perhaps an [constant ERR_FILE_CORRUPT] of "
        "[NPCContextBuilder].",
        "Fails when [param id] is empty. Fails when the config is wrong.",
    ]


def test_markdown_has_a_list_of_arguments() -> None:
    assert markdown(DOCSTRING).split("\n\n")[1:] == [
        "Emits `memory_superseded`, never `null`.",
        "- `changes`: what is new, such as `text` or `[a]`. See `MemoryConfig.slot_types`, "
        '`MemoryServer.restore()` and `RAGMemory.npc_id`.\n- `id`: whose; `"failed"` is none.',
        "Result: `id` and `changes`, and perhaps an `ERR_FILE_CORRUPT` of `NPCContextBuilder`.",
        "Fails when `id` is empty. Fails when the config is wrong.",
    ]


def test_examples_keep_their_lines() -> None:
    docstring = "Says it:\n\n```gdscript\nif `x`:\n    y()\n```\n\nAnd\nmore."
    assert bbcode(NODE, docstring) == "Says it:\n[codeblock]\nif `x`:\n    y()\n[/codeblock]\nAnd more."
    assert markdown(docstring) == "Says it:\n\n```gdscript\nif `x`:\n    y()\n```\n\nAnd more."


def test_the_bbcode_of_scripts_becomes_markdown() -> None:
    text = (
        "See [method A.b],[br][param c] [code]d[/code] and [NPCWorldEvents]:\n"
        "[codeblock]\ne[0]\n[/codeblock]\nEnd."
    )
    assert markdown_of_bbcode(text) == (
        "See `A.b()`,\n\n`c` `d` and `NPCWorldEvents`:\n\n```gdscript\ne[0]\n```\n\nEnd."
    )


@pytest.mark.parametrize(("cls", "method"), METHODS, ids=lambda each: str(each.name))
def test_a_docstring_describes_only_arguments_there_are(cls: GodotClass, method: Method) -> None:
    described = [name for name, _ in parsed(method.doc).arguments]
    assert set(described) <= {argument.name for argument in method.arguments}


@pytest.mark.parametrize("cls", all_classes(), ids=lambda cls: cls.name)
def test_docstrings_are_no_bbcode(cls: GodotClass) -> None:
    texts = [cls.brief, cls.description]
    texts += [method.doc for method in cls.methods]
    texts += [property.doc for property in cls.properties]
    tag = re.compile(r"\[/?(code|codeblock|method|member|param|signal)\b")
    assert [text for text in texts if tag.search(text)] == []
