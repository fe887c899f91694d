"""Sentences of memories in other words: nothing that reads a memory depends on English ones."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.config.sentences import ENGLISH
from rag_memory.prompt.spoken_memory import FACT, QUOTE, SpokenMemory
from rag_memory_build import wording

GERMAN = {
    "player_told_me": "Der Spieler sagte zu mir: „{message}“",
    "player_did": "Der Spieler {action}",
    "quest_started": "Der Spieler nahm den Auftrag „{quest}“ an.",
    "i_saw": "Ich habe das gesehen: {event}",
    "first_person": "Ich Wir",
    "learned_name": "Der Spieler nannte mir seinen Namen: {name}.",
    "day_number": "Tag {day}",
}
DAY = 86400.0


@pytest.fixture
def german(npc: Npc) -> Npc:
    npc.config = MemoryConfig(wording=GERMAN)
    return npc


def text_of(npc: Npc, id: str) -> str:
    return str(npc.memories.get_memory(id)["document_full"])


def test_the_translators_have_the_table_of_the_core() -> None:
    """After a change of it: `python3 build.py python -m rag_memory_build.wording`."""
    assert wording.TEMPLATE.read_text(encoding="utf-8") == wording.template()


def test_every_sentence_has_its_entry_in_the_template() -> None:
    keys = [line.partition('"')[2][:-1] for line in wording.template().splitlines() if "msgid" in line]
    assert keys == ["", *(f"rag_memory/{key}" for key in ENGLISH)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("gab mir eine Rose", "Der Spieler gab mir eine Rose"),
        ("the player lied", "Der Spieler lied"),
        ("gestern log der Spieler", "gestern log der Spieler"),
        ("Der Spieler log", "Der Spieler log"),
    ],
)
def test_an_action_gets_its_subject_once(german: Npc, given: str, told: str) -> None:
    assert text_of(german, german.memories.store_player_action("lie", given)) == told


def test_the_first_person_is_known_by_the_words_of_the_language(german: Npc) -> None:
    assert text_of(german, german.memories.store_witnessed_event("Ich sah Wölfe.")) == "Ich sah Wölfe."
    assert text_of(german, german.memories.store_witnessed_event("Ichor floss.")).startswith(
        "Ich habe das gesehen"
    )


@pytest.mark.parametrize(
    ("first_person", "text"),
    [("私 俺", "私は狼を見た。"), ("我 我们", "我看见了狼。"), ("내가 나는", "내가 늑대를 봤다.")],
)
def test_the_first_person_is_known_where_no_space_follows_it(npc: Npc, first_person: str, text: str) -> None:
    npc.config = MemoryConfig(wording={"first_person": first_person})
    assert text_of(npc, npc.memories.store_witnessed_event(text)) == text
    voice = SpokenMemory(npc.config, "", [], {}).passage(_about_the_player(text), lambda passage: 1.0)
    assert voice is not None
    assert voice.voice == FACT


@pytest.mark.parametrize(
    ("name", "text"),
    [("花子", "昨日花子は歌った。"), ("小明", "昨天小明唱歌了。"), ("민수", "어제 민수가 노래했다.")],
)
def test_what_names_the_player_is_quoted_with_particles_on_the_name(npc: Npc, name: str, text: str) -> None:
    memory = _about_the_player(text, participants=[])
    voice = SpokenMemory(npc.config, name, [name], {}).passage(memory, lambda passage: 1.0)
    assert voice is not None
    assert voice.voice == QUOTE


def _about_the_player(text: str, participants: Sequence[str] = ("player",)) -> dict[str, Any]:
    metadata = {
        "event_type": "",
        "speaker": "",
        "source_id": "",
        "participants": participants,
        "timestamp": 0.0,
    }
    return {"document_full": text, "metadata": metadata}


def test_a_short_form_names_the_speaker_of_another_language(german: Npc) -> None:
    opening = "es war einmal, und alle wussten davon, doch keiner sprach je wieder darüber."
    telling = "Mein Name ist Signe, und ich habe 17 Schafe bei Halvar."
    short = german.memories.get_memory(german.memories.store_conversation("player", f"{opening} {telling}"))[
        "document_short"
    ]
    assert short == f"Der Spieler sagte zu mir: „... {telling}“"


def test_words_of_a_sentence_are_no_people(opened: Callable[..., Save]) -> None:
    save = opened()
    save.register_names(["Theron"], check_people=True)
    german = save.npc("mira", MemoryConfig(wording=GERMAN))
    german.memories.store_player_action("quest", "nahm gestern den auftrag an")
    assert text_of(german, german.memories.store_quest_memory("ring", "started")).endswith("„ring“ an.")


def test_a_summary_does_not_take_the_subject_for_a_person(german: Npc, clock: GameClock) -> None:
    for number in range(4):
        german.memories.store_player_action("talk", f"fragte nach brot, {number} mal", 3)
        clock.now += 60
    german.config = MemoryConfig(
        wording=GERMAN, max_memories_before_consolidate=3, consolidate_target=1, lasting_kinds=[]
    )
    clock.now += 30 * DAY
    (summary,) = german.archive.consolidate()["summary_ids"]
    assert german.memories.get_memory(summary)["metadata"]["people"] == ["player"]


def test_only_the_name_itself_is_the_player_s(german: Npc) -> None:
    said = "Der Spieler nannte mir seinen Namen: Theron."
    german.memories.store(said, 5, {"slot_type": "player_name", "entities": ["Theron"]})
    assert german.recall.explain("Was weiß Theron über Namen und den Spieler?")["names"] == ["theron"]


def test_what_is_wrong_with_a_sentence_is_said_once(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    wrong = {"player_tld_me": "x", "i_saw": "Ich sah {evnt}", "i_am_alive": " ", "zzz": "y"}
    with caplog.at_level(logging.ERROR):
        for _npc in range(3):
            npc.config = MemoryConfig(wording=wrong).validated()
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 4
    assert 'Did you mean "player_told_me"?' in messages[0]
    assert "its placeholders have to be: {event}. The English sentence is used." in messages[1]
    assert '"i_am_alive" is " "' in messages[2]
    assert "addons/rag_memory/wording.pot" in messages[3]
    assert npc.config.wording == {}
    assert text_of(npc, npc.relationship.store_npc_state(True)) == "I am alive."


def test_a_value_is_no_template(npc: Npc) -> None:
    assert text_of(npc, npc.memories.store_conversation("Bo", "{speaker}{x}")) == 'Bo told me: "{speaker}{x}"'
