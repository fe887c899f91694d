"""Embedders: what every one of them promises, and what each does with a missing or damaged model."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.embedding.embedder import MODEL_FILES, Embedder, default_embedder
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.embedding.query_cache import QueryCache
from rag_memory.errors import EmbedderError, InvalidArgumentError
from rag_memory.vectors import FloatMatrix, FloatVector, unit_rows

_WORDS = (
    "key",
    "miller",
    "dragon",
    "Elderwood",
    "three",
    "coins,",
    "burned",
    "not",
    "钥匙",
    "where?",
    "1453",
)

PROJECT = Path(__file__).resolve().parents[3]
MODEL = PROJECT / "addons" / "rag_memory" / "models" / "default"

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


@pytest.fixture(scope="module")
def onnx() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


@pytest.fixture(params=["onnx", "hashing"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    chosen: Embedder = HashingEmbedder() if request.param == "hashing" else request.getfixturevalue("onnx")
    return chosen


@pytest.fixture
def model_copy(tmp_path: Path) -> Path:
    folder = tmp_path / "Modell für Élise"
    shutil.copytree(MODEL, folder)
    return folder


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
        in_batches = np.zeros_like(together)
        seen: list[int] = []
        for positions, vectors in embedder.batches(texts):
            in_batches[positions] = vectors
            seen.extend(positions.tolist())
        assert sorted(seen) == list(range(len(texts)))
        assert in_batches.tobytes() == together.tobytes()
        for text, vector in zip(texts, together, strict=True):
            assert embedder.embed([text])[0].tobytes() == vector.tobytes()
            assert embedder.embed_query(text).tobytes() == vector.tobytes()
            assert embedder.embed_query(text).tobytes() == vector.tobytes()

    def test_no_texts_give_an_empty_matrix_and_no_batches(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimension)
        assert list(embedder.batches([])) == []

    def test_a_remembered_query_cannot_be_changed_by_its_caller(self, embedder: Embedder) -> None:
        with pytest.raises(ValueError, match="read-only"):
            embedder.embed_query("Where is the key?")[0] = 5.0

    @pytest.mark.parametrize("value", [None, 5, b"bytes", ["list"]])
    def test_what_is_not_text_is_refused(self, embedder: Embedder, value: object) -> None:
        with pytest.raises(InvalidArgumentError, match="Only text can be embedded"):
            embedder.embed([value])  # type: ignore[list-item]

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

    def test_the_vector_does_not_depend_on_the_process(self, embedder: Embedder) -> None:
        module, argument = type(embedder).__module__, "" if embedder.is_fallback else repr(str(MODEL))
        program = (
            f"from {module} import {type(embedder).__name__} as E\n"
            f"e = E({argument})\n"
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


class TestHashingEmbedder:
    def test_its_bits_never_change_while_its_fingerprint_stays(self) -> None:
        # Saves keep these vectors under "hashing-v1-384": other bits need another fingerprint.
        texts = [
            "The miller owes me three coins.",
            "银钥匙藏在地板下",
            "खिलाड़ी ने वादा किया",
            "🔥 the key the key",
            "",
        ]
        digest = hashlib.sha256(HashingEmbedder().embed(texts).tobytes()).hexdigest()
        assert HashingEmbedder().fingerprint == "hashing-v1-384"
        assert digest == "eda9b5a38be7da36634e334c4d36a4f0dd8f2ef5ac6f4c39992fd18cd62d2a3d"

    def test_case_and_compatibility_forms_do_not_matter(self) -> None:
        vectors = HashingEmbedder().embed(["STRASSE Café ﬁre", "straße Cafe\u0301 fire"])
        assert vectors[0].tobytes() == vectors[1].tobytes()

    def test_a_common_small_word_counts_less_than_a_name(self) -> None:
        query, small, name = HashingEmbedder().embed(["the Elderwood", "the cat", "Elderwood burns"])
        assert float(query @ name) > 2 * float(query @ small)

    @pytest.mark.parametrize("dimension", [8, 100, 1024])
    def test_it_has_the_dimension_that_was_asked_for(self, dimension: int) -> None:
        embedder = HashingEmbedder(dimension)
        assert embedder.embed(["a key"]).shape == (1, dimension)
        assert embedder.fingerprint == f"hashing-v1-{dimension}"

    @pytest.mark.parametrize("dimension", [0, -1, 7, 65537])
    def test_a_senseless_dimension_is_refused(self, dimension: int) -> None:
        with pytest.raises(InvalidArgumentError, match="dimension"):
            HashingEmbedder(dimension)

    @given(st.text(st.characters(codec=None), max_size=200))
    @settings(max_examples=200, deadline=None)
    def test_no_text_at_all_has_a_zero_vector(self, text: str) -> None:
        for dimension in (8, 384):
            vector = HashingEmbedder(dimension).embed([text])[0]
            assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


class TestOnnxEmbedder:
    def test_it_has_what_model_json_says(self, onnx: OnnxEmbedder) -> None:
        description = json.loads((MODEL / "model.json").read_text(encoding="utf-8"))
        assert (onnx.name, onnx.dimension) == (description["name"], description["dimension"])
        assert onnx.max_tokens == description["max_tokens"]
        assert not onnx.is_fallback

    def test_words_behind_max_tokens_do_not_matter_and_words_before_do(self, onnx: OnnxEmbedder) -> None:
        text = "key " * (onnx.max_tokens * 2)
        base, behind, before = onnx.embed([text, text + "dragon", "dragon " + text])
        assert base.tobytes() == behind.tobytes()
        assert base.tobytes() != before.tobytes()

    def test_meaning_without_a_shared_word_is_found(self, onnx: OnnxEmbedder) -> None:
        query, related, unrelated = onnx.embed(
            ["Is your brother still alive?", "My sibling died in the war.", "Bread costs two coins."]
        )
        assert float(query @ related) > float(query @ unrelated) + 0.1

    @given(st.lists(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join), min_size=8, max_size=60))
    @settings(max_examples=25, deadline=None)
    def test_neighbours_never_change_a_vector(self, onnx: OnnxEmbedder, texts: list[str]) -> None:
        assert onnx._texts_together
        found = np.zeros((len(texts), onnx.dimension), dtype=np.float32)
        for positions, vectors in onnx.batches(texts):
            found[positions] = vectors
        alone = {text: onnx.embed([text])[0] for text in texts}
        for text, vector in zip(texts, found, strict=True):
            assert vector.tobytes() == alone[text].tobytes()

    def test_a_model_whose_scales_are_not_fixed_reads_every_text_apart(
        self, onnx: OnnxEmbedder, model_copy: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _describe(model_copy, "texts_together", False)
        apart = OnnxEmbedder(model_copy)
        sizes: list[int] = []
        compute = apart._vectors

        def counted(texts: Sequence[Sequence[int]]) -> FloatMatrix:
            sizes.append(len(texts))
            return compute(texts)

        monkeypatch.setattr(apart, "_vectors", counted)
        texts = [f"{word} key" for word in _WORDS]
        for positions, vectors in apart.batches(texts):
            expected = onnx.embed([texts[position] for position in positions.tolist()])
            assert vectors.tobytes() == expected.tobytes()
        assert sizes == [1] * len(texts)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("source_hash", "other"),
            ("max_tokens", 7),
            ("pooling", "other"),
            ("quantization", "other"),
            ("name", "x"),
        ],
    )
    def test_another_model_has_another_fingerprint(
        self, onnx: OnnxEmbedder, model_copy: Path, field: str, value: object
    ) -> None:
        assert OnnxEmbedder(model_copy).fingerprint == onnx.fingerprint
        _describe(model_copy, field, _other_pooling() if field == "pooling" else value)
        assert OnnxEmbedder(model_copy).fingerprint != onnx.fingerprint

    def test_the_other_pooling_gives_another_vector(self, onnx: OnnxEmbedder, model_copy: Path) -> None:
        _describe(model_copy, "pooling", _other_pooling())
        vector = OnnxEmbedder(model_copy).embed(["a key"])[0]
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
        assert float(vector @ onnx.embed(["a key"])[0]) < 0.999

    @pytest.mark.parametrize("name", MODEL_FILES)
    @pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "garbage", "folder"])
    def test_a_damaged_model_names_its_file_and_a_remedy(
        self, model_copy: Path, name: str, damage: str
    ) -> None:
        file = model_copy / name
        content = file.read_bytes()
        file.unlink()
        if damage == "folder":
            file.mkdir()
        elif damage != "missing":
            file.write_bytes(
                {"empty": b"", "truncated": content[: len(content) // 2]}.get(damage, b"\xff\x00" * 99)
            )
        with pytest.raises(EmbedderError, match=name) as caught:
            default_embedder(model_copy)
        assert "build.py model" in caught.value.remedy

    @pytest.mark.parametrize(
        ("field", "value", "why"),
        [
            ("dimension", 768, "dimension 768"),
            ("dimension", 0, "at least 1"),
            ("dimension", "384", "dimension"),
            ("dimension", True, "dimension"),
            ("max_tokens", None, "max_tokens"),
            ("pooling", "max", "mean, cls"),
            ("source_hash", 5, "source_hash"),
            ("texts_together", None, "texts_together"),
        ],
    )
    def test_a_wrong_description_is_refused(
        self, model_copy: Path, field: str, value: object, why: str
    ) -> None:
        _describe(model_copy, field, value)
        with pytest.raises(EmbedderError, match=why):
            OnnxEmbedder(model_copy)


class TestDefaultEmbedder:
    def test_it_is_the_sentence_model_of_the_addon(self, onnx: OnnxEmbedder) -> None:
        assert default_embedder().fingerprint == onnx.fingerprint

    @pytest.mark.parametrize(
        ("package", "models"),
        [
            ("python/rag_memory", "addons/rag_memory/models/default"),
            (
                "addons/rag_memory/runtime/linux_x86_64/site-packages/rag_memory",
                "addons/rag_memory/models/default",
            ),
            ("game/runtime/linux_x86_64/site-packages/rag_memory", "game/models/default"),
        ],
        ids=["development", "staged", "exported"],
    )
    def test_the_model_is_found_from_where_the_package_lies(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, onnx: OnnxEmbedder, package: str, models: str
    ) -> None:
        (tmp_path / models).parent.mkdir(parents=True)
        (tmp_path / models).symlink_to(MODEL)
        monkeypatch.setattr("rag_memory.embedding.embedder._PACKAGE", tmp_path / package)
        assert default_embedder().fingerprint == onnx.fingerprint

    def test_the_models_folder_and_the_models_own_folder_both_name_it(self, onnx: OnnxEmbedder) -> None:
        assert default_embedder(MODEL).fingerprint == onnx.fingerprint
        assert default_embedder(MODEL.parent).fingerprint == onnx.fingerprint

    def test_without_a_model_it_hashes_and_warns_once(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.DEBUG, logger="rag_memory"):
            chosen = [default_embedder(tmp_path) for _ in range(3)]
        assert [e.is_fallback for e in chosen] == [True] * 3
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert str(tmp_path) in caplog.text
        assert "build.py model" in caplog.text

    def test_a_package_outside_the_addon_hashes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for place in (tmp_path / "lib" / "rag_memory", Path("/site-packages/rag_memory")):
            monkeypatch.setattr("rag_memory.embedding.embedder._PACKAGE", place)
            assert default_embedder().is_fallback


class TestQueryCache:
    def test_it_forgets_what_was_not_asked_for_the_longest(self) -> None:
        computed: list[str] = []

        def compute(text: str) -> FloatVector:
            computed.append(text)
            return np.zeros(3, dtype=np.float32)

        cache = QueryCache(compute)
        for number in range(256):
            cache.vector(str(number))
        cache.vector("0")
        cache.vector("new")
        assert len(cache) == 256
        computed.clear()
        cache.vector("0")
        cache.vector("1")
        assert computed == ["1"]


@given(st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), max_size=5))
def test_unit_rows_have_length_one_whatever_comes(rows: list[list[float]]) -> None:
    units = unit_rows(np.array(rows, dtype=np.float32).reshape(-1, 3))
    assert np.allclose(np.linalg.norm(units, axis=1), 1.0, atol=1e-6)


def _other_pooling() -> str:
    pooling = json.loads((MODEL / "model.json").read_text(encoding="utf-8"))["pooling"]
    return "mean" if pooling == "cls" else "cls"


def _describe(folder: Path, field: str, value: object) -> None:
    file = folder / "model.json"
    file.write_text(
        json.dumps(json.loads(file.read_text(encoding="utf-8")) | {field: value}), encoding="utf-8"
    )
