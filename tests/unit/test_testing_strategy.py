"""Where the tests are that the plan of the world asks for by name.

Its vector database is the index of RAG Memory, and its MemoryStore is an open save.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = {
    "save isolation": "world/test_save_isolation.py::TestSaveIsolation",
    "memory persistence across MemoryStore instances": (
        "test_save.py::test_memory_persistence_across_instances"
    ),
    "lore import chunking": "world/test_lore_import_chunking.py",
    "FTS search": "world/test_lore.py::test_fts_search_finds_lore_by_its_words_and_headings",
    "Qdrant payload filters": "world/test_index_payload_filters.py",
    "retrieval dossier token limits": "prompt/test_dossier_token_limits.py",
    "first-meeting backstory only generates once per save": (
        "world/test_profiles.py::test_first_meeting_backstory_only_generates_once_per_save"
    ),
    "world event visibility": "world/test_world_event_visibility.py",
    "task lifecycle": "world/test_task_lifecycle.py",
    "rebuild Qdrant index from SQLite": "test_index_modes.py::test_rebuild_index_from_sqlite",
}


@pytest.mark.parametrize("name", TESTS)
def test_every_test_that_is_asked_for_by_name_is_there(name: str) -> None:
    file, _, test = TESTS[name].partition("::")
    assert test in (HERE / file).read_text(encoding="utf-8")
