"""Profiles: written once per save, from what is known, and checked."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory import Save
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.people_wording import GROUPS
from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Step, run
from rag_memory.text.file_text import FileText
from rag_memory.world.profile import KEYS, LISTS, SEED_SCALES, TEXTS
from rag_memory.world.profile_draft import draft_of, person_of

DERTHERT = {
    "name": "Aldwin",
    "faction": "Norhold",
    "clan": "dey Meroc",
    "culture": "norholdn",
    "occupation": "king",
    "location": "Greywater",
    "traits": ["proud", "careful"],
}
WRITTEN = {
    "backstory": "Aldwin fought for the crown.",
    "personality": ["proud", "honor-bound"],
    "speech_style": "formal, terse",
    "goals": ["protect Norhold"],
    "fears": ["dishonor"],
    "loyalties": ["kingdom_norhold"],
    "relationship_seed": {"trust": 15, "respect": 20, "suspicion": 5},
}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item)]


def _writer(answer: Any, asked: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Any]:
    def write(request: dict[str, Any]) -> Generator[Step, None, Any]:
        asked.append(request)
        yield Step(0, 1, "waiting for the game")
        yield Step(0, 1, "waiting for the game")
        return answer

    return write


def test_first_meeting_backstory_only_generates_once_per_save(
    opened: Callable[..., Save], save_path: Path
) -> None:
    asked: list[dict[str, Any]] = []
    told: list[tuple[str, tuple[Any, ...]]] = []
    save = opened(save_path)
    save.context.profile_writer = _writer(WRITTEN, asked)
    save.world.on_event = lambda name, arguments: told.append((name, arguments))
    first = save.world.profiles.ensure_profile("aldwin", DERTHERT)
    assert first["backstory"] == WRITTEN["backstory"]
    assert save.world.profiles.ensure_profile("aldwin", {"name": "somebody else"}) == first
    assert told == [("profile_created", ("aldwin",))]
    save.close()
    again = opened(save_path)
    again.context.profile_writer = _writer({"backstory": "Another life."}, asked)
    assert again.world.profiles.ensure_profile("aldwin") == first
    assert len(asked) == 1
    other = opened()
    other.context.profile_writer = _writer({"backstory": "Another life."}, asked)
    assert other.world.profiles.ensure_profile("aldwin")["backstory"] == "Another life."


def test_two_callers_at_once_get_one_profile(opened: Callable[..., Save]) -> None:
    asked: list[dict[str, Any]] = []
    save = opened()
    save.context.profile_writer = _writer(WRITTEN, asked)
    callers = [save.world.profiles.ensure_profile.steps("aldwin", DERTHERT) for _ in range(3)]
    results: dict[int, dict[str, Any]] = {}
    while len(results) < len(callers):
        for number, steps in enumerate(callers):
            try:
                next(steps)
            except StopIteration as end:
                results.setdefault(number, end.value)
    assert len(asked) == 1
    assert results[0] == results[1] == results[2] == save.world.profiles.get_profile("aldwin")


def test_a_caller_that_gives_up_leaves_the_writing_to_the_other(opened: Callable[..., Save]) -> None:
    asked: list[dict[str, Any]] = []
    save = opened()
    save.context.profile_writer = _writer(WRITTEN, asked)
    first = save.world.profiles.ensure_profile.steps("aldwin")
    second = save.world.profiles.ensure_profile.steps("aldwin")
    for _ in range(3):
        next(first)
    next(second)
    first.close()
    assert run(second)["backstory"] == WRITTEN["backstory"]
    assert len(asked) == 1


def test_a_call_that_was_given_up_leaves_nothing_and_a_later_one_writes(opened: Callable[..., Save]) -> None:
    save = opened()
    save.context.profile_writer = _writer(WRITTEN, [])
    steps = save.world.profiles.ensure_profile.steps("aldwin")
    for _ in range(3):
        next(steps)
    steps.close()
    assert save.world.profiles.get_profile("aldwin") == {}
    assert save.world.profiles.ensure_profile("aldwin")["backstory"] == WRITTEN["backstory"]


def test_what_the_game_tells_while_the_writer_works_stays(opened: Callable[..., Save]) -> None:
    save = opened()
    save.context.profile_writer = _writer(WRITTEN, [])
    steps = save.world.profiles.ensure_profile.steps("aldwin")
    for _ in range(3):
        next(steps)
    save.world.profiles.set_profile("aldwin", {"backstory": "He is a baker."})
    assert run(steps)["backstory"] == "He is a baker."


def test_a_writer_that_asks_for_the_profile_it_writes_is_not_waited_for_forever(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    save.context.profile_writer = lambda request: save.world.profiles.ensure_profile(request["npc_id"])
    assert "Aldwin" in save.world.profiles.ensure_profile("aldwin", DERTHERT)["backstory"]
    assert "never end" in caplog.text


@pytest.mark.parametrize(
    "answer",
    [42, "no JSON {at all", "", [], {}, {"backstory": 3}, {"unknown": "key"}, {"personality": "proud"}],
)
def test_a_useless_answer_falls_back_with_a_warning(
    answer: Any, opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    plain = opened().world.profiles.ensure_profile("aldwin", DERTHERT)
    save.context.profile_writer = lambda request: answer
    assert save.world.profiles.ensure_profile("aldwin", DERTHERT) == plain
    assert "profile of aldwin" in caplog.text


def test_a_writer_that_fails_or_does_not_want_to_falls_back(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: dict[str, Any]) -> Any:
        raise RuntimeError("the model is gone")

    save = opened()
    save.context.profile_writer = lambda request: None
    plain = save.world.profiles.ensure_profile("aldwin", DERTHERT)
    assert not caplog.records
    save.context.profile_writer = broken
    assert save.world.profiles.regenerate_profile("aldwin", DERTHERT) == plain
    assert "the model is gone" in caplog.text


def test_a_writer_that_takes_too_long_is_given_up(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    def forever(request: dict[str, Any]) -> Generator[Step, None, Any]:
        while True:
            yield Step(0, 1, "waiting for the game", is_waiting=True)

    save = opened()
    save.npc("aldwin", MemoryConfig(summarizer_timeout_seconds=0.1))
    save.context.profile_writer = forever
    assert save.world.profiles.ensure_profile("aldwin", DERTHERT)["backstory"]
    assert "it took longer than" in caplog.text


def test_an_answer_is_checked_part_by_part(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    save.context.profile_writer = lambda request: {
        "backstory": "word " * 2000,
        "personality": ["proud"] * 50,
        "goals": "power",
        "relationship_seed": {"trust": 500, "respect": 20, "suspicion": -3},
    }
    profile = save.world.profiles.ensure_profile("aldwin", DERTHERT)
    assert len(profile["backstory"]) <= TEXTS["backstory"]
    assert profile["backstory"].endswith("word...")
    assert len(profile["personality"]) == 12
    assert profile["goals"], "those of the sentences' own"
    assert profile["relationship_seed"] == {"trust": 100, "respect": 20, "suspicion": 0}
    for part in ("backstory has", "personality has", "goals is", "trust is 500"):
        assert part in caplog.text


def test_a_language_model_may_answer_in_json(opened: Callable[..., Save]) -> None:
    save = opened()
    save.context.profile_writer = lambda request: 'Sure!\n```json\n{"backstory": "A king."}\n```'
    profile = save.world.profiles.ensure_profile("aldwin", DERTHERT)
    assert profile["backstory"] == "A king."
    assert profile["goals"]


def test_the_writer_gets_what_is_known(opened: Callable[..., Save]) -> None:
    asked: list[dict[str, Any]] = []
    save = opened()
    save.world.characters.register_character("aldwin", DERTHERT)
    save.context.profile_writer = _writer(WRITTEN, asked)
    save.world.profiles.ensure_profile("aldwin", {"relation_to_player": 12, "gold": 4000})
    (request,) = asked
    assert request["npc_id"] == "aldwin"
    assert request["character"]["clan"] == "dey Meroc"
    assert request["stats"] == {"relation_to_player": 12, "gold": 4000}
    assert set(request["draft"]) == set(KEYS)


def test_the_seed_is_how_she_stands_to_the_player_until_something_is_told(
    opened: Callable[..., Save], clock: Any
) -> None:
    def numbers() -> dict[str, Any]:
        header = npc.relationship.generate_relationship_header()["metadata"]["relationship"]
        return {name: header[name] for name in ("trust", "respect", "affection", "met")}

    save = opened()
    npc = save.npc("aldwin")
    before = numbers()
    clock.now += 10
    save.context.profile_writer = lambda request: WRITTEN
    save.world.profiles.ensure_profile("aldwin")
    assert numbers() == {**before, "trust": 10, "respect": 20}, "trust less suspicion"
    npc.relationship.set_initial_relationship({"trust": 40})
    assert numbers() == {**before, "trust": 40, "respect": 20}, "the designer comes first"
    npc.relationship.set_initial_relationship({"trust": 30, "affection": 30, "yields_to_profile": True})
    assert numbers() == {**before, "trust": 10, "respect": 20, "affection": 30}
    save.marks.rollback_to(clock.now - 5)
    assert numbers() == {**before, "trust": 30, "affection": 30}, "there is no profile any more"
    save.world.profiles.ensure_profile("aldwin")
    npc.relationship.store_relationship("player", {"affection": 5})
    assert npc.relationship.get_relationship("player")["trust"] == 10, "what is stored begins with it"


def test_set_profile_merges_and_keeps_versions(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    world = save.world
    first = world.profiles.ensure_profile("aldwin", DERTHERT)
    clock.now += 86400
    moment = clock.now
    clock.now += 10
    world.profiles.set_profile(
        "aldwin", {"goals": ["peace"], "relationship_seed": {"trust": -5}, "secret_name": "D"}
    )
    changed = world.profiles.get_profile("aldwin")
    assert changed["goals"] == ["peace"]
    assert changed["relationship_seed"] == {**first["relationship_seed"], "trust": -5}
    assert changed["secret_name"] == "D"
    assert changed["created_day"] == first["created_day"] < changed["updated_day"]
    assert changed["backstory"] == first["backstory"]
    save.marks.rollback_to(moment)
    assert world.profiles.get_profile("aldwin") == first


@pytest.mark.parametrize(
    "changes",
    [
        3,
        {"backstory": 3},
        {"goals": "peace"},
        {"goals": [3]},
        {"relationship_seed": [1]},
        {"relationship_seed": {"trust": "much"}},
    ],
)
def test_set_profile_refuses_wrong_types(changes: Any, opened: Callable[..., Save]) -> None:
    world = opened().world
    with pytest.raises(InvalidArgumentError, match="set_profile"):
        world.profiles.set_profile("aldwin", changes)
    assert world.profiles.get_profile("aldwin") == {}


def test_a_profile_of_the_game_is_kept(opened: Callable[..., Save]) -> None:
    save = opened()
    save.context.profile_writer = lambda request: pytest.fail("there is one")
    save.world.profiles.set_profile("mira", {"backstory": "She keeps the inn."})
    profile = save.world.profiles.ensure_profile("mira")
    assert profile["backstory"] == "She keeps the inn."
    assert all(profile[name] == [] for name in LISTS)
    assert (
        save.npc("mira").relationship.generate_relationship_header()["metadata"]["relationship"]["trust"]
        == 50
    )


NAMES = st.sampled_from(["Zorvak", "Quellmar", "Ibbenhold", "Yrsa Vantz", "Thulgrim", ""])
STATS = st.fixed_dictionaries(
    dict.fromkeys(("name", "faction", "clan", "culture", "occupation", "location"), NAMES)
    | {
        "traits": st.lists(st.sampled_from(["proud", "sly", "kind", "Wolfish"]), max_size=4),
        "relation_to_player": st.floats(-200, 200),
    }
)
_WORDS = re.compile(r"[^\W\d_]+")


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=20).filter(str.strip), STATS)
def test_every_name_in_a_profile_was_given(npc_id: str, stats: dict[str, Any]) -> None:
    draft = draft_of(Wording(), person_of(npc_id, stats))
    sentences = " ".join(text for group in GROUPS.values() for text in group.values())
    told = " ".join([npc_id, *_texts(stats)])
    allowed = set(_WORDS.findall(sentences)) | set(_WORDS.findall(told))
    said = " ".join(_texts(draft))
    unknown = {word for word in _WORDS.findall(said) if word[0].isupper()} - allowed
    assert not unknown
    assert "{" not in said.replace(npc_id, "")
    assert set(draft) == set(KEYS)
    for name, (least, most, _usual) in SEED_SCALES.items():
        assert least <= draft["relationship_seed"][name] <= most
    assert draft["backstory"] and draft["personality"] and draft["goals"] and draft["fears"]
    assert draft == draft_of(Wording(), person_of(npc_id, stats)), "always the same"


def test_profiles_differ_from_npc_to_npc_and_follow_the_traits() -> None:
    def draft(npc_id: str, **stats: Any) -> dict[str, Any]:
        return draft_of(Wording(), person_of(npc_id, {**DERTHERT, **stats}))

    assert len({draft(str(number))["backstory"] for number in range(20)}) > 10
    assert draft("a", traits=["sly"])["speech_style"] != draft("a", traits=["kind"])["speech_style"]
    kind, sly = (draft("a", traits=[each])["relationship_seed"] for each in ("kind", "sly"))
    assert kind["trust"] - kind["suspicion"] > sly["trust"] - sly["suspicion"]
    assert draft("a")["loyalties"] == ["Norhold", "dey Meroc"]


def test_a_profile_speaks_the_language_of_the_game(opened: Callable[..., Save]) -> None:
    save = opened()
    german = {
        "profile_traits_1": "Man sagt über {name}: {traits}.",
        "profile_traits_2": "Man sagt über {name}: {traits}.",
        "words_proud": "stolz",
        "speech_proud": "förmlich und mit Abstand",
    }
    save.npc("anna", MemoryConfig(wording=german))
    profile = save.world.profiles.ensure_profile("anna", {"name": "Anna", "traits": ["stolz"]})
    assert profile["backstory"] == "Man sagt über Anna: stolz."
    assert profile["speech_style"] == "förmlich und mit Abstand"


def test_people_who_are_registered_do_not_keep_a_profile_from_being_written(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    save.register_names(["Rowan"], check_people=True)
    caplog.set_level(logging.WARNING)
    assert "Aldwin" in save.world.profiles.ensure_profile("aldwin", DERTHERT)["backstory"]
    assert not caplog.records


def test_a_profile_is_grounded_in_lore_and_in_what_she_can_know(opened: Callable[..., Save]) -> None:
    asked: list[dict[str, Any]] = []
    save = opened()
    world = save.world
    world.lore.import_lore(
        FileText("# Lands\n\nCarrowans live in woods. Norholder nobles value oaths.\n"), {"key": "base"}
    )
    known = world.events.record_event(
        {"summary": "Raiders burned farms near Greywater.", "location": "Greywater"}
    )
    secret = world.events.record_event(
        {"summary": "A spy in Greywater poisoned the well.", "visibility": "private", "actor": "spy"}
    )
    draft = world.profiles.ensure_profile("aldwin", DERTHERT)
    assert "Norholder nobles value oaths" in draft["backstory"]
    assert "Carrowans" not in draft["backstory"], "nothing of her own"
    assert "Raiders burned farms near Greywater." in draft["backstory"]
    assert "spy" not in str(draft)
    save.context.profile_writer = _writer(WRITTEN, asked)
    world.profiles.regenerate_profile("aldwin", DERTHERT)
    ids = [each["id"] for each in asked[0]["events"]]
    assert known in ids
    assert secret not in ids
    assert [each["source"] for each in asked[0]["lore"]] == ["base"]
