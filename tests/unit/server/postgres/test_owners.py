"""Several games have one save open, and each NPC belongs to one of them: in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.server.postgres.conftest import Administrator
from tests.unit.server.postgres.dropping_proxy import DroppingProxy

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError, NpcLockedError, SaveLockedError, StoreError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres_storage import MemoryPostgresStorage

_GAME = """
import sys
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import RagMemoryError
from rag_memory_server.postgres_storage import MemoryPostgresStorage
name, port, password_file = sys.argv[1:]
place = MemoryPostgresStorage(port=int(port), password_file=password_file)
save = open_save(name, HashingEmbedder(8), clock=lambda: 100.0, storage=place)
print("open", flush=True)
for line in sys.stdin:
    what, npc_id, *text = line.rstrip("\\n").split(" ", 2)
    try:
        if what == "store":
            answer = save.npc(npc_id).memories.store(text[0])
        elif what == "list":
            answer = [each["document"] for each in save.npc(npc_id).recall.get_recent(100)][::-1]
        elif what == "ask":
            answer = [each["id"] for each in save.npc(npc_id).recall.retrieve_scored(text[0], 100)]
        elif what == "acquire":
            answer = save.npcs.acquire(npc_id)
        elif what == "release":
            answer = save.npcs.release(npc_id)
        elif what == "close":
            answer = save.close()
    except RagMemoryError as error:
        answer = f"{type(error).__name__}: {error}"
    print(repr(answer), flush=True)
"""


class Game:
    """A process with the save open, which does what it is told."""

    def __init__(self, name: str, place: MemoryPostgresStorage) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _GAME, name, str(place.port), place.password_file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        assert self._line() == "open\n"

    def tell(self, line: str) -> Any:
        """Have something done; what came of it."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return eval(self._line(), {})

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.kill()
        self.process.communicate()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


Start = Callable[[], Game]
Open = Callable[..., Save]


@pytest.fixture
def start(save_name: str, where: MemoryPostgresStorage) -> Iterator[Start]:
    """Starts games with one save."""
    games: list[Game] = []

    def start_one() -> Game:
        games.append(Game(save_name, where))
        return games[-1]

    yield start_one
    for game in games:
        game.kill()


@pytest.fixture
def proxy(server: PostgresServer) -> Iterator[DroppingProxy]:
    with DroppingProxy(server.port) as proxy:
        yield proxy


@pytest.fixture
def open_here(save_name: str, where: MemoryPostgresStorage, proxy: DroppingProxy) -> Iterator[Open]:
    """Opens the save in this process, as often as it is asked to."""
    saves: list[Save] = []

    def open_it(place: MemoryPostgresStorage = where, **options: Any) -> Save:
        saves.append(open_save(save_name, HashingEmbedder(8), clock=lambda: 100.0, storage=place, **options))
        return saves[-1]

    yield open_it
    for save in saves:
        save.close()


def texts(save: Save, npc_id: str = "mira") -> list[str]:
    return [each["document"] for each in save.npc(npc_id).recall.get_recent(100)][::-1]


def stored_when_free(save: Save, npc_id: str, text: str) -> None:
    """Store something for an NPC whose owner is gone: the server learns of that a little later."""
    while True:
        try:
            save.npc(npc_id).memories.store(text)
            return
        except NpcLockedError:
            continue


def test_each_game_has_npcs_of_its_own(start: Start) -> None:
    first, second = start(), start()
    for number in range(5):
        assert first.tell(f"store mira Roof {number} was mended.").startswith("mira_")
        assert second.tell(f"store bran Cart {number} broke.").startswith("bran_")
    told = second.tell("store mira The inn burned.")
    assert told.startswith("NpcLockedError: mira cannot learn anything here")
    assert f"process {first.process.pid} on" in told
    assert len(second.tell("list mira")) == 5 and len(first.tell("list bran")) == 5


def test_who_only_reads_is_always_up_to_date(start: Start, open_here: Open) -> None:
    owner, reader = start(), open_here()
    for number in range(4):
        owner.tell(f"store mira Roof {number} was mended.")
        assert texts(reader) == [f"Roof {each} was mended." for each in range(number + 1)]
        found = {
            each["id"] for each in reader.npc("mira").recall.retrieve_scored("Was the roof mended?", 100)
        }
        assert len(found - {"mira_relationship_header"}) == number + 1
    assert reader.overview.health()["npcs_owned"] == 0
    assert f"process {owner.process.pid} on" in reader.store.owners.owner_of("mira")


def test_a_kept_object_writes_no_more_once_she_is_released(open_here: Open) -> None:
    first, second = open_here(), open_here()
    kept = first.npc("mira")
    kept.memories.store("Roof was mended.")
    with pytest.raises(NpcLockedError, match=f"process {os.getpid()}"):
        second.npcs.acquire("mira")
    first.npcs.release("mira")
    for write in (
        lambda: kept.memories.store("Inn burned."),
        lambda: kept.memories.store_batch([{"text": "Inn burned."}]),
        lambda: kept.clear_all_memories(),
        lambda: kept.mind.feelings.feel("happy", 50.0),
        lambda: kept.mind.feelings.adjust_disposition("kael", 10.0),
        lambda: kept.conversation.store_turn("Hello.", "Hello you."),
        lambda: first.npc("mira").memories.store("Inn burned."),
    ):
        with pytest.raises(NpcLockedError, match="let go of her"):
            write()
    second.npc("mira").memories.store("Inn burned.")
    with pytest.raises(NpcLockedError, match=f"process {os.getpid()}"):
        first.npcs.acquire("mira")
    second.npcs.release("mira")
    assert first.store.owners.owner_of("mira") == ""
    first.npcs.acquire("mira")
    kept.memories.store("Ford is flooded.")
    assert texts(second) == ["Roof was mended.", "Inn burned.", "Ford is flooded."]


def test_a_hand_over_keeps_everything(start: Start, open_here: Open) -> None:
    first, second = start(), start()
    told = [f"Kael mended roof {number}." for number in range(12)]
    for number, text in enumerate(told):
        giver, taker = (first, second) if number % 2 else (second, first)
        giver.tell("release mira")
        assert taker.tell("acquire mira") is None
        taker.tell(f"store mira {text}")
    with open_save(":memory:", HashingEmbedder(8), clock=lambda: 100.0) as alone:
        for text in told:
            alone.npc("mira").memories.store(text)
        question = "Which roof did Kael mend?"
        expected = [each["id"] for each in alone.npc("mira").recall.retrieve_scored(question, 100)]
    assert second.tell(f"ask mira {question}") == expected == first.tell(f"ask mira {question}")
    assert first.tell("list mira") == told


def test_the_npcs_of_a_killed_game_are_free_with_all_that_was_acknowledged(
    start: Start, open_here: Open
) -> None:
    game, save = start(), open_here()
    for number in range(10):
        game.tell(f"store mira Roof {number} was mended.")
    game.kill()
    stored_when_free(save, "mira", "Inn burned.")
    assert texts(save) == [*(f"Roof {number} was mended." for number in range(10)), "Inn burned."]


@pytest.mark.parametrize("writes", [False, True])
def test_an_npc_who_was_taken_while_the_connection_was_lost_is_read_anew(
    open_here: Open, start: Start, proxy: DroppingProxy, where: MemoryPostgresStorage, writes: bool
) -> None:
    save = open_here(replace(where, port=proxy.port))
    for npc_id in ("mira", "bran"):
        save.npc(npc_id).memories.store("Roof was mended.")
    kept = save.npc("mira")
    proxy.refuses = True
    proxy.drop_all()
    other = start()
    while other.tell("acquire mira") is not None:
        pass
    other.tell("store mira Inn burned.")
    if not writes:
        other.kill()
    proxy.refuses = False
    with pytest.raises(NpcLockedError):
        kept.memories.store("Ford is flooded.")
    save.npc("bran").memories.store("Inn burned.")
    if writes:
        assert "ends" not in other.tell("store mira Bridge is out.")
        assert texts(save) == ["Roof was mended.", "Inn burned.", "Bridge is out."]
        other.tell("release mira")
    stored_when_free(save, "mira", "Ford is flooded.")
    assert texts(save)[:2] == ["Roof was mended.", "Inn burned."]
    assert texts(save)[-1] == "Ford is flooded." and len(texts(save)) == 3 + writes


def test_a_connection_that_drops_costs_no_npc_when_nobody_took_her(
    open_here: Open, proxy: DroppingProxy, where: MemoryPostgresStorage
) -> None:
    save = open_here(replace(where, port=proxy.port))
    kept = save.npc("mira")
    for number in range(3):
        kept.memories.store(f"Roof {number} was mended.")
        proxy.drop_all()
    kept.memories.store("Inn burned.")
    assert len(texts(save)) == 4


def test_what_changes_all_of_a_save_waits_until_nobody_else_has_it_open(open_here: Open) -> None:
    first, second = open_here(), open_here()
    first.npc("mira").memories.store("Roof was mended.")
    first.snapshots.take("before")
    for change in (
        lambda: first.snapshots.restore("before"),
        lambda: first.marks.rollback_to(0.0),
        lambda: first.indexes.rebuild(),
    ):
        with pytest.raises(SaveLockedError, match="other game servers have it open"):
            change()
    second.close()
    while True:
        try:
            first.indexes.rebuild()
            break
        except SaveLockedError:
            continue
    first.npc("mira").memories.store("Inn burned.")
    first.snapshots.restore("before")
    assert texts(first) == ["Roof was mended."]
    first.npc("mira").memories.store("Ford is flooded.")
    assert len(texts(open_here())) == 2


def test_a_save_that_is_only_read_takes_nobody_and_writes_nothing(open_here: Open) -> None:
    owner = open_here()
    owner.npc("mira").memories.store("Roof was mended.")
    owner.npcs.release("mira")
    reader = open_here(read_only=True)
    assert texts(reader) == ["Roof was mended."]
    assert reader.npc("mira").recall.retrieve_scored("Was the roof mended?")
    for write in (
        lambda: reader.npc("mira").memories.store("Inn burned."),
        lambda: reader.npcs.acquire("mira"),
        lambda: reader.world.events.record_event({"event_type": "fire", "summary": "The inn burned."}),
        lambda: reader.snapshots.take("mine"),
        lambda: reader.marks.rollback_to(0.0),
    ):
        with pytest.raises(StoreError, match="to be read only"):
            write()
    assert owner.store.owners.owner_of("mira") == ""
    with pytest.raises(InvalidArgumentError, match="read_only"):
        open_save(":memory:", HashingEmbedder(8), read_only=True)


def test_the_world_that_one_writes_the_others_see(open_here: Open) -> None:
    first, second = open_here(), open_here()
    assert second.world.characters.get_character("kael") == {}
    for number in range(3):
        first.world.characters.register_character("kael", {"name": f"Kael {number}"})
        first.world.events.record_event({"event_type": "fire", "summary": f"Barn {number} burned."})
        assert second.world.characters.get_character("kael")["name"] == f"Kael {number}"
        second.world.events.record_event({"event_type": "feast", "summary": f"Feast {number} was held."})
        assert len(second.world.events.get_events()) == len(first.world.events.get_events()) == 2 * number + 2


def test_what_the_world_tells_an_npc_of_another_game_is_told_to_nobody(open_here: Open) -> None:
    first, second = open_here(), open_here()
    first.npc("mira").memories.store("Roof was mended.")
    debate = {"topic": "the toll", "participants": ["bran", "mira"], "outcome": "It stays."}
    with pytest.raises(NpcLockedError, match="mira cannot learn anything here"):
        second.world.debates.record_debate(debate)
    assert texts(second, "bran") == [] and second.world.events.get_events() == []
    assert texts(first) == ["Roof was mended."]
    first.npcs.release("mira")
    second.npcs.acquire("mira")
    second.world.debates.record_debate(debate)
    assert len(texts(second, "bran")) == 1 and len(texts(first)) == 2


def test_files_have_one_owner_who_has_everybody() -> None:
    with open_save(":memory:", HashingEmbedder(8)) as save:
        save.npc("mira").memories.store("Roof was mended.")
        save.npcs.release("mira")
        save.npc("mira").memories.store("Inn burned.")
        save.npcs.acquire("mira")
        assert save.overview.health()["npcs_owned"] == 1 and save.store.owners.owner_of("mira")


def test_an_npc_whose_taking_fails_is_free(
    open_here: Open, administrator: Administrator, where: MemoryPostgresStorage
) -> None:
    first, second = open_here(), open_here()
    first.npc("mira").memories.store("Roof was mended.")
    first.npcs.release("mira")
    row = "SELECT 1 FROM rag_memory.owners WHERE npc_id = 'mira' AND save = %s FOR UPDATE"
    session = second.store._session  # type: ignore[attr-defined]
    session.execute("SET lock_timeout = '50ms'", {})
    with administrator.transaction():
        administrator.execute(row, (session.save,))
        with pytest.raises(StoreError, match="55P03"):
            second.npcs.acquire("mira")
        # The same inside a transaction, which does not end at once.
        with pytest.raises(StoreError, match="55P03"), second.store.transaction():
            second.store.owners.own("mira")
    first.npcs.acquire("mira")
    first.npcs.release("mira")
    second.npcs.acquire("mira")
    second.npcs.release("mira")
    first.npcs.acquire("mira")


def test_an_npc_who_is_taken_in_a_transaction_that_fails_is_free(open_here: Open) -> None:
    first, second = open_here(), open_here()
    with pytest.raises(InvalidArgumentError), first.store.transaction():
        assert first.store.owners.own("mira").is_owned
        with pytest.raises(NpcLockedError, match="another process has her"):
            second.npcs.acquire("mira")
        raise InvalidArgumentError("This fails")
    assert not first.store.owners.owns("mira")
    second.npcs.acquire("mira")
    second.npc("mira").memories.store("Roof was mended.")
    with pytest.raises(NpcLockedError, match=f"process {os.getpid()} on .* has her"):
        first.npcs.acquire("mira")
    second.npcs.release("mira")
    with first.store.transaction():
        assert first.store.owners.own("mira").is_owned
    assert texts(first) == ["Roof was mended."] and first.store.owners.owns("mira")
