"""Conclusions without a language model: nothing is concluded that its evidence does not say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.wording import Wording
from rag_memory.mind.reflection import BAD, GOOD, Insight, Seen, answered, debts_from, insights_from

ENGLISH = Wording()
TYPES = ("helped", "gift_received", "attacked", "conversation", "insulted", "repaid", "trade")


@st.composite
def evidence(draw: st.DrawFn) -> list[Seen]:
    count = draw(st.integers(0, 14))
    times = sorted(draw(st.lists(st.floats(0, 1e6), min_size=count, max_size=count)))
    return [
        Seen(
            f"m{number}",
            draw(st.sampled_from(["", "rowan", "kael", "aria"])),
            "Somebody",
            draw(st.sampled_from([-30.0, -15.0, -1.0, 0.0, 1.0, 10.0, 20.0])),
            draw(st.sampled_from(TYPES)),
            draw(st.sampled_from(["", "mill", "Mill", "inn"])),
            times[number],
            draw(st.integers(1, 3)),
        )
        for number in range(count)
    ]


@given(evidence())
def test_every_insight_follows_from_its_evidence(seen: list[Seen]) -> None:
    by_id = {each.id: each for each in seen}
    for insight in insights_from(ENGLISH, seen):
        group = [by_id[id] for id in insight.evidence]
        kind, _, about = insight.subject.partition(":")
        assert len(set(insight.evidence)) >= 2
        if kind == "place":
            assert {each.location.casefold() for each in group} == {about}
            assert all((each.sentiment > 0) == (insight.stance == GOOD) for each in group)
        else:
            assert {each.who for each in group} == {about}
            _check_person(insight, group, seen)


def _check_person(insight: Insight, group: list[Seen], seen: list[Seen]) -> None:
    of_stance = [each for each in group if each.sentiment * insight.stance > 0]
    against = [each for each in group if each.sentiment * insight.stance < 0]
    assert len(of_stance) >= 2
    if "used to" in insight.text:
        assert len(against) >= 2
        assert max(each.timestamp for each in against) < min(each.timestamp for each in of_stance)
        return
    assert not against
    about = group[0].who
    assert not [each for each in seen if each.who == about and each.sentiment * insight.stance < 0]
    count = sum(each.times for each in group)
    words = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}
    assert words.get(count, "many times") in insight.text
    span = group[-1].timestamp - group[0].timestamp
    assert ("in one day" in insight.text) == (span <= 86400)
    assert ("within a week" in insight.text) == (86400 < span <= 7 * 86400)
    if "helped me" in insight.text:
        assert {each.event_type for each in group} == {"helped"}
    if "attacked me" in insight.text:
        assert {each.event_type for each in group} == {"attacked"}


@given(evidence())
def test_a_debt_follows_from_help_that_was_not_returned(seen: list[Seen]) -> None:
    by_id = {each.id: each for each in seen}
    for debt in debts_from(ENGLISH, seen):
        group = [by_id[id] for id in debt.evidence]
        if debt.stance == BAD:
            assert {each.event_type for each in group} == {"repaid"}
            continue
        assert len(group) >= 2
        assert {each.event_type for each in group} == {"helped"}
        returned = [
            each.timestamp for each in seen if each.who == group[0].who and each.event_type == "repaid"
        ]
        assert all(moment <= min(each.timestamp for each in group) for moment in returned)


@given(evidence())
def test_of_one_subject_there_is_one_insight(seen: list[Seen]) -> None:
    subjects = [each.subject for each in insights_from(ENGLISH, seen)]
    assert len(subjects) == len(set(subjects))


def _seen(*ids: str) -> list[Seen]:
    return [Seen(id, "rowan", "Rowan", 1.0, "helped", "", 1.0, 1) for id in ids]


def test_what_a_reflector_answers_is_read() -> None:
    told = {"text": "Rowan is kind.", "evidence": ["a", "b"], "about": ["rowan"], "stance": 1}
    (plain, whole) = answered(["All is well.", told, "one too many"], _seen("a", "b", "c"), 2, MemoryConfig())
    assert plain.text == "All is well."
    assert plain.evidence == ("a", "b", "c")
    assert whole == Insight("Rowan is kind.", "person:rowan", GOOD, ("rowan",), ("a", "b"), is_told=True)


@pytest.mark.parametrize(
    "answer",
    [
        "a text",
        [3],
        [{"text": ""}],
        [{"text": "x", "evidence": ["z", "a"]}],
        [{"text": "x", "evidence": ["a"]}],
        [{"text": "x", "about": "rowan"}],
        [{"text": "x", "stance": 7}],
    ],
)
def test_what_is_no_answer_is_an_error_that_says_why(answer: object) -> None:
    with pytest.raises(ValueError, match=r"it returned|an insight|the evidence|`about`|the stance"):
        answered(answer, _seen("a", "b"), 2, MemoryConfig())
