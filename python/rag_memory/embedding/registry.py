"""The embedding backends by name, and which one is used when nobody chooses."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path

from rag_memory.embedding.embedder import Embedder
from rag_memory.errors import EmbedderError, InvalidArgumentError

_LOG = logging.getLogger("rag_memory")

_PACKAGE = Path(__file__).resolve().parents[1]

MODEL_FILES = ("model.onnx", "tokenizer.json", "model.json")
FALLBACK = "hashing"
"""Stands in for the sentence model when none is installed."""


def make_embedder(name: str, models_folder: Path | None = None) -> Embedder:
    """The backend of this name.

    Args:
        models_folder: see default_embedder().

    Raises:
        InvalidArgumentError: there is no such backend.
        EmbedderError: it needs a model that is missing, incomplete or damaged.
    """
    if name not in EMBEDDERS:
        raise InvalidArgumentError(
            f"There is no embedding backend {name!r}", "nothing is registered under it", f"Use {[*EMBEDDERS]}"
        )
    return EMBEDDERS[name](_places(models_folder))


def default_embedder(models_folder: Path | None = None) -> Embedder:
    """The sentence model when one is installed, else the hashing embedder with one warning.

    Args:
        models_folder: the folder with one folder per model, of which `default` is used, or that
            model's own folder. None: the addon's, found from where this package lies.

    Raises:
        EmbedderError: there is a model, but it is incomplete or damaged.
    """
    places = _places(models_folder)
    if _model_folder(places) is not None:
        return EMBEDDERS["onnx"](places)
    _warn_of_fallback(", ".join(map(str, places)))
    return EMBEDDERS[FALLBACK](places)


def _onnx(places: list[Path]) -> Embedder:
    folder = _model_folder(places)
    if folder is None:
        raise EmbedderError(
            "There is no sentence model",
            f"none was found in {', '.join(map(str, places)) or 'any folder'}",
            "Build it with `python3 build.py model`, or ship the addon's models folder",
        )
    # onnxruntime takes 40 ms and 20 MB to import: only who has a model pays for it.
    from rag_memory.embedding.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder(folder)


def _hashing(_places: list[Path]) -> Embedder:
    from rag_memory.embedding.hashing_embedder import HashingEmbedder

    return HashingEmbedder()


EMBEDDERS: dict[str, Callable[[list[Path]], Embedder]] = {"onnx": _onnx, FALLBACK: _hashing}
"""Backend -> what makes one, given the folders in which models may lie."""


def _places(models_folder: Path | None) -> list[Path]:
    return _addon_models_folders() if models_folder is None else [Path(models_folder)]


def _model_folder(places: list[Path]) -> Path | None:
    """The first folder that holds a file of a model; what is missing of it is an error, not a reason to look
    elsewhere.
    """
    folders = (folder for place in places for folder in (place, place / "default"))
    return next((folder for folder in folders if any((folder / name).exists() for name in MODEL_FILES)), None)


def _addon_models_folders() -> list[Path]:
    """The addon's models folder as seen from <project>/python/rag_memory and from the staged
    <addon>/runtime/<platform>/site-packages/rag_memory; an exported game keeps the latter's shape."""
    above = _PACKAGE.parents
    folders = []
    if _PACKAGE.parent.name == "python":
        folders.append(above[1] / "addons" / "rag_memory" / "models")
    if _PACKAGE.parent.name == "site-packages" and len(above) > 3:
        folders.append(above[3] / "models")
    return folders


@functools.cache
def _warn_of_fallback(places: str) -> None:
    _LOG.warning(
        "No sentence model found (looked in: %s). Memories are compared by their words alone, not by their "
        "meaning. Run `python3 build.py model`, or ship the addon's models folder with the game.",
        places or "no folder, the package lies outside the addon",
    )
