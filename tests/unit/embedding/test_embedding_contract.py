"""What every embedding backend promises. A new one is tested by its entry in the registry; one on another
machine, which is slow and fails, is made here and has to keep the same promises.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import Save, open_save
from rag_memory.embedding.embedder import Embedder, VectorCache, validate_embeddable
from rag_memory.embedding.external_embedder import ExternalEmbedder, Pending, VectorAnswer
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.registry import EMBEDDERS, make_embedder
from rag_memory.errors import EmbedderError, InvalidArgumentError
from rag_memory.vectors import FloatMatrix, Keys

DIFFICULT_TEXTS = {
    "empty": "",
    "whitespace": " \t\n\u00a0\u3000 ",
    "punctuation": "...!?",
    "emoji": "👩‍👩‍👧‍👦🔥",
    "nul": "a\0b\0",
    "lone surrogate": "the \ud83d key \udc00",
    "split emoji": "\ud83d\udd25 in the barn",
    "right to left": "وعدني اللاعب بأن يعيد أخي",
    "thai": "ผู้เล่นสัญญาว่าจะพาน้องชายกลับมา",
    "chinese": "玩家答应把我弟弟带回来",
    "hindi": "खिलाड़ी ने मेरे भाई को वापस लाने का वादा किया",
    "combining": "z" + "\u0351" * 300,
    "10,000 characters": "the old mill burned down. " * 385,
    "one word of 10,000": "a" * 10_000,
    "a million": "key " * 250_000,
    "growing under NFKC": "\ufdfa" * 5_000,
}


_WORDS = ("key", "miller", "dragon", "Elderwood", "three", "coins,", "burned", "not", "钥匙", "where?", "")
_TEXTS_PER_REQUEST = 4
_NETWORK_SECONDS = 0.002


class Provider(ThreadingHTTPServer):
    """A model on another machine: {"texts": [...]} is answered by {"vectors": [[...]]}, after a while."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = HashingEmbedder(96)
        self.is_broken = False
        self.requests = 0
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.server.requests += 1
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
        time.sleep(_NETWORK_SECONDS)
        if self.server.is_broken:
            self.send_error(503, "The model is being loaded")
            return
        answer = json.dumps({"vectors": self.server.model.embed(texts).tolist()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class RemoteEmbedder:
    """Asks a Provider. Nothing but the six members of the protocol."""

    name = "remote"
    dimension = 96
    fingerprint = "remote-96"
    max_chars = 10_000

    def __init__(self, provider: Provider) -> None:
        self._url = f"http://127.0.0.1:{provider.server_address[1]}/"

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        return np.concatenate([np.empty((0, 96), np.float32), *(self._asked(part) for part in _parts(texts))])

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        pool = ThreadPoolExecutor(2)
        try:
            answers = [(part, pool.submit(self._asked, part)) for part in _parts(texts)]
            start = 0
            for part, answer in answers:
                while not answer.done():
                    time.sleep(0.0005)
                    yield np.empty(0, np.int64), np.empty((0, 96), np.float32)
                yield np.arange(start, start + len(part)), answer.result()
                start += len(part)
        finally:
            pool.shutdown(cancel_futures=True)

    def _asked(self, texts: Sequence[str]) -> FloatMatrix:
        for text in texts:
            validate_embeddable(text)
        request = urllib.request.Request(self._url, json.dumps({"texts": list(texts)}).encode())
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return np.array(json.load(answer)["vectors"], dtype=np.float32)
        except (urllib.error.URLError, OSError) as error:
            raise EmbedderError("The model cannot be reached", str(error), "Start the server") from error


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _TEXTS_PER_REQUEST):
        yield texts[start : start + _TEXTS_PER_REQUEST]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as server:
        yield server
        server.shutdown()


class ProviderSource:
    """Asks a Provider for an ExternalEmbedder, each time on a thread of its own."""

    provider = "test"
    model_name = "words"
    max_chars = 10_000

    def __init__(self, provider: Provider) -> None:
        self._remote = RemoteEmbedder(provider)

    def ask(self, texts: Sequence[str]) -> Pending:
        return _OnThread(self._remote, texts)


class _OnThread:
    def __init__(self, remote: RemoteEmbedder, texts: Sequence[str]) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._answer = self._pool.submit(remote.embed, texts)

    def poll(self) -> VectorAnswer | None:
        if not self._answer.done():
            return None
        self.cancel()
        failed = self._answer.exception()
        return VectorAnswer(problem=str(failed)) if failed else VectorAnswer(list(self._answer.result()))

    def cancel(self) -> None:
        self._pool.shutdown()


@pytest.fixture(scope="module", params=[*EMBEDDERS, "remote", "asked"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "asked":
        asked = ExternalEmbedder(ProviderSource(request.getfixturevalue("provider")))
        asked.meet()
        return asked
    if request.param == "remote":
        return RemoteEmbedder(request.getfixturevalue("provider"))
    return make_embedder(request.param)


def in_batches(embedder: Embedder, texts: Sequence[str]) -> FloatMatrix:
    found = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    seen: list[int] = []
    for positions, vectors in embedder.batches(texts):
        assert vectors.shape == (len(positions), embedder.dimension)
        assert positions.dtype == np.int64
        assert vectors.dtype == np.float32
        found[positions] = vectors
        seen.extend(positions.tolist())
    assert sorted(seen) == list(range(len(texts)))
    return found


class TestEveryEmbedder:
    @pytest.mark.parametrize("text", DIFFICULT_TEXTS.values(), ids=DIFFICULT_TEXTS.keys())
    def test_any_text_has_a_vector_of_length_one(self, embedder: Embedder, text: str) -> None:
        vectors = embedder.embed([text])
        assert vectors.shape == (1, embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-6)

    def test_a_text_has_the_same_bits_alone_in_company_as_query_and_in_batches(
        self, embedder: Embedder
    ) -> None:
        texts = [*list(DIFFICULT_TEXTS.values())[:-2], "The miller owes me three coins.", "Hi"]
        together = embedder.embed(texts)
        assert in_batches(embedder, texts).tobytes() == together.tobytes()
        queries = VectorCache(embedder)
        for text, vector in zip(texts, together, strict=True):
            assert embedder.embed([text])[0].tobytes() == vector.tobytes()
            assert queries.vector(text).tobytes() == vector.tobytes()
            assert queries.vector(text).tobytes() == vector.tobytes()

    @given(texts=st.lists(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join), max_size=60))
    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_neighbours_never_change_a_vector(self, embedder: Embedder, texts: list[str]) -> None:
        alone = {text: embedder.embed([text])[0] for text in texts}
        for text, vector in zip(texts, in_batches(embedder, texts), strict=True):
            assert vector.tobytes() == alone[text].tobytes()

    def test_a_batch_that_is_given_up_leaves_no_thread(self, embedder: Embedder) -> None:
        batches = embedder.batches([f"The miller owes me {number} coins." for number in range(200)])
        before = threading.active_count()
        next(batches)
        batches.close()  # type: ignore[attr-defined]
        deadline = time.monotonic() + 300
        while threading.active_count() > before and time.monotonic() < deadline:
            time.sleep(0.01)  # a provider's own threads may still be at their answers
        assert threading.active_count() <= before

    def test_no_texts_give_an_empty_matrix_and_no_batches(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimension)
        assert list(embedder.batches([])) == []

    @pytest.mark.parametrize("value", [None, 5, b"bytes", ["list"]])
    def test_what_is_not_text_is_refused(self, embedder: Embedder, value: object) -> None:
        with pytest.raises(InvalidArgumentError, match="Only text can be embedded"):
            embedder.embed([value])  # type: ignore[list-item]
        with pytest.raises(InvalidArgumentError, match="Only text can be embedded"):
            list(embedder.batches([value]))  # type: ignore[list-item]

    @pytest.mark.parametrize(
        ("query", "related", "unrelated"),
        [
            (
                "Where did you put the silver key?",
                "I hid the silver key under the floor.",
                "It rained for a week.",
            ),
            ("Who burned the mill?", "The mill was burned by bandits.", "My sister sells apples."),
            ("钥匙在哪里", "银钥匙藏在地板下", "今天下雨了"),
        ],
    )
    def test_related_texts_are_more_similar(
        self, embedder: Embedder, query: str, related: str, unrelated: str
    ) -> None:
        asked, near, far = embedder.embed([query, related, unrelated])
        assert float(asked @ near) > float(asked @ far)

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.name
        assert str(embedder.dimension) in embedder.fingerprint

    @pytest.mark.parametrize("name", EMBEDDERS)
    def test_the_vector_does_not_depend_on_the_process(self, name: str) -> None:
        embedder = make_embedder(name)
        program = (
            "from rag_memory.embedding.registry import make_embedder\n"
            f"e = make_embedder({name!r})\n"
            "print(e.fingerprint, e.embed(['The miller owes me three coins.']).tobytes().hex())"
        )
        environment = os.environ | {
            "PYTHONHASHSEED": "7",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }
        output = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        assert output == [
            embedder.fingerprint,
            embedder.embed(["The miller owes me three coins."]).tobytes().hex(),
        ]


class TestRemote:
    """A whole save with a model on another machine."""

    @pytest.fixture
    def save(self, provider: Provider) -> Iterator[Save]:
        with open_save(":memory:", RemoteEmbedder(provider), lambda: 1e9) as save:
            yield save

    @pytest.fixture
    def broken(self, provider: Provider) -> Iterator[Provider]:
        yield provider
        provider.is_broken = False

    def test_memories_are_stored_and_found(self, save: Save) -> None:
        npc = save.npc("elena")
        npc.memories.store_batch([{"text": f"The miller sold sack number {number}."} for number in range(30)])
        npc.memories.store("A dragon burned the barn.")
        assert npc.recall.retrieve_relevant_raw("Which barn was burned by the dragon?", {"limit": 1})[0][
            "document"
        ] == ("A dragon burned the barn.")

    def test_while_it_cannot_be_reached_nothing_is_stored_and_afterwards_everything_is(
        self, save: Save, broken: Provider
    ) -> None:
        npc = save.npc("elena")
        npc.memories.store("A dragon burned the barn.")
        broken.is_broken = True
        with pytest.raises(EmbedderError, match="cannot be reached"):
            npc.memories.store_batch([{"text": f"Sack number {number}."} for number in range(30)])
        with pytest.raises(EmbedderError, match="cannot be reached"):
            npc.recall.retrieve_scored("Who burned the barn?")
        assert npc.memories.get_memory_count() == 1
        broken.is_broken = False
        npc.memories.store_batch([{"text": f"Sack number {number}."} for number in range(30)])
        assert npc.memories.get_memory_count() == 31
        assert npc.recall.retrieve_scored("Who burned the barn?")

    def test_the_same_question_is_asked_once(self, save: Save, provider: Provider) -> None:
        npc = save.npc("elena")
        npc.memories.store("A dragon burned the barn.")
        npc.recall.retrieve_scored("Who burned the barn?")
        requests = provider.requests
        npc.recall.retrieve_scored("Who burned the barn?")
        assert provider.requests == requests


class TestVectorCache:
    def test_it_forgets_what_was_not_asked_for_the_longest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        embedder = HashingEmbedder(8)
        embed, embedded = embedder.embed, list[str]()

        def noted(texts: Sequence[str]) -> FloatMatrix:
            embedded.extend(texts)
            return embed(texts)

        monkeypatch.setattr(embedder, "embed", noted)
        cache = VectorCache(embedder)
        for number in range(256):
            cache.vector(str(number))
        cache.vector("0")
        cache.vector("new")
        assert len(cache) == 256
        embedded.clear()
        cache.vector("0")
        cache.vector("1")
        assert embedded == ["1"]

    def test_a_remembered_vector_cannot_be_changed_by_its_caller(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            VectorCache(HashingEmbedder(8)).vector("Where is the key?")[0] = 5.0


def test_a_backend_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="no embedding backend"):
        make_embedder("telepathy")
