"""Save.summarizer: somebody else writes the summaries, and when that fails nothing is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.step import Step


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    return opened()


@pytest.fixture
def talkative(save: Save, clock: Any) -> Npc:
    npc = save.npc("elena")
    for number in range(60):
        clock.now += 60
        data = {"event_type": "conversation", "topics": ["bread"], "participants": ["Rowan"]}
        npc.memories.store(f"Rowan asked for {number} loaves of bread.", 3, data)
    return npc


def test_the_summarizer_writes_the_text_and_the_facts_stay(save: Save, talkative: Npc) -> None:
    requests: list[dict[str, Any]] = []

    def summarise(request: dict[str, Any]) -> str:
        requests.append(request)
        return f"Rowan bought bread {len(request['sources'])} times."

    save.summarizer = summarise
    done = talkative.archive.consolidate()
    assert done["summary_ids"]
    for id, request in zip(done["summary_ids"], requests, strict=True):
        summary = talkative.memories.get_memory(id)
        assert summary["document_full"] == f"Rowan bought bread {len(request['sources'])} times."
        metadata = summary["metadata"]
        assert metadata["is_extractive"] is False
        assert metadata["source_ids"] == [source["id"] for source in request["sources"]]
        assert metadata["people"] == ["Rowan"] and metadata["topics"] == ["bread"]
        assert request["source_ids"] == metadata["source_ids"]
        assert request["numbers"] == metadata["numbers"]
        assert request["dates"] == metadata["dates"]
        assert request["npc_id"] == "elena"
        assert request["sources"][0]["document_full"] in request["extract"]
        assert len(request["extract"]) <= request["max_chars"]


def test_a_generator_is_asked_until_it_has_the_text(save: Save, talkative: Npc) -> None:
    def summarise(request: dict[str, Any]) -> Generator[Step, None, str]:
        for _ in range(3):
            yield Step(0, 1, "thinking", is_waiting=True)
        return "A lot of bread."

    save.summarizer = summarise
    waits = [step.is_waiting for step in talkative.archive.consolidate.steps()]
    texts = [memory["document_full"] for memory in talkative.recall.get_recent(99)]
    assert texts.count("A lot of bread.") * 3 == waits.count(True) > 0


def fails(request: dict[str, Any]) -> str:
    raise ConnectionError("the model is away")


def waits_for_ever(request: dict[str, Any]) -> Generator[Step, None, str]:
    while True:
        yield Step(0, 1, "thinking", is_waiting=True)


@pytest.mark.parametrize(
    ("summarise", "reason"),
    [
        (fails, "the model is away"),
        (waits_for_ever, "summarizer_timeout_seconds"),
        (lambda request: "", "an empty text"),
        (lambda request: " \n", "an empty text"),
        (lambda request: 42, "42"),
    ],
)
def test_without_a_text_the_summary_is_the_extract_and_the_log_says_why(
    summarise: Any, reason: str, save: Save, talkative: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    talkative.config = MemoryConfig(summarizer_timeout_seconds=0.1)
    extracts: list[str] = []

    def noting(request: dict[str, Any]) -> Any:
        extracts.append(request["extract"])
        return summarise(request)

    save.summarizer = noting
    with caplog.at_level(logging.WARNING):
        done = talkative.archive.consolidate()
    texts = [talkative.memories.get_memory(id)["document_full"] for id in done["summary_ids"]]
    assert texts == extracts
    assert talkative.memories.get_memory(done["summary_ids"][0])["metadata"]["is_extractive"] is True
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == len(texts)
    assert reason in warnings[0] and "elena" in warnings[0]


def test_a_summarizer_that_declines_is_not_warned_of(
    save: Save, talkative: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    save.summarizer = lambda request: None
    assert talkative.archive.consolidate()["summary_ids"]
    assert not caplog.records


def test_a_memory_that_changed_while_the_summarizer_wrote_is_left_alone(save: Save, talkative: Npc) -> None:
    changed: list[str] = []

    def summarise(request: dict[str, Any]) -> str:
        if not changed:
            changed.extend(request["source_ids"][:1])
            talkative.memories.update_memory(changed[0], {"text": "Rowan asked for cake."})
        return "Bread again."

    save.summarizer = summarise
    done = talkative.archive.consolidate()
    assert talkative.memories.get_memory(changed[0])["document_full"] == "Rowan asked for cake."
    sources = [
        id
        for each in done["summary_ids"]
        for id in talkative.memories.get_memory(each)["metadata"]["source_ids"]
    ]
    assert sources and changed[0] not in sources


def test_waiting_in_the_background_lets_other_npcs_go_on(save: Save, clock: Any) -> None:
    config = MemoryConfig(auto_consolidate=True)
    answers: list[str] = []

    def summarise(request: dict[str, Any]) -> Generator[Step, None, str]:
        while not answers and request["npc_id"] == "elena":
            yield Step(0, 1, "thinking", is_waiting=True)
        return "Much was said."

    save.summarizer = summarise
    for name in ("elena", "bjorn"):
        npc = save.npc(name, config)
        for number in range(51):
            clock.now += 60
            npc.memories.store(f"Somebody asked for {number} loaves.", 3, {"event_type": "conversation"})
    while not (step := save.idle_step()) or not step.is_waiting:
        pass
    assert save.npc("bjorn").memories.get_memory_count() <= 20
    assert save.npc("elena").memories.get_memory_count() == 51
    answers.append("now")
    while save.idle_step():
        pass
    assert save.npc("elena").memories.get_memory_count() <= 20


def test_closing_a_save_ends_the_waiting(opened: Callable[..., Save], save_path: Any, clock: Any) -> None:
    save = opened(save_path)
    save.summarizer = waits_for_ever
    npc = save.npc("elena", MemoryConfig(auto_consolidate=True))
    for number in range(51):
        npc.memories.store(f"Somebody asked for {number} loaves.", 3, {"event_type": "conversation"})
    assert save.idle_step()
    save.close()
    assert opened(save_path).npc("elena").memories.get_memory_count() == 51
