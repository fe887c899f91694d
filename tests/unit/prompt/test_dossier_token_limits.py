"""Retrieval dossier token limits: whatever is told and however small the budgets are, none is exceeded, no
sentence is cut, and nothing is said twice.
"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rag_memory.config.dossier_config import SECTIONS, DossierPreset, NPCDossierConfig
from rag_memory.prompt.dossier import dossier_of
from rag_memory.prompt.item import Item, ShownTexts
from rag_memory.prompt.section import Section
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.short_form import sentences_of
from rag_memory.text.token_width import token_width

_EXAMPLES = settings(max_examples=150, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Shrinking a world of so many texts takes minutes."""
_WORDS = ("raiders", "burned", "farms", "near", "the", "old", "mill", "Aldric", "swore", "12", "ötürk", "狼")
_sentence = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=25).map(
    lambda said: f"{' '.join(said).capitalize()}."
)
_told = st.lists(_sentence, min_size=1, max_size=8).map(" ".join)
_text = st.one_of(_told, st.text(min_size=1, max_size=400))
_budget = st.one_of(st.integers(0, 50), st.integers(0, 600))


@st.composite
def _configs(draw: st.DrawFn) -> NPCDossierConfig:
    budgets = {name: draw(_budget) for name in SECTIONS}
    order = draw(st.permutations(SECTIONS).map(lambda names: names[:7]))
    return NPCDossierConfig(
        preset=draw(st.sampled_from(DossierPreset)),
        total_tokens=draw(st.one_of(st.integers(0, 50), st.integers(0, 4000))),
        flow_order=order,
        section_tokens=budgets,
    ).validated()


@st.composite
def _sections(draw: st.DrawFn, text: st.SearchStrategy[str] = _text) -> list[Section]:
    numbers = itertools.count()
    sections = []
    for name in SECTIONS:
        texts = draw(st.lists(text, max_size=7))
        about = frozenset({"raider", "oath"} if name == "lore" else ())
        items = [Item(f"{name}_{next(numbers)}", text, score=0.4, about=about) for text in texts]
        least, enough = draw(st.integers(0, 3)), draw(st.sampled_from((0.0, 0.5)))
        sections.append(Section(name, name.upper(), items, draw(st.integers(0, 6)), least, enough))
    return sections


@_EXAMPLES
@given(_configs(), _sections())
def test_no_budget_is_ever_exceeded(config: NPCDossierConfig, sections: list[Section]) -> None:
    dossier = dossier_of(config, sections, {})
    assert dossier["tokens"] == estimate_tokens(dossier["text"]) <= config.total_tokens
    for name, told in dossier["sections"].items():
        assert told["tokens"] == estimate_tokens(told["text"]) <= told["budget"]
        assert told["budget"] == config.budget(name)
        assert told["text"] in dossier["text"]


@_EXAMPLES
@given(_configs(), _sections(_told))
def test_no_sentence_is_cut_and_nothing_is_said_twice(
    config: NPCDossierConfig, sections: list[Section]
) -> None:
    dossier = dossier_of(config, sections, {})
    shown: list[Any] = []
    for section in sections:
        for item in section.taken if section.name != "turns" else ():
            whole = item.text
            assert item.shown and all(each in sentences_of(whole) for each in _spoken(item.shown))
            shown += {dedup_key(whole), dedup_key(item.shown)}
    assert len(shown) == len(set(shown))
    assert list(dossier["sections"]) == list(SECTIONS)


def _spoken(shown: str) -> list[str]:
    """Its sentences, without the marks of what is left out between them."""
    return sentences_of(shown.replace("… ", ""))


@_EXAMPLES
@given(_configs(), _sections())
def test_what_is_in_it_is_a_source_and_all_else_is_left_out(
    config: NPCDossierConfig, sections: list[Section]
) -> None:
    dossier = dossier_of(config, sections, {})
    left_out = {(each["section"], each["id"]) for each in dossier["left_out"]}
    for section in sections:
        sources = dossier["sources"].get(section.name, [])
        assert len(sources) <= section.most
        for item in section.items:
            assert (item.id in sources) != ((section.name, item.id) in left_out)
            if item.id in sources:
                assert item.line in dossier["sections"][section.name]["text"]


def test_what_one_section_leaves_goes_to_those_that_need_it_in_the_configured_order() -> None:
    def sections() -> list[Section]:
        long = [f"The old king of the hill swore an oath on day {day} of the war." for day in range(40)]
        return [
            Section(
                name, "TITLE", [Item(f"{name}{day}", f"{name}: {each}") for day, each in enumerate(long)], 40
            )
            for name in ("memories", "lore")
        ]

    budgets = dict.fromkeys(SECTIONS, 0) | {"memories": 400, "lore": 400}
    # Half of the total is the share of the turns, of which there are none.
    config = NPCDossierConfig(
        total_tokens=800, section_tokens={**budgets, "turns": 800}, flow_order=["lore", "memories"]
    )
    nothing = Section("turns", "TURNS", [], 0)
    dossier = dossier_of(config.validated(), [nothing, *sections()], {})
    assert 350 < dossier["sections"]["lore"]["tokens"] <= 400
    assert 350 < dossier["sections"]["memories"]["tokens"] <= 400
    first = dossier_of(
        NPCDossierConfig(
            total_tokens=600, section_tokens={**budgets, "turns": 400}, flow_order=["lore"]
        ).validated(),
        [nothing, *sections()],
        {},
    )
    assert first["sections"]["lore"]["tokens"] > 350
    assert first["sections"]["memories"]["tokens"] <= 200


def test_a_longer_item_that_fits_beside_a_short_one_stays_when_the_total_is_shared() -> None:
    texts = ("I signed the report.", "Konrad Vell told me that he would speak with the police about it.")
    items = [Item(str(place), text) for place, text in enumerate(texts)]
    section = Section("memories", "MEMORIES", items, 8)
    others = Section("lore", "LORE", [Item("lore", "Oaths are kept.")], 5)
    config = NPCDossierConfig(total_tokens=600).validated()
    assert dossier_of(config, [section, others], {})["sources"]["memories"] == ["0", "1"]


def test_a_sentence_about_the_one_before_it_never_stands_alone() -> None:
    text = (
        "The telephone cabin is to the right of the door. In the middle stands the clock from Prague. "
        "It has been four minutes fast since the year 1911. Every key has a tag of brass that is heavy.\n\n"
        "Snow\n\nThe pass is closed in winter by snow that lies for weeks."
    )
    item = Item("lobby", text, about=frozenset({"1911"}))
    assert item.shorten(token_width("x" * 110))
    assert item.line == (
        "- In the middle stands the clock from Prague. It has been four minutes fast since the year 1911."
    )
    assert item.shorten(token_width("x" * 170))
    assert item.line == (
        "- The telephone cabin is to the right of the door. In the middle stands the clock from Prague. "
        "It has been four minutes fast since the year 1911."
    )
    item = Item("lobby", text, about=frozenset({"telephone", "brass"}))
    assert item.shorten(token_width("x" * 115))
    assert item.line == (
        "- The telephone cabin is to the right of the door. … Every key has a tag of brass that is heavy."
    )


def test_a_memory_is_whole_or_short_and_the_best_are_whole() -> None:
    def memory(number: int) -> Item:
        text = f'The player said: "Line {number}. It was a long day." I answered: "I know. It was {number}."'
        short = f'The player said: "Line {number}..." I answered: "I know..."'
        return Item(str(number), text, score=1.0, short=short)

    whole, short = memory(1).full_width, memory(1).least_width
    for budget in range(200):
        items = [memory(number) for number in range(1, 5)]
        section = Section("memories", "MEMORIES", items, 8)
        section.fill(budget, ShownTexts())
        assert section.tokens <= budget
        widths = [token_width(item.line) for item in section.taken]
        assert set(widths) <= {whole, short}
        assert widths == sorted(widths, reverse=True), "short forms come after whole memories"
        assert widths.count(short) <= 2
    assert widths == [whole] * 4


def test_a_quote_is_not_cut_in_a_dossier() -> None:
    text = 'The player said: "The mill is on fire. Come quickly." I answered: "I come. Wait at the well."'
    item = Item("news", text)
    for length in range(120):
        item.shorten(token_width("x" * length))
        assert item.shown in ("", text[:53].replace('"', "'"), text.replace('"', "'"))


def test_a_heading_never_stands_without_what_follows_it() -> None:
    text = (
        "It is cold on the pass in the winter months.\n\nSnow\n\nThe pass is closed for weeks by deep drifts."
    )
    item = Item("snow", text, about=frozenset({"cold", "snow"}))
    assert (
        item.shorten(token_width("x" * 60)) and item.line == "- It is cold on the pass in the winter months."
    )
