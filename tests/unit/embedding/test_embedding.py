"""What each embedding backend does by itself, and with a missing or damaged model; what every one of them
promises is in test_embedding_contract.py.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnxruntime import InferenceSession

from rag_memory.embedding import model_folder
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.model_folder import MODEL_FILES
from rag_memory.embedding.onnx_embedder import OnnxEmbedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.errors import EmbedderError, InvalidArgumentError
from rag_memory.vectors import unit_rows

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


@pytest.fixture(scope="module")
def onnx() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


@pytest.fixture
def model_copy(tmp_path: Path) -> Path:
    folder = tmp_path / "Modell für Élise"
    shutil.copytree(MODEL, folder)
    return folder


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

    def test_a_model_whose_scales_are_not_fixed_reads_every_text_apart(
        self, onnx: OnnxEmbedder, model_copy: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _describe(model_copy, "texts_together", False)
        apart = OnnxEmbedder(model_copy)
        texts = [f"{word} key" for word in _WORDS]
        expected = onnx.embed(texts)
        sizes: list[int] = []
        compute = InferenceSession.run

        def counted(session: InferenceSession, outputs: list[str], feeds: dict[str, Any]) -> Any:
            sizes.append(len(next(iter(feeds.values()))))
            return compute(session, outputs, feeds)

        monkeypatch.setattr(InferenceSession, "run", counted)
        for positions, vectors in apart.batches(texts):
            assert vectors.tobytes() == expected[positions].tobytes()
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
        shutil.copytree(MODEL, tmp_path / models)
        monkeypatch.setattr("rag_memory.embedding.model_folder._PACKAGE", tmp_path / package)
        assert default_embedder().fingerprint == onnx.fingerprint

    def test_the_models_folder_and_the_models_own_folder_both_name_it(self, onnx: OnnxEmbedder) -> None:
        assert default_embedder(MODEL).fingerprint == onnx.fingerprint
        assert default_embedder(MODEL.parent).fingerprint == onnx.fingerprint

    def test_without_a_model_it_hashes_and_warns_once(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.DEBUG, logger="rag_memory"):
            chosen = [default_embedder(tmp_path) for _ in range(3)]
        assert [e.name for e in chosen] == ["hashing"] * 3
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert str(tmp_path) in caplog.text
        assert "build.py model" in caplog.text

    def test_a_package_outside_the_addon_hashes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for place in (tmp_path / "lib" / "rag_memory", Path("/site-packages/rag_memory")):
            monkeypatch.setattr("rag_memory.embedding.model_folder._PACKAGE", place)
            assert default_embedder().name == "hashing"

    def test_a_missing_language_pack_has_no_stand_in(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pack = tmp_path / "models" / "multilingual"
        with pytest.raises(EmbedderError, match=r"build\.py model --language-pack multilingual"):
            default_embedder(pack)
        monkeypatch.setattr(model_folder, "_PACKAGE", Path("/game/site-packages/rag_memory"))
        with pytest.raises(EmbedderError, match=r"ends in -multilingual\.zip"):
            default_embedder(pack)

    def test_only_who_has_the_repository_is_told_to_build(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert model_folder.remedy() == "Build the model with `python3 build.py model`"
        shipped = Path("/game/addons/rag_memory/runtime/linux_x86_64/site-packages/rag_memory")
        monkeypatch.setattr(model_folder, "_PACKAGE", shipped)
        assert "build.py" not in model_folder.remedy()
        assert "models/default/ from the zip file" in model_folder.remedy()


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
