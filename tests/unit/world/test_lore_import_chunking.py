"""How lore is cut: by headings, into chunks of 100 to 300 words, and no sentence in two."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.world.lore_texts import paragraph

from rag_memory.step import run
from rag_memory.world import markdown_sections
from rag_memory.world.lore_chunks import LEAST_WORDS, MOST_WORDS, Chunk
from rag_memory.world.lore_terms import names_in_lore, tags_in
from rag_memory.world.lore_text import chunked_steps
from rag_memory.world.markdown_sections import front_matter, sections_steps


def chunks_of(text: str) -> list[Chunk]:
    return run(chunked_steps("realm", text))


def test_each_heading_with_enough_words_is_a_chunk_below_its_headings() -> None:
    text = f"# Realm\n\n{paragraph(1, 120)}\n\n## North\n\n{paragraph(2, 150)}\n\n"
    text += f"### Forts\n\n{paragraph(3, 100)}"
    assert [(chunk.heading_path, chunk.words) for chunk in chunks_of(text)] == [
        (("Realm",), 120),
        (("Realm", "North"), 150),
        (("Realm", "North", "Forts"), 100),
    ]


def test_short_sections_are_joined_below_the_heading_they_share() -> None:
    text = (
        "# Towns\n\n## Greywater\n\nGreywater is old.\n\n## Galend\n\nGalend is new.\n\n# Kings\n\n"
        + paragraph(1, 300)
    )
    first, second = chunks_of(text)
    assert first.heading_path == ("Towns",)
    assert first.text == "Greywater\n\nGreywater is old.\n\nGalend\n\nGalend is new."
    assert second.heading_path == ("Kings",)


def test_a_short_beginning_goes_with_what_stands_below_it() -> None:
    (chunk,) = chunks_of(f"# Realm\n\nIt is small.\n\n## North\n\n{paragraph(2, 150)}")
    assert chunk.heading_path == ("Realm",)
    assert chunk.text.startswith("It is small.\n\nNorth\n\n")


def test_a_sentence_that_is_too_long_stays_whole() -> None:
    long = " ".join(f"word{number}" for number in range(400)) + "."
    chunks = chunks_of(f"# A\n\n{paragraph(1, 120)}\n\n{long}\n\n{paragraph(2, 120)}")
    assert [chunk.words for chunk in chunks] == [120, 400, 120]
    assert chunks[1].text == long


@pytest.mark.parametrize(
    "text",
    [
        "He met Mr. Brown in St. Alban. It rained.",
        'She cried "Stop!" and ran. Nobody stopped.',
        "The U.S. Army came in 1944. It left. What now?",
        "Bring salt, grain, etc. and go. Now.",
    ],
)
def test_what_looks_like_the_end_of_a_sentence_ends_none(text: str) -> None:
    padded = paragraph(1, 290) + " " + text
    pieces = [chunk.text for chunk in chunks_of(padded)]
    for whole in re.split(r"(?<=\.) (?=It|Nobody|What|Now)", text):
        assert any(whole in piece for piece in pieces), (whole, pieces)


def test_lists_tables_code_and_quotes_keep_their_lines() -> None:
    text = (
        "# A\n\nBefore.\n\n- one **bold**\n- two\n  - inner\n\n3. third\n\n> A quote\n> goes on.\n\n"
        "| Town | Lord |\n|---|---|\n| Greywater | Aldwin |\n\n```gd\nvar a = 1\n\nprint(a)\n```\n\nAfter."
    )
    (chunk,) = chunks_of(text)
    assert chunk.text == (
        "Before.\n- one bold\n- two\n- inner\n3. third\n\nA quote goes on.\n\n"
        "Town | Lord\nGreywater | Aldwin\n\n"
        "var a = 1\nprint(a)\n\nAfter."
    )


def test_marks_links_and_comments_leave_their_words() -> None:
    text = (
        "# The *old* [Realm](x.md)\n\n<!-- a secret\n\n# of the author -->"
        "Take the `sword` to [Galend](g.md), "
        "![a map](map.png) & <b>run</b>. See [the law][1] &amp; more\\*.\n\n[1]: https://example.org\n"
    )
    (chunk,) = chunks_of(text)
    assert chunk.heading_path == ("The old Realm",)
    assert chunk.text == "Take the sword to Galend, a map & run. See the law & more*."


def test_front_matter_is_not_text() -> None:
    told, rest = front_matter('---\ntitle: "The Realm: a history"\ntags:\n  - north\n  - canon\n---\n# A\n')
    assert (told.title, told.tags, rest) == ("The Realm: a history", ["north", "canon"], "# A\n")
    assert front_matter("---\nIt was a dark night\n---\nText")[1].startswith("---")
    assert front_matter("---\ntitle: open")[1] == "---\ntitle: open"


def test_headings_in_code_are_none_and_code_that_is_never_closed_ends_with_the_text() -> None:
    (chunk,) = chunks_of("```\n\n# no\n\n```\n\n# Yes\n\nText.")
    assert chunk.text == "# no\n\nYes\n\nText."
    (chunk,) = chunks_of("```\n\n# no\n\nstill code")
    assert chunk.text == "# no\nstill code"


def test_a_chunk_keeps_its_id_when_other_sections_change() -> None:
    parts = [f"# H{number}\n\n{paragraph(number, 150)}" for number in range(5)]
    before = [chunk.id for chunk in chunks_of("\n\n".join(parts))]
    parts[1] += " A new sentence stands here."
    del parts[3]
    after = [chunk.id for chunk in chunks_of("\n\n".join(["# New\n\n" + paragraph(9, 110), *parts]))]
    assert len(set(before)) == 5
    assert [before[0], before[2], before[4]] == [after[1], after[3], after[4]]
    assert before[1] not in after


def test_the_same_text_twice_makes_two_chunks() -> None:
    text = f"# A\n\n{paragraph(1, 150)}\n\n# A\n\n{paragraph(1, 150)}"
    first, second = chunks_of(text)
    assert second.id == f"{first.id}-2"


def test_tags_and_names_are_found() -> None:
    text = "Aldwin of Greywater met Brannoc's men. Then Aldwin left. #war #north-east C# and a&#39;b"
    assert tags_in(text) == ["war", "north-east"]
    assert names_in_lore(text)[:2] in (["Aldwin of Greywater", "Brannoc"], ["Aldwin", "Aldwin of Greywater"])
    assert {"Aldwin of Greywater", "Brannoc"} <= set(names_in_lore(text))


def test_a_paragraph_of_any_length_is_cut_between_sentences() -> None:
    line = " ".join(f"Sentence{number} tells of the river." for number in range(20_000))
    chunks = chunks_of(line)
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith("river.") for chunk in chunks)
    assert " ".join(chunk.text.replace("\n\n", " ") for chunk in chunks) == line


HOSTILE = {
    "one line of a million characters": "word " * 200_000,
    "one word of a million characters": "x" * 1_000_000,
    "ten thousand headings": "\n".join(f"{'#' * (1 + n % 6)} Heading {n}" for n in range(10_000)),
    "nested quotes": ">" * 10_000 + " deep",
    "nested lists": "\n".join(" " * n + "- item" for n in range(2_000)),
    "brackets": "[" * 50_000,
    "emphasis": "*a _b " * 5_000,
    "backticks": "".join("`" * n + " " for n in range(200)),
    "comments that never end": "<!-- " * 50_000,
    "definitions": "[a]: b\n" * 20_000,
    "a table of bars": "|" * 20_000 + "\n" + "|-" * 10_000 + "\n" + "|" * 20_000,
    "an open fence": "```\n" + "code\n" * 50_000,
    "marks of sentences": ".?!" * 100_000,
    "tags": "<a" * 50_000,
    "setext": "a\n" * 20_000 + "---",
    "entities": "&amp;" * 20_000,
    "controls": "".join(map(chr, range(1, 32))) * 1_000 + " word",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_cut_like_any_other(name: str) -> None:
    for chunk in chunks_of(HOSTILE[name]):
        assert chunk.text.strip()
        assert len(chunk.text) <= 20_000


# Not a fence within an item that ends before the fence does: what follows is code or text, as it is read.
_BLOCKS = (
    *("Text of a paragraph.", "Two lines\nof text.", "# Heading", "### Deep", "Under\n=====", "Lined\n---"),
    *("- item", "- item\n\n  its second part", "  - inner", "7. seventh", "> quote", "> quote\nlazy", "***"),
    *(
        "```\ncode\n\n# no heading\n```",
        "~~~~\ncode\n~~~\n~~~~",
        "    indented code",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ),
    *(
        "<div>\nhtml\n</div>",
        "``` inline ``` text",
        "`````\n```\n`````",
        "\tcode",
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_BLOCKS), max_size=14), st.sampled_from(["\n", "\n\n", "\n\n\n"]))
def test_a_text_is_read_in_pieces_as_it_is_read_in_one(blocks: list[str], gap: str) -> None:
    text = gap.join(blocks)
    whole = run(sections_steps(text))
    with pytest.MonkeyPatch.context() as small:
        small.setattr(markdown_sections, "_PIECE_CHARS", 0)
        assert run(sections_steps(text)) == whole


_sentences = st.builds(
    lambda words, number: " ".join([f"S{number}", *(f"w{number}x{place}" for place in range(words))]) + ".",
    st.integers(0, 120),
    st.integers(0, 10**6),
)
_paragraphs = st.lists(_sentences, min_size=1, max_size=8)
_sections = st.lists(st.tuples(st.integers(1, 6), st.lists(_paragraphs, max_size=5)), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(_sections, st.lists(_paragraphs, max_size=2))
def test_every_sentence_is_in_one_chunk_and_chunks_are_of_100_to_300_words_where_that_is_possible(
    sections: list[tuple[int, list[list[str]]]], before: list[list[str]]
) -> None:
    lines = [" ".join(part) for part in before]
    for number, (level, paragraphs) in enumerate(sections):
        lines.append(f"{'#' * level} Heading{number}")
        lines += [" ".join(part) for part in paragraphs]
    told = [each for part in before for each in part]
    told += [each for _, paragraphs in sections for part in paragraphs for each in part]
    chunks = chunks_of("\n\n".join(lines))
    body = "\n".join(chunk.text for chunk in chunks).split()
    assert [word for word in body if not word.startswith(("Heading", "S"))] == [
        word for each in told for word in each.split() if not word.startswith("S")
    ], "every word is there once, in its order"
    for each in told:
        assert any(each in chunk.text for chunk in chunks), "no sentence is cut"
    longest = max((len(each.split()) for each in told), default=0)
    for number, chunk in enumerate(chunks):
        assert chunk.words == len(chunk.text.split())
        assert chunk.words <= MOST_WORDS or longest > MOST_WORDS
        beside = chunks[number + 1 : number + 2]
        if chunk.words < LEAST_WORDS and beside and _share_a_parent(chunk, beside[0]):
            headings = len(chunk.heading_path) + len(beside[0].heading_path)
            assert chunk.words + beside[0].words + headings > MOST_WORDS, "short ones are joined"


def _share_a_parent(first: Chunk, second: Chunk) -> bool:
    shorter = min(len(first.heading_path), len(second.heading_path))
    return first.heading_path[: shorter - 1] == second.heading_path[: shorter - 1] if shorter else False
