"""An embedding model that somebody else runs: what it answers is checked, and its failures cost nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import Save, open_save
from rag_memory.embedding.external_embedder import ExternalEmbedder, VectorAnswer
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.errors import EmbedderAwayError, SaveError
from rag_memory.text.file_text import FileText
from rag_memory.vectors import FloatMatrix

DIMENSION = 24


class Source:
    """Answers after some looks, with what `answer` makes of the texts. `left` counts what was given up."""

    provider = "test"
    model_name = "words"
    max_chars = 500

    def __init__(self, looks: int = 0) -> None:
        self.looks = looks
        self.model = HashingEmbedder(DIMENSION)
        self.answer: Any = None
        self.asked: list[list[str]] = []
        self.under_way = 0

    def ask(self, texts: Sequence[str]) -> _Question:
        self.asked.append(list(texts))
        self.under_way += 1
        return _Question(self, self._made(texts))

    def _made(self, texts: Sequence[str]) -> VectorAnswer:
        if self.answer is None:
            return VectorAnswer(list(3.0 * self.model.embed(texts)))
        made = self.answer(texts) if callable(self.answer) else self.answer
        assert isinstance(made, VectorAnswer)
        return made


class _Question:
    def __init__(self, source: Source, answer: VectorAnswer) -> None:
        self._source, self._answer, self._left = source, answer, source.looks

    def poll(self) -> VectorAnswer | None:
        self._left -= 1
        if self._left >= 0:
            return None
        self._source.under_way -= 1
        return self._answer

    def cancel(self) -> None:
        self._source.under_way -= 1


class Clock:
    """Seconds that a test sets."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def embedder(source: Source, clock: Clock) -> ExternalEmbedder:
    made = ExternalEmbedder(source, clock)
    made.meet()
    return made


@pytest.fixture
def save(embedder: ExternalEmbedder) -> Iterator[Save]:
    with open_save(":memory:", embedder, lambda: 1e9) as opened:
        yield opened


def look(embedder: ExternalEmbedder, clock: Clock, seconds: float = 100.0) -> None:
    """Let time pass, and look whether it is back."""
    clock.seconds += seconds
    for number, _ in enumerate(embedder.look_steps()):
        if number > 10:
            break


def first(save: Save, question: str) -> str:
    return str(save.npc("elena").recall.retrieve_relevant_raw(question, {"limit": 1})[0]["document"])


def idle(save: Save) -> None:
    while save.idle_step() is not None:
        pass


AWAY = VectorAnswer(problem="Nothing answers.")


def test_model_and_dimension_are_in_the_fingerprint(embedder: ExternalEmbedder) -> None:
    assert (embedder.fingerprint, embedder.dimension) == (f"test:words:{DIMENSION}", DIMENSION)


def test_a_server_that_names_its_model_is_known_by_it(source: Source) -> None:
    source.model_name = ""
    source.answer = lambda texts: VectorAnswer(list(source.model.embed(texts)), "tiny-model")
    embedder = ExternalEmbedder(source)
    embedder.meet()
    assert (embedder.name, embedder.fingerprint) == ("tiny-model", f"test:tiny-model:{DIMENSION}")


@given(
    texts=st.lists(st.text(max_size=40), max_size=40),
    scale=st.floats(1e-3, 1e6),
    looks=st.integers(0, 2),
)
@settings(max_examples=30, deadline=None)
def test_every_text_gets_its_own_vector_of_length_one(texts: list[str], scale: float, looks: int) -> None:
    source = Source(looks)
    embedder = ExternalEmbedder(source)
    embedder.meet()
    source.answer = lambda asked: VectorAnswer(list(scale * source.model.embed(asked)))
    matrix = embedder.embed(texts)
    assert matrix.shape == (len(texts), DIMENSION)
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-5)
    for text, row in zip(texts, matrix, strict=True):
        assert np.allclose(row, embedder.embed([text])[0], atol=1e-6)
    assert source.under_way == 0
    assert all(len(asked) == len(set(asked)) for asked in source.asked), "the same text is sent once"


_NUMBERS = st.floats(width=32) | st.sampled_from([0.0, float("nan"), float("inf"), -float("inf"), 1e300])
_VECTORS = st.lists(_NUMBERS, max_size=3).map(np.array) | st.sampled_from(
    [np.array(None), np.array("text"), np.zeros((2, 2)), np.array(["a"]), np.array(5.0), np.array([1 + 1j])]
)


@given(vectors=st.lists(_VECTORS, max_size=4), known=st.booleans())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_comes_is_a_good_vector_or_an_error_in_words(
    caplog: pytest.LogCaptureFixture, vectors: list[Any], known: bool
) -> None:
    caplog.clear()
    source = Source()
    embedder = ExternalEmbedder(source)
    if known:
        embedder.meet()
    source.answer = VectorAnswer(vectors)
    try:
        if known:
            matrix: FloatMatrix = embedder.embed(["one", "two"])
        else:
            embedder.meet()
            assert 1 <= embedder.dimension <= 3
            return
    except EmbedderAwayError as error:
        assert str(error) and embedder.fault
        assert [record.levelno for record in caplog.records] == [logging.WARNING]
        return
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-5)


def test_after_a_failure_no_call_asks(embedder: ExternalEmbedder, source: Source, clock: Clock) -> None:
    source.answer = AWAY
    with pytest.raises(EmbedderAwayError, match="Nothing answers"):
        embedder.embed(["one"])
    clock.seconds += 1e6
    asked = len(source.asked)
    for _ in range(5):
        with pytest.raises(EmbedderAwayError, match="Nothing answers"):
            embedder.embed(["two"])
    assert len(source.asked) == asked


def test_pauses_grow_up_to_half_a_minute_and_end_when_it_answers(
    embedder: ExternalEmbedder, source: Source, clock: Clock
) -> None:
    source.answer = AWAY
    with pytest.raises(EmbedderAwayError):
        embedder.embed(["one"])
    asked_at, asked = [], len(source.asked)
    looking = embedder.look_steps()
    while clock.seconds < 200.0:
        clock.seconds += 0.5
        next(looking)
        if len(source.asked) > asked:
            asked = len(source.asked)
            asked_at.append(clock.seconds)
    pauses = [round(later - earlier) for earlier, later in zip([0.0, *asked_at], asked_at, strict=False)]
    assert pauses[:6] == [1, 2, 4, 8, 16, 30]
    assert set(pauses[6:]) == {30}
    source.answer = None
    look(embedder, clock)
    assert embedder.fault == ""
    assert embedder.embed(["one"]).any()


def test_what_goes_away_is_told_once(
    embedder: ExternalEmbedder, source: Source, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    source.answer = AWAY
    for _ in range(3):
        with pytest.raises(EmbedderAwayError):
            embedder.embed(["one"])
        look(embedder, clock)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "found by their words" in caplog.text


def test_a_batch_that_is_given_up_gives_up_its_question(embedder: ExternalEmbedder, source: Source) -> None:
    source.looks = 10_000
    batches = embedder.batches(["one", "two"])
    positions, _vectors = next(batches)
    assert not len(positions), "it does not wait for a slow model"
    batches.close()  # type: ignore[attr-defined]
    assert source.under_way == 0


def test_another_dimension_is_another_model(embedder: ExternalEmbedder, source: Source, clock: Clock) -> None:
    source.model = HashingEmbedder(16)
    with pytest.raises(EmbedderAwayError, match="16 numbers per text, and with 24 before"):
        embedder.embed(["one"])
    look(embedder, clock)
    assert embedder.is_another_model and embedder.fault


def test_a_text_that_is_refused_has_no_vector_and_the_others_have(
    embedder: ExternalEmbedder, source: Source
) -> None:
    def refusing(texts: Sequence[str]) -> VectorAnswer:
        if "bad" in texts:
            return VectorAnswer(problem="It is too long.", is_refusal=True)
        return VectorAnswer(list(source.model.embed(texts)))

    source.answer = refusing
    matrix = embedder.embed(["good", "bad", "better"])
    assert matrix.any(axis=1).tolist() == [True, False, True]
    assert embedder.fault == ""


def test_a_server_that_refuses_everything_is_away(embedder: ExternalEmbedder, source: Source) -> None:
    source.answer = VectorAnswer(problem="It is broken.", is_refusal=True)
    with pytest.raises(EmbedderAwayError, match="It is broken"):
        embedder.embed(["good", "better"])


class TestSave:
    """A whole save whose model goes away and comes back."""

    def test_what_is_stored_meanwhile_is_found_by_its_words_and_gets_a_vector(
        self, save: Save, embedder: ExternalEmbedder, source: Source, clock: Clock
    ) -> None:
        npc = save.npc("elena")
        npc.memories.store("A dragon burned the barn.")
        source.answer = AWAY
        npc.memories.store("The miller sold three sacks.")
        npc.memories.store_batch([{"text": f"Crow number {number} is black."} for number in range(20)])
        assert npc.memories.get_memory_count() == 22
        assert save.overview.health()["missing_vectors"] == 21
        assert first(save, "Who sold sacks?") == "The miller sold three sacks."
        assert first(save, "Who burned the barn?") == "A dragon burned the barn."
        source.answer = None
        look(embedder, clock)
        save.missing.look()
        idle(save)
        assert save.overview.health()["missing_vectors"] == 0
        assert first(save, "Who sold sacks?") == "The miller sold three sacks."
        assert save.store.vectors.keys_of_other_models(save.context.model) == []

    def test_memories_that_waited_for_the_model_are_no_warning(
        self,
        save: Save,
        embedder: ExternalEmbedder,
        source: Source,
        clock: Clock,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        source.answer = AWAY
        save.npc("elena").memories.store("The miller sold three sacks.")
        source.answer = None
        look(embedder, clock)
        caplog.clear()
        with caplog.at_level(logging.INFO):
            save.missing.look()
        (told,) = caplog.records
        assert told.levelno == logging.INFO
        assert "1 memory was stored without an embedding model. It is found by the words" in told.message

    def test_only_what_another_model_embedded_is_a_warning(
        self, save: Save, embedder: ExternalEmbedder, source: Source, caplog: pytest.LogCaptureFixture
    ) -> None:
        npc = save.npc("elena")
        npc.memories.store("A dragon burned the barn.")
        npc.memories.store("Bread costs two coins.")
        source.answer = AWAY
        npc.memories.store("The miller sold three sacks.")
        caplog.clear()
        with caplog.at_level(logging.INFO):
            save.indexes.use_embedder(HashingEmbedder(32))
        told = {record.levelname: record.message for record in caplog.records}
        assert "2 memories were embedded with another model. They are found" in told["WARNING"]
        assert "1 memory was stored without an embedding model." in told["INFO"]
        assert len(caplog.records) == 2

    def test_every_way_of_writing_keeps_the_memory(
        self, save: Save, embedder: ExternalEmbedder, source: Source, clock: Clock
    ) -> None:
        npc = save.npc("elena")
        id = npc.memories.store("A dragon burned the barn.")
        source.answer = AWAY
        npc.memories.update_memory(id, {"text": "Two dragons burned the barn."})
        npc.memories.store("The player is called Ayla.", 8, {"slot_type": "player_name"})
        npc.conversation.store_turn("I will bring you a horse.", "Thank you.")
        save.world.lore.import_lore(FileText("# The barn\nThe barn is very old."), {"key": "barn"})
        assert first(save, "Which dragons burned the barn?") == "Two dragons burned the barn."
        assert save.world.lore.search_lore("How old is the barn?")
        source.answer = None
        look(embedder, clock)
        save.missing.look()
        idle(save)
        assert save.store.vectors.keys_of_other_models(save.context.model) == []

    def test_a_save_that_was_opened_without_it_takes_it_when_it_is_there(
        self, source: Source, clock: Clock
    ) -> None:
        source.answer = AWAY
        embedder = ExternalEmbedder(source, clock)
        with pytest.raises(EmbedderAwayError):
            embedder.meet()
        with open_save(":memory:", NoEmbedder(), lambda: 1e9) as save:
            save.npc("elena").memories.store("A dragon burned the barn.")
            assert first(save, "Who burned the barn?") == "A dragon burned the barn."
            source.answer = None
            look(embedder, clock)
            save.indexes.use_embedder(embedder)
            idle(save)
            save.npc("elena").memories.store("The miller sold three sacks.")
            assert save.overview.health()["embedder_dimension"] == DIMENSION
            assert save.store.vectors.keys_of_other_models(save.context.model) == []
            assert first(save, "Who burned the barn?") == "A dragon burned the barn."

    def test_making_all_vectors_anew_says_why_it_cannot(
        self, save: Save, source: Source, embedder: ExternalEmbedder
    ) -> None:
        save.npc("elena").memories.store("A dragon burned the barn.")
        source.answer = AWAY
        with pytest.raises(EmbedderAwayError, match="Nothing answers"):
            save.indexes.rebuild()
        assert first(save, "Who burned the barn?") == "A dragon burned the barn."

    @given(
        whats=st.lists(
            st.sampled_from(["store", "batch", "down", "up", "ask", "idle"]), min_size=1, max_size=25
        )
    )
    @settings(max_examples=25, deadline=None)
    def test_nothing_is_lost_however_often_it_goes_and_comes(self, whats: list[str]) -> None:
        source, clock = Source(), Clock()
        embedder = ExternalEmbedder(source, clock)
        embedder.meet()
        with open_save(":memory:", embedder, lambda: 1e9) as save:
            npc, stored = save.npc("elena"), 0
            for what in [*whats, "up", "idle"]:
                if what == "store":
                    npc.memories.store(f"The crow number {stored} is black.")
                    stored += 1
                elif what == "batch":
                    npc.memories.store_batch(
                        [{"text": f"The crow number {stored + each} is black."} for each in (0, 1)]
                    )
                    stored += 2
                elif what == "down":
                    source.answer = AWAY
                elif what == "up":
                    source.answer = None
                    look(embedder, clock)
                    save.missing.look()
                elif what == "ask":
                    assert not stored or npc.recall.retrieve_scored("Which crow is black?")
                else:
                    idle(save)
                assert npc.memories.get_memory_count() == stored
            assert save.store.vectors.keys_of_other_models(save.context.model) == []
            assert save.overview.health()["missing_vectors"] == 0


def test_a_save_on_disk_keeps_what_has_no_vector(tmp_path: Any, source: Source, clock: Clock) -> None:
    embedder = ExternalEmbedder(source, clock)
    embedder.meet()
    with open_save(tmp_path / "save.sqlite3", embedder) as save:
        source.answer = AWAY
        save.npc("elena").memories.store("A dragon burned the barn.")
    source.answer = None
    look(embedder, clock)
    with open_save(tmp_path / "save.sqlite3", embedder) as save:
        assert save.overview.health()["missing_vectors"] == 1
        idle(save)
        assert save.overview.health()["missing_vectors"] == 0
        assert first(save, "Who burned the barn?") == "A dragon burned the barn."


def test_no_error_of_a_model_is_one_of_the_save() -> None:
    assert not issubclass(EmbedderAwayError, SaveError)
