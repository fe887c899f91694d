"""A memory that is too long is refused by every call that stores one, and nothing is cut or lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.errors import InvalidArgumentError

LIMITS = MemoryConfig(max_text_chars=1000, max_metadata_chars=1000)
LONG = "The player told me a story. " * 40
MUCH = {"notes": ["a note of the quest"] * 60}


@pytest.fixture
def limited(npc: Npc) -> Npc:
    npc.config = LIMITS
    return npc


def table(text: str, metadata: dict[str, Any]) -> str:
    cell = json.dumps(metadata).replace('"', '""')
    return f'text,metadata\nThe mill stands.,\n"{text}","{cell}"\n'


def exported(text: str, metadata: dict[str, Any]) -> str:
    memories = [{"text": "The mill stands."}, {"text": text, **metadata}]
    return json.dumps({"format": "rag_memory", "version": 1, "npc_id": "x", "memories": memories})


STORING: dict[str, Callable[[Npc, str, dict[str, Any]], Any]] = {
    "store": lambda npc, text, data: npc.memories.store(text, 5, data),
    "store_with_conflict_check": lambda npc, text, data: npc.memories.store(text, 5, data),
    "store_conversation": lambda npc, text, data: npc.memories.store_conversation("player", text, data),
    "store_batch": lambda npc, text, data: npc.memories.store_batch(
        [{"text": "It rained."}, {"text": text, **data}]
    ),
    "player_info": lambda npc, text, data: npc.memories.store(
        text, 5, {"event_type": "player_info", "info_type": "origin", **data}
    ),
    "store_relationship": lambda npc, text, data: npc.relationship.store_relationship(
        "Anna", {"why": text, **data}
    ),
    "store_npc_state": lambda npc, text, data: npc.relationship.store_npc_state(
        False, {"cause": text, **data}
    ),
    "update_memory": lambda npc, text, data: npc.memories.update_memory(
        npc.recall.get_recent(1)[0]["id"], {"text": text, **data}
    ),
    "import_json": lambda npc, text, data: npc.tools.import_json(exported(text, data)),
    "import_csv": lambda npc, text, data: npc.tools.import_csv(table(text, data)),
}


@pytest.mark.parametrize("call", STORING)
@pytest.mark.parametrize("is_text", [True, False])
def test_what_is_too_long_is_refused(limited: Npc, call: str, is_text: bool) -> None:
    limited.memories.store("Gregor mended the roof.", 5)
    before = limited.tools.export_json()
    with pytest.raises(InvalidArgumentError) as refused:
        STORING[call](limited, LONG if is_text else "Short.", {} if is_text else MUCH)
    limit = "max_metadata_chars" if call == "store_relationship" or not is_text else "max_text_chars"
    assert f"MemoryConfig.{limit} allows {getattr(LIMITS, limit)}" in str(refused.value)
    if call.startswith(("import", "store_batch")):
        assert "memory 1: " in str(refused.value)
    assert limited.tools.export_json() == before


@pytest.mark.parametrize("call", STORING)
def test_what_is_just_not_too_long_is_stored(limited: Npc, call: str) -> None:
    limited.memories.store("Gregor mended the roof.", 5)
    STORING[call](limited, "The player told me: " + "x" * 700, {"notes": ["x" * 40]})
    (newest,) = (
        each for each in limited.recall.retrieve_relevant_raw("", {"limit": 9}) if "x" * 100 in str(each)
    )
    assert newest["metadata"]["event_type"]


def test_what_is_no_word_is_compared_with_none(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    word = "gift_given_" * 500_000
    assert npc.config.validate_interaction_type(word) == "casual_conversation"
    npc.relationship.set_relationship_state({word: 1})
    with pytest.raises(InvalidArgumentError, match="the metadata has"):
        npc.memories.store("It rained.", 5, {word: 1})
    assert all(len(record.getMessage()) < 500 for record in caplog.records)


def test_names_nobody_knows_are_told_in_a_few_words(opened: Callable[..., Save]) -> None:
    save = opened()
    save.register_names(["Gregor"], check_people=True)
    strangers = [f"Stranger{'x' * number}" for number in range(3000)]
    with pytest.raises(InvalidArgumentError, match="the metadata has") as refused:
        save.npc("elena").memories.store("They came.", 5, {"participants": strangers})
    assert len(str(refused.value)) < 1000


def test_by_default_a_page_is_no_long_text(npc: Npc) -> None:
    page = "The player told me of the war. " * 100
    assert npc.memories.get_memory(npc.memories.store(page, 5))["document_full"] == page
    with pytest.raises(InvalidArgumentError, match="text has 31000 characters, and nothing was stored"):
        npc.memories.store(page * 10, 5)


def test_your_own_short_form_has_the_limit_of_a_text(limited: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match="document_short has 1120 characters"):
        limited.memories.store("A story.", 5, {"document_short": LONG})


def test_a_memory_may_stay_as_long_as_it_is(npc: Npc) -> None:
    id = npc.memories.store(LONG, 5, MUCH)
    npc.config = LIMITS
    assert npc.memories.update_memory(id, {"importance": 9})
    assert npc.memories.update_memory(id, {"text": LONG[:-1]})
    assert npc.memories.pin_memory(id)
    with pytest.raises(InvalidArgumentError):
        npc.memories.update_memory(id, {"text": LONG * 2})
    assert npc.archive.restore_archived(id)
    memory = npc.memories.get_memory(id)
    assert memory["metadata"]["notes"] == MUCH["notes"] and memory["metadata"]["importance"] == 9


def test_summaries_are_made_whatever_the_limits(npc: Npc, clock: Any) -> None:
    npc.memories.store_batch(
        [
            {
                "text": f"Anna{number} told me: the mill number {number} burns, and {LONG}",
                "event_type": "conversation",
                "topics": ["mills"],
                "participants": [f"Somebody{place}" for place in range(20)],
            }
            for number in range(12)
        ]
    )
    clock.now += 400 * 86400.0
    npc.config = LIMITS
    assert npc.archive.consolidate()["removed"] == 12


def test_a_summary_that_is_too_long_is_not_taken(
    opened: Callable[..., Save], clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    save.context.summarizer = lambda request: LONG * 2
    npc = save.npc("elena", LIMITS)
    npc.memories.store_batch(
        [
            {"text": f"Anna told me that sack {number} is sold.", "event_type": "conversation"}
            for number in range(12)
        ]
    )
    clock.now += 400 * 86400.0
    (id,) = npc.archive.consolidate()["summary_ids"]
    assert "sack 3 is sold" in npc.memories.get_memory(id)["document_full"]
    assert "max_text_chars allows 1000" in caplog.text
