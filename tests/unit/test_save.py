from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag_memory import (
    InvalidArgumentError,
    MemoryConfig,
    NotASaveError,
    RelevanceMode,
    Save,
    SaveDamagedError,
    SaveError,
    SaveLockedError,
    SaveTooNewError,
    StoreError,
    open_save,
)
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.searchable import search_index
from rag_memory.step import run
from rag_memory.storage.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION
from rag_memory.text.file_text import FileText
from rag_memory.text.terms import WORD, question_terms

NOW = 1_702_500_000.0
Open = Callable[..., Save]


def filled(opened: Open, path: Path, count: int = 30, dimension: int = 64) -> list[str]:
    save = opened(path, dimension)
    ids = save.npc("elena").memories.store_batch([{"text": f"Event {n} at the mill."} for n in range(count)])
    save.close()
    return ids


def test_a_new_save_is_ours_and_current(opened: Open, save_path: Path) -> None:
    opened(save_path).close()
    connection = sqlite3.connect(save_path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_memory_persistence_across_instances(opened: Open, save_path: Path) -> None:
    def everything(save: Save) -> list[Any]:
        world, npc = save.world, save.npc("elena")
        return [
            npc.recall.get_recent(100),
            npc.archive.get_archived(),
            npc.recall.retrieve_relevant_raw("Who burned the mill?"),
            npc.relationship.generate_relationship_header(),
            npc.conversation.get_turns(10),
            npc.conversation.get_conversation_summary(),
            world.events.get_events({"known_to": "elena"}),
            world.events.search_events("elena", "mill"),
            world.tasks.get_tasks(),
            world.debates.search_debates("mill"),
            world.profiles.get_profile("elena"),
            world.characters.list_characters(),
            world.lore.search_lore("Who rules?"),
            (world.facts.get_flags(), world.facts.get_facts(), world.facts.get_player_info()),
            save.overview.list_npcs(),
        ]

    first = opened(save_path)
    world, npc = first.world, first.npc("elena")
    ids = npc.memories.store_batch(
        [{"text": f"Bandits burned mill {n}.", "importance": n} for n in range(1, 10)]
    )
    npc.memories.update_memory(ids[0], {"text": "Raiders burned mill 1."})
    npc.conversation.store_turn("I promise to help you.", "I will wait for you.")
    world.characters.register_character("elena", {"name": "Elena", "location": "Ford"})
    world.events.record_event({"summary": "The mill burned.", "location": "Ford", "visibility": "local"})
    world.tasks.add_task({"summary": "Mend the mill.", "assignee": "elena", "status": "active"})
    world.debates.record_debate(
        {"topic": "The mill", "participants": ["elena", "kael"], "outcome": "It is mended."}
    )
    world.profiles.ensure_profile("elena")
    world.lore.import_lore(FileText("# Norhold\n\nAldwin rules Norhold."), {"key": "realm"})
    world.facts.set_flags({"met": True})
    world.facts.set_facts({"mine": {"text": "The mine is shut."}})
    world.facts.set_player_info({"name": "Theron"})
    before = everything(first)
    assert all(before)
    first.close()
    for _ in range(2):
        again = opened(save_path)
        assert everything(again) == before
        again.close()


def test_folders_are_made_and_paths_may_be_any_text(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "Spielstände" / "村 🏡" / "slot'1.sqlite3"
    ids = filled(opened, path)
    assert opened(str(path)).npc("elena").memories.get_memory(ids[0])["document"] == "Event 0 at the mill."


@pytest.mark.parametrize("path", ["", None, 5, "a\0b"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="path"):
        open_save(path, embedder=HashingEmbedder(8))


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SaveError, match="cannot be opened"):
        open_save(tmp_path / "file" / "a.sqlite3", embedder=HashingEmbedder(8))


def test_a_newer_save_is_refused_untouched(opened: Open, save_path: Path) -> None:
    filled(opened, save_path)
    connection = sqlite3.connect(save_path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = save_path.read_bytes()
    with pytest.raises(SaveTooNewError, match="newer version"):
        opened(save_path)
    assert save_path.read_bytes() == before
    assert [each.name for each in save_path.parent.iterdir()] == [save_path.name]


def test_a_database_of_another_program_is_refused_untouched(opened: Open, save_path: Path) -> None:
    connection = sqlite3.connect(save_path)
    connection.execute("CREATE TABLE treasure (gold)")
    connection.commit()
    connection.close()
    before = save_path.read_bytes()
    with pytest.raises(NotASaveError, match="another program"):
        opened(save_path)
    assert save_path.read_bytes() == before


FOREIGN: dict[str, bytes] = {
    "portrait.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
    "village.tres": b'[gd_resource type="Resource" format=3]\n' + b"\n" * 200,
    "notes.txt": b"Elena knows about the bridge.\n" * 50,
    "short.txt": b"Hi.",
    "portrait.sqlite3": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_that_never_was_a_save_is_refused_untouched(opened: Open, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FOREIGN[name])
    with pytest.raises(NotASaveError, match=rf"{name} is no save.*left untouched.*move this file away"):
        opened(path)
    assert path.read_bytes() == FOREIGN[name]
    assert list(tmp_path.iterdir()) == [path], "and nothing was added"


@pytest.mark.parametrize("sign", ["the id in its head", "-wal", ".index", ".snapshots"])
def test_a_broken_save_of_any_name_is_known_by_what_is_left_of_it(
    opened: Open, tmp_path: Path, sign: str
) -> None:
    path = tmp_path / "village.db"
    filled(opened, path)
    content = bytearray(path.read_bytes())
    broken = 16 if sign == "the id in its head" else 100
    content[:broken] = bytes(broken)
    path.write_bytes(content)
    beside = Path(f"{path}{sign}")
    if sign == "-wal":
        beside.write_bytes(b"log")
    elif sign.startswith("."):
        beside.mkdir()
    with pytest.raises(SaveDamagedError, match="kept as"):
        opened(path)
    (aside,) = (each for each in tmp_path.glob("village.db.damaged-*") if not each.name.endswith("-wal"))
    assert aside.read_bytes() == content
    assert opened(path).npc("elena").memories.get_memory_count() == 30, "nothing but its head was broken"


@pytest.mark.parametrize(
    ("damage", "least", "most"),
    [("header", 200, 200), ("middle", 0, 20), ("half", 0, 199), ("noise", 0, 0), ("short", 0, 0)],
)
def test_a_damaged_save_is_kept_aside_and_the_next_open_has_what_could_be_read(
    opened: Open, save_path: Path, damage: str, least: int, most: int
) -> None:
    filled(opened, save_path, 200)
    content = bytearray(save_path.read_bytes())
    if damage == "header":
        content[:16] = bytes(16)
    elif damage == "middle":
        for page in range(1, len(content) // 4096):
            content[page * 4096 : page * 4096 + 64] = os.urandom(64)
    elif damage == "half":
        del content[len(content) // 2 :]
    elif damage == "noise":
        content[:] = os.urandom(len(content))
    else:
        del content[50:]
    save_path.write_bytes(content)
    with pytest.raises(SaveDamagedError, match="kept as"):
        opened(save_path)
    (aside,) = save_path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == content
    assert least <= opened(save_path).npc("elena").memories.get_memory_count() <= most


def test_an_empty_file_becomes_a_save(opened: Open, save_path: Path) -> None:
    save_path.touch()
    assert filled(opened, save_path, 1)


def test_a_save_is_open_only_once(opened: Open, save_path: Path) -> None:
    opened(save_path)
    with pytest.raises(SaveLockedError, match="locked"):
        opened(save_path)
    code = (
        "import sys; from rag_memory import open_save;"
        "from rag_memory.embedding.hashing_embedder import HashingEmbedder;"
        "open_save(sys.argv[1], embedder=HashingEmbedder(64))"
    )
    save_path.read_bytes()
    other = subprocess.run(
        [sys.executable, "-c", code, str(save_path)], capture_output=True, text=True, env=_env()
    )
    assert "SaveLockedError" in other.stderr


def test_a_closed_save_answers_no_more(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    save.close()
    save.close()
    with pytest.raises(StoreError):
        npc.memories.store("Too late.")
    with pytest.raises(StoreError, match="closed"):
        save.npc("marcus")
    for call in (
        npc.recall.retrieve_scored,
        npc.recall.retrieve_relevant,
        npc.memories.get_memory,
        npc.recall.explain,
    ):
        with pytest.raises(StoreError, match="is closed"):
            call("Who is there?")
    with pytest.raises(StoreError, match="is closed"):
        npc.memories.get_memory_count()


@pytest.mark.parametrize("told", [float("nan"), float("inf"), None, "noon", 10**400])
def test_a_clock_that_tells_no_time_is_named(told: Any) -> None:
    with open_save(":memory:", embedder=HashingEmbedder(64), clock=lambda: told) as save:
        npc = save.npc("elena")
        for call in (npc.memories.store, npc.recall.retrieve_scored):
            with pytest.raises(InvalidArgumentError, match=r"the clock of open_save.*its time is"):
                call("The bell rang.")
        assert npc.memories.get_memory_count() == 0


STORE_FOREVER = """
import sys
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
npc = open_save(sys.argv[1], embedder=HashingEmbedder(64)).npc("elena")
number = 0
while True:
    number += 1
    print(npc.memories.store(f"Something happened at mill {number}."), flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7, 60])
def test_what_was_acknowledged_survives_a_killed_process(
    opened: Open, save_path: Path, acknowledged: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STORE_FOREVER, str(save_path)], stdout=subprocess.PIPE, text=True, env=_env()
    )
    assert process.stdout is not None
    ids = [process.stdout.readline().strip() for _ in range(acknowledged)]
    process.kill()
    ids += process.stdout.read().split("\n")[:-1]
    process.wait()
    npc = opened(save_path).npc("elena")
    assert all(npc.memories.get_memory(id) for id in ids)
    assert npc.memories.get_memory_count() - len(ids) in (0, 1)
    assert len(npc.recall.retrieve_relevant("mill", {"limit": 1000})) == npc.memories.get_memory_count()


def work_while_idle(save: Save, steps: int | None = None) -> int:
    """Do what nobody waits for, to its end or a few steps; how many steps that were."""
    done = 0
    while done != steps and (step := save.idle_step()) is not None and not step.is_waiting:
        done += 1
    return done


@pytest.mark.parametrize("mode", list(RelevanceMode))
def test_another_model_embeds_everything_again_while_answers_are_given(
    opened: Open, save_path: Path, mode: RelevanceMode
) -> None:
    ids = filled(opened, save_path, 150)
    with open_save(save_path, embedder=HashingEmbedder(32), clock=lambda: NOW) as save:
        assert save.overview.health()["missing_vectors"] == save.overview.counts()["missing_vectors"] == 150
        npc = save.npc("elena", MemoryConfig(relevance_mode=mode))
        question = "Event 77 at the mill."
        assert npc.recall.retrieve_relevant(question, {"limit": 1}) == [question], "by its words"
        npc.memories.store("The bridge is out.")
        assert npc.recall.retrieve_relevant("bridge", {"limit": 1}) == ["The bridge is out."], (
            "it has a vector"
        )
        assert work_while_idle(save) > 1
        assert save.overview.health()["missing_vectors"] == 0
        (memory,) = npc.recall.retrieve_relevant_raw(question, {"limit": 1})
        assert memory["document"] == question and memory["similarity"] == pytest.approx(1.0, abs=1e-5)
        answer = npc.recall.retrieve_relevant_raw(question, {"limit": 20})
    with open_save(save_path, embedder=HashingEmbedder(32), clock=lambda: NOW) as again:
        assert again.overview.health()["missing_vectors"] == 0
        npc = again.npc("elena", MemoryConfig(relevance_mode=mode))
        assert npc.memories.get_memory_count() == len(ids) + 1
        assert [each["id"] for each in npc.recall.retrieve_relevant_raw(question, {"limit": 20})] == [
            each["id"] for each in answer
        ]


def test_what_changes_while_it_is_embedded_again_has_the_vector_of_what_it_says(
    opened: Open, save_path: Path
) -> None:
    ids = filled(opened, save_path, 200)
    with open_save(save_path, embedder=HashingEmbedder(32), clock=lambda: NOW) as save:
        npc = save.npc("elena")
        npc.recall.retrieve_relevant("mill")
        work_while_idle(save, 1)
        npc.memories.update_memory(ids[150], {"text": "The well is dry."})
        npc.memories.forget(ids[151])
        work_while_idle(save)
        store = save.store
        for key, vector in store.vectors.of(range(1, 201), save.context.model).items():
            np.testing.assert_array_equal(
                vector, HashingEmbedder(32).embed([store.records.by_keys([key])[0].document_full])[0]
            )
        assert store.vectors.keys_of_other_models(save.context.model) == []
        assert npc.recall.retrieve_relevant("Is the well dry?", {"limit": 1}) == ["The well is dry."]


class CountingEmbedder(HashingEmbedder):
    """Counts the texts it embeds."""

    embedded = 0

    def batches(self, texts: Any) -> Any:
        for positions, vectors in super().batches(texts):
            self.embedded += len(positions)
            yield positions, vectors


def test_embedding_again_goes_on_where_it_was_interrupted(opened: Open, save_path: Path) -> None:
    filled(opened, save_path, 200)
    first = CountingEmbedder(32)
    with open_save(save_path, embedder=first) as save:
        work_while_idle(save, 4)
    second = CountingEmbedder(32)
    with open_save(save_path, embedder=second) as save:
        assert run(save.missing.make_steps()) == second.embedded
        assert first.embedded + second.embedded == 200 and 0 < first.embedded < 200
        store = save.store
        _, vectors = store.vectors.searched(range(1, 201), save.context.model, 32)
        texts = [record.document_full for record in store.records.by_keys(list(range(1, 201)))]
        np.testing.assert_array_equal(vectors, HashingEmbedder(32).embed(texts))


def test_the_keyword_index_follows_every_change(opened: Open, save_path: Path) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    info = {"event_type": "player_info", "info_type": "origin"}
    npc.memories.store("They come from Thornhaven.", 5, info)
    npc.memories.store("They come from Riverton.", 5, info)
    id = npc.memories.store("The blacksmiths argued.", 5, {"topics": ["Café"]})
    save.npc("marcus").memories.store("Blacksmith!")
    store = save.store
    number = store.npcs.number("elena") or 0

    def found(word: str, number: int = number) -> int:
        (term,) = question_terms(word)
        return len(store.terms.keys_with(number, WORD, term))

    words = {word: found(word) for word in ("Thornhaven", "Riverton", "blacksmith", "cafe")}
    assert words == {"Thornhaven": 0, "Riverton": 1, "blacksmith": 1, "cafe": 1}
    npc.memories.forget(id)
    assert found("blacksmith") == 0
    npc.clear_all_memories()
    assert found("Riverton") == 0
    assert found("blacksmith", store.npcs.number("marcus") or 0) == 1


@pytest.mark.parametrize("damage", [None, "missing", "damaged", "stale"])
def test_the_search_index_is_written_and_rebuilt(opened: Open, save_path: Path, damage: str | None) -> None:
    config = MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=100)
    save = opened(save_path)
    npc = save.npc("elena", config)
    npc.recall.retrieve_scored("load it")
    npc.memories.store_batch([{"text": f"Event {n} of the {n % 7} mills."} for n in range(400)])
    options = {"limit": 20, "filter": {"importance": {">=": 5}}}
    before = npc.recall.retrieve_relevant_raw("Event 9", options)
    save.close()
    folder = save_path.with_suffix(".index")
    files = sorted(folder.iterdir())
    assert files
    if damage == "missing":
        for file in files:
            file.unlink()
    elif damage == "damaged":
        for file in files:
            file.write_bytes(os.urandom(1000))
    elif damage == "stale":
        save = opened(save_path)
        save.npc("marcus").memories.store("Not hers.")
        id = save.npc("elena", config).memories.store("One more.")
        save.npc("elena").memories.forget(id)
        save.close()
    again = opened(save_path).npc("elena", config).recall.retrieve_relevant_raw("Event 9", options)
    assert again == before


def test_health_tells_what_is_open(opened: Open, save_path: Path) -> None:
    filled(opened, save_path, 3)
    health = opened(save_path).overview.health()
    assert health["path"] == str(save_path)
    assert (health["npc_count"], health["memory_count"]) == (1, 3)
    assert health["embedder_dimension"] == 64 and health["embedder_is_fallback"]


@pytest.mark.parametrize("mode", RelevanceMode)
def test_only_dense_relevance_keeps_a_search_graph(
    opened: Open, save_path: Path, mode: RelevanceMode
) -> None:
    config = MemoryConfig(relevance_mode=mode, exact_search_limit=50)
    save = opened(save_path)
    npc = save.npc("elena", config)
    npc.recall.retrieve_scored("load it")
    npc.memories.store_batch([{"text": f"The miller sold sack number {n}."} for n in range(40)])
    for n in range(40, 200):
        npc.memories.store(f"The miller sold sack number {n}.")
    is_dense = mode == RelevanceMode.DENSE
    assert (npc.records.index.pending_vectors > 0) == is_dense
    while save.idle_step():
        pass
    assert npc.records.index.pending_vectors == 0
    (found,) = npc.recall.retrieve_relevant_raw("The miller sold sack number 77.", {"limit": 1})
    assert found["document"] == "The miller sold sack number 77."
    save.close()
    assert save_path.with_suffix(".index").exists() == is_dense


@pytest.mark.parametrize(
    ("count", "other", "is_kept"),
    [
        (40, {"relevance_mode": RelevanceMode.DENSE}, True),
        (40, {"relevance_mode": RelevanceMode.DENSE, "exact_search_limit": 60}, True),
        (200, {"relevance_mode": RelevanceMode.DENSE}, False),
        (200, {"exact_search_limit": 0}, True),
    ],
    ids=["few", "few, another limit", "more than the limit", "more, still HYBRID"],
)
def test_another_config_loads_anew_only_what_takes_another_index(
    opened: Open, count: int, other: dict[str, Any], is_kept: bool
) -> None:
    config = MemoryConfig(exact_search_limit=50)
    save = opened()
    npc = save.npc("elena", config)
    npc.recall.retrieve_scored("load it")
    npc.memories.store_batch([{"text": f"The miller sold sack number {n}."} for n in range(count)])
    for changed in (replace(config, **other), config):
        npc.config = changed
        assert (save.overview.counts()["loaded_memories"] == count) == is_kept
        npc.recall.retrieve_scored("load it")


def test_a_graph_grows_when_the_limit_is_passed_after_the_config_was_set(opened: Open) -> None:
    npc = opened().npc("elena", MemoryConfig(exact_search_limit=50))
    npc.recall.retrieve_scored("load it")
    npc.config = MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50)
    for n in range(51):
        npc.memories.store(f"The miller sold sack number {n}.")
    assert npc.records.index.pending_vectors == 51


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_an_incomplete_search_index_is_completed_in_idle_time(opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("elena", MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50))
    npc.memories.store_batch([{"text": f"The miller sold sack number {n} to a stranger."} for n in range(50)])
    work_while_idle(save)
    assert not save.idle_step(), "an exact index is always complete"
    npc.recall.retrieve_scored("Anything at all?")
    for n in range(5):
        npc.memories.store(f"The smith shod horse number {n} before noon.")
    npc.recall.retrieve_scored("Who shod the horses?")
    assert save.overview.health()["pending_vectors"] > 0, "a question builds no index"
    rounds = 0
    while save.idle_step():
        rounds += 1
        assert rounds < 1000
    assert rounds > 0
    assert save.overview.health()["pending_vectors"] == 0
    assert len(npc.recall.retrieve_relevant_raw("Who shod the horses?", {"limit": 90})) == 55


def test_short_sessions_build_a_search_index_together(opened: Callable[..., Save], save_path: Path) -> None:
    config = MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50)
    first = opened(save_path)
    first.npc("elena").memories.store_batch(
        [{"text": f"The miller sold sack number {n}."} for n in range(500)]
    )
    first.close()
    waiting: list[int] = []
    for _ in range(200):
        save = opened(save_path)
        npc = save.npc("elena", config)
        npc.recall.retrieve_scored("Who sold the sacks?")
        save.idle_step()
        waiting.append(save.overview.health()["pending_vectors"])
        save.close()
        if waiting[-1] == 0:
            break
    assert waiting[-1] == 0
    assert all(later < earlier for earlier, later in itertools.pairwise(waiting))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MemoryConfig(), MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50)),
        (
            MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50),
            MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=60),
        ),
    ],
    ids=["exact before", "another limit"],
)
def test_a_search_index_that_another_config_has_built_is_written(
    opened: Callable[..., Save], save_path: Path, before: MemoryConfig, after: MemoryConfig
) -> None:
    def pending(config: MemoryConfig, then: MemoryConfig) -> int:
        save = opened(save_path)
        npc = save.npc("elena", config)
        npc.recall.retrieve_scored("Who sold the sacks?")
        waiting = npc.records.index.pending_vectors
        npc.config = then
        npc.recall.retrieve_scored("Who sold the sacks?")
        while save.idle_step():
            pass
        save.close()
        return waiting

    first = opened(save_path)
    first.npc("elena").memories.store_batch(
        [{"text": f"The miller sold sack number {n}."} for n in range(200)]
    )
    first.close()
    pending(before, before)
    pending(before, after)
    assert pending(after, after) == 0


def test_memories_are_stored_although_their_search_index_cannot_be_written(
    opened: Callable[..., Save],
    save_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(search_index, "_SAVE_AFTER_GROWTH", 100)
    save_path.with_suffix(".index").write_text("where the folder would be")
    npc = opened(save_path).npc(
        "elena", MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=50)
    )
    npc.recall.retrieve_scored("Who sold the sacks?")
    batch = [{"text": f"The miller sold sack number {n}."} for n in range(200)]
    assert len(npc.memories.store_batch(batch)) == 200
    assert "The search index of elena could not be written" in caplog.text
