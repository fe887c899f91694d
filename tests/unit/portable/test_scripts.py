"""Dialogue files of Ink and Dialogue Manager: their lines without the code."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.errors import InvalidArgumentError
from rag_memory.portable.foreign_file import read_plan
from rag_memory.portable.import_plan import ImportPlan
from rag_memory.text.file_text import FileData

INK = r"""
INCLUDE other.ink
VAR gold = 3
Mira: The well is dry. # sad
=== the_well
Mira: My brother drowned there. // a secret
The wind howls. -> END
/* Mira: Nobody
hears this. */
* [Ask about him] Who was he? -> brother
+ (pay) {gold > 2} I will pay you.[] Really.
* [Leave] -> END
- Mira: Come {gold: back|home}.
{ gold > 3:
    Mira: You are rich.
- else:
    Mira: You are poor.
}
~ gold = 2
= brother
Mira: \# Tarl was <> his name.
=== function raise(x)
~ return x
Mira: Not this.
=== empty
-> the_well
"""
MANAGER = r"""import "res://other.dialogue" as other
~ start
# a comment
if mira.knows("roof")
	Mira: And my roof, [wait=0.5]friend? [#sad]
else
	Mira: Good evening\: stranger.
- About the roof [if mira.knows("roof") /] => roof
	do mira.store("x", 4)
	Mira: [[Yes|Hm]]?
	Mira: You owe me {{debt}} gold.
- Farewell
	% Bjorn: Mind the step.
	Rain falls.
=> END
~ roof
set x = 1
Mira: It leaks.
"""


def script(text: str, ending: str, **options: Any) -> ImportPlan:
    return read_plan("import_file()", FileData(text.encode(), f"res://mira{ending}"), options)


def said(read: ImportPlan) -> list[tuple[str, ...]]:
    return [tuple(turn.values()) for turn in read.turns]


def test_an_ink_file_becomes_lore_with_its_speakers() -> None:
    read = script(INK, ".ink", player="Ada")
    assert (read.format, read.id, read.entries) == ("Ink", "mira", 3)
    assert read.lore.split("\n\n")[1:] == [
        "## mira",
        "Mira: The well is dry.",
        "## the well",
        "Mira: My brother drowned there.\nThe wind howls.\nAda: Who was he?\n"
        "Ada: I will pay you. Really.\nAda: Leave",
        "## the well brother",
        "Mira: # Tarl was his name.\n",
    ]
    reasons = ("5 lines of code", "1 functions", "1 conditions", "6 lines with variables", "jumps", "1 tags")
    for reason in (*reasons, "1 passages"):
        assert any(reason in line for line in read.not_kept), (reason, read.not_kept)


def test_a_dialogue_of_dialogue_manager_becomes_lore_or_turns() -> None:
    read = script(MANAGER, ".dialogue")
    assert (read.format, read.entries) == ("Dialogue Manager", 2)
    assert (
        "Mira: And my roof, friend?\nMira: Good evening: stranger.\nthe player: About the roof" in read.lore
    )
    assert not any(code in read.lore for code in ("{{", "[", "=>", "store", "Yes", "import"))
    for reason in ("3 lines of code", "3 conditions", "2 lines with variables", "2 jumps", "2 tags"):
        assert any(reason in line for line in read.not_kept), (reason, read.not_kept)
    turns = script(MANAGER, ".dialogue", character="Mira", npc="mira_2")
    assert turns.id == "mira_2"
    assert said(turns) == [
        ("", "And my roof, friend?\nGood evening: stranger."),
        ("About the roof\nFarewell", ""),
        ("", "It leaks."),
    ]
    assert any("2 lines of others" in line for line in turns.not_kept)


def test_a_tag_may_name_the_speaker() -> None:
    read = script("Hello. # speaker: Sphinx #mood:sad\nHm. #speaker:Ada", ".ink")
    assert "Sphinx: Hello.\nAda: Hm." in read.lore


def test_in_a_file_without_names_the_npc_says_it_all() -> None:
    assert said(script("Good day.\n* Who are you?\n- I am Mira.", ".ink", npc="mira")) == [
        ("", "Good day."),
        ("Who are you?", "I am Mira."),
    ]


@pytest.mark.parametrize("ending", [".ink", ".dialogue"])
@pytest.mark.parametrize(
    ("text", "options", "says_why"),
    [
        ("", {}, "nothing to import"),
        ("~ start\n", {}, "nothing to import"),
        ("Mira: a\0", {}, "characters 0"),
        ("Mira: Hello.", {"character": "Ulf"}, "no line of Ulf"),
        ("".join(f"== a{n}\nMira: x\n~ b{n}\nMira: y\n" for n in range(20_001)), {}, "20,000"),
    ],
)
def test_a_hostile_script_gives_a_clear_error(
    text: str, options: dict[str, Any], says_why: str, ending: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=r"import_file\(\)") as error:
        script(text, ending, **options)
    assert says_why in str(error.value)
    assert error.value.remedy


@pytest.mark.parametrize(
    "part", ["{", "}", "[", "]", "/*", "*", "-", "a:", "# ", "=", "~", "%", "\\", "<>", "->"]
)
def test_a_script_that_repeats_itself_is_read_at_once(part: str) -> None:
    for ending in (".ink", ".dialogue"):
        read = script(f"Mira: Hello.\nMira: {part * 50_000} end", ending)
        assert "Mira: Hello." in read.lore


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([*INK.split("\n"), *MANAGER.split("\n")]) | st.text(max_size=12), max_size=12)
)
def test_whatever_a_script_holds_it_is_read_or_refused(lines: list[str]) -> None:
    for ending in (".ink", ".dialogue"):
        for options in ({}, {"character": "Mira"}):
            try:
                read = script("\n".join(lines), ending, **options)
            except (InvalidArgumentError, UnicodeEncodeError):
                continue
            assert all(any(turn.values()) for turn in read.turns)
            assert bool(read.lore) != bool(read.turns)
