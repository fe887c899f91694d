"""Builds the addon's sentence model: exports it to ONNX, quantises it and installs it in the addon."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from . import disk, model_environment, model_source, stamp
from .console import Progress, SetupError, run, say, step
from .lock import exclusive
from .model_source import WEIGHTS, Source
from .paths import CACHE, MODELS, SHARED
from .wheels import sha256_of

FOLDER = MODELS / "default"
PAIRS = SHARED / "data" / "stsb_dev.json"
"""Sentence pairs with human scores. If they are present, parity is measured on them."""

_CACHED = CACHE / "models"
_EXPORTER = [
    Path(__file__).with_name(f"{name}.py")
    for name in ("model_export", "bert_graph", "activation_ranges", "calibration_text")
]
_LICENSES = Path(__file__).with_name("licenses")
_HASHES = "files.json"
_MODEL_FILES = ("model.onnx", WEIGHTS, "tokenizer.json", "model.json", "NOTICE")
_WORK_MEGABYTES = 500
_WORK_PREFIX = ".model-"


def build(source: str | None = None) -> Path:
    """Install a model in the addon's models folder, unless it is installed already; return that folder.

    `source`: the folder or name of a sentence-transformers model; None for the default model. Raises
    SetupError if the model can't be fetched or exported, or is damaged.
    """
    wanted = model_source.identify(source)
    if _is_current_for(wanted):
        return FOLDER
    lock = exclusive(CACHE / "models.lock", "the model step")
    with lock, step(f"Sentence model {wanted.name}") as progress:
        if not _is_current_for(wanted):
            stamp.forget("model")
            cached = _CACHED / _key(wanted.key)
            if not wanted.key or not _is_usable(cached):
                for leftover in CACHE.glob(f"{_WORK_PREFIX}*"):
                    shutil.rmtree(leftover, ignore_errors=True)
                with tempfile.TemporaryDirectory(prefix=_WORK_PREFIX, dir=CACHE) as work:
                    fresh = export(wanted, Path(work), progress)
                    cached = _CACHED / _key(_built_from(fresh))
                    _keep(fresh, cached)
            progress.update("installing")
            _install(cached)
    report()
    return FOLDER


def is_current() -> bool:
    """True if a complete model, made by the present export, is installed."""
    try:
        return _is_installed(_built_from(FOLDER))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def report() -> None:
    """Print what the installed model is and how close it is to the original."""
    model = _describe(FOLDER)
    megabytes = sum((FOLDER / name).stat().st_size for name in ("model.onnx", WEIGHTS)) / 1e6
    say(
        f"  {model['name']}: {model['dimension']} dimensions, {model['max_tokens']} tokens, "
        f"{model['pooling']} pooling, {model['quantization']}, {megabytes:.1f} MB, licence {model['license']}"
    )
    parity = model["parity"]
    say(
        f"  largest difference of the fp32 export to sentence-transformers: "
        f"{parity['fp32_max_abs_difference']:.1e}; mean cosine of the shipped model to it: "
        f"{parity['shipped_mean_cosine']:.4f}"
    )
    spearman = parity["sts_b_dev"]
    if spearman is None:
        say(f"  Spearman on STS-B was not measured: there is no {PAIRS}")
    else:
        say(
            f"  Spearman on {spearman['pairs']} pairs of STS-B dev: sentence-transformers "
            f"{spearman['sentence_transformers']:.2f}, fp32 ONNX {spearman['fp32_onnx']:.2f}, shipped model "
            f"{spearman['shipped_onnx']:.2f}"
        )


def _key(source_key: str) -> str:
    """A key of everything the built files depend on."""
    return stamp.key_of(source_key, *_EXPORTER, *model_environment.PINS)


def _is_current_for(source: Source) -> bool:
    if source.key:
        return _is_installed(source.key)
    # Without a download nothing is known about a published name, so a model built from it is current.
    return is_current() and bool(_describe(FOLDER)["published_name"] == source.place)


def _is_installed(source_key: str) -> bool:
    products = [FOLDER / name for name in _MODEL_FILES]
    if not stamp.is_current("model", _key(source_key), MODELS / ".gdignore", *products):
        return False
    # Sizes, not hashes: this runs before every demo and test, and must not read 23 MB each time.
    sizes = {name: (FOLDER / name).stat().st_size for name in _MODEL_FILES}
    try:
        return bool(json.loads((FOLDER / _HASHES).read_bytes())["sizes"] == sizes) and _has_parity(FOLDER)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _has_parity(folder: Path) -> bool:
    """False if Spearman was not measured but can be now."""
    return _describe(folder)["parity"]["sts_b_dev"] is not None or not PAIRS.is_file()


def _describe(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / "model.json").read_bytes())
    return values


def _built_from(folder: Path) -> str:
    return str(_describe(folder)["built_from"])


def _is_usable(cached: Path) -> bool:
    """True if every file of a cached model has its original hash."""
    if not cached.is_dir():
        return False
    try:
        hashes = json.loads((cached / _HASHES).read_bytes())["sha256"]
        current = {file.name: sha256_of(file) for file in cached.iterdir() if file.name != _HASHES}
        whole = bool(current == hashes and set(_MODEL_FILES) <= current.keys())
        parity = whole and _has_parity(cached)
    except (OSError, ValueError, KeyError, TypeError):
        whole = parity = False
    if not whole:
        say(f"  the cached model {cached} is damaged and is built again")
    return parity


def export(source: Source, work: Path, progress: Progress) -> Path:
    python = model_environment.prepare(progress)
    disk.require_free(CACHE, _WORK_MEGABYTES, "the export of the model")
    made = work / "made"
    made.mkdir()
    with model_source.opened(source, progress) as place:
        command: list[str | Path] = [python, "-m", "rag_memory_build.model_export", place, made]
        command += ["--name", source.name]
        command += ["--built-from", source.key]
        if PAIRS.is_file():
            command += ["--pairs", PAIRS]
        try:
            run(
                command,
                what=f"Exporting the model {source.name}",
                remedy="read the log; check the free memory and disk space, then run this again",
                log="model-export",
                environment=model_environment.variables(offline=bool(source.key)),
                progress=progress,
            )
        except SetupError as error:
            raise refusal(made / "refusal.json") or error from None
    license_text = _LICENSES / "Apache-2.0.txt"
    if _describe(made)["license"] == "apache-2.0" and not (made / "LICENSE").exists():
        shutil.copy(license_text, made / "LICENSE")
    return made


def refusal(file: Path) -> SetupError | None:
    """Read the error that the export wrote about an unusable model."""
    try:
        return SetupError(**json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None


def _keep(fresh: Path, cached: Path) -> None:
    files = sorted(file for file in fresh.iterdir() if file.is_file())
    written = {
        "sha256": {file.name: sha256_of(file) for file in files},
        "sizes": {file.name: file.stat().st_size for file in files if file.name in _MODEL_FILES},
    }
    _copy(files, cached, written)


def _install(cached: Path) -> None:
    MODELS.mkdir(parents=True, exist_ok=True)
    # The editor must not scan the folder, and no PCK may include it.
    (MODELS / ".gdignore").touch()
    files = sorted(file for file in cached.iterdir() if file.name != _HASHES)
    _copy(files, FOLDER, json.loads((cached / _HASHES).read_bytes()))
    stamp.finish("model", _key(_built_from(FOLDER)))


def _copy(files: list[Path], folder: Path, written: dict[str, Any]) -> None:
    try:
        with disk.replacing(folder) as fresh:
            for file in files:
                shutil.copy(file, fresh / file.name)
            (fresh / _HASHES).write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise (
            disk.full_disk_error(error)
            or SetupError(f"{folder} cannot be written", str(error), "make it writable, then run this again")
        ) from error
