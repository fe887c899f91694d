"""The embedding backends by name, and which one is used when nobody chooses."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path

from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.model_folder import LANGUAGE_PACK, model_folder, places_of, remedy
from rag_memory.errors import EmbedderError, InvalidArgumentError

_LOG = logging.getLogger("rag_memory")

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
    return EMBEDDERS[name](places_of(models_folder))


def default_embedder(models_folder: Path | None = None) -> Embedder:
    """The sentence model when one is installed, else the hashing embedder with one warning. The language pack
    has no stand-in: who chose it has texts that the others do not understand.

    Args:
        models_folder: the folder with one folder per model, of which `default` is used, or that
            model's own folder. None: the addon's, found from where this package lies.

    Raises:
        EmbedderError: there is a model, but it is incomplete or damaged; or `models_folder` is the one of the
            language pack, and the pack is not there.
    """
    places = places_of(models_folder)
    if model_folder(places) is not None or any(place.name == LANGUAGE_PACK for place in places):
        return EMBEDDERS["onnx"](places)
    _warn_of_fallback(", ".join(map(str, places)))
    return EMBEDDERS[FALLBACK](places)


def _onnx(places: list[Path]) -> Embedder:
    folder = model_folder(places)
    if folder is None:
        raise EmbedderError(
            "There is no sentence model",
            f"none was found in {', '.join(map(str, places)) or 'any folder'}",
            remedy(*places[:1]),
        )
    # onnxruntime takes 40 ms and 20 MB to import: only who has a model pays for it.
    from rag_memory.embedding.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder(folder)


def _hashing(_places: list[Path]) -> Embedder:
    from rag_memory.embedding.hashing_embedder import HashingEmbedder

    return HashingEmbedder()


EMBEDDERS: dict[str, Callable[[list[Path]], Embedder]] = {"onnx": _onnx, FALLBACK: _hashing}
"""Backend -> what makes one, given the folders in which models may lie."""


@functools.cache
def _warn_of_fallback(places: str) -> None:
    _LOG.warning(
        "No sentence model found (looked in: %s). Memories are compared by their words alone, not by their "
        "meaning. %s.",
        places or "no folder, the package lies outside the addon",
        remedy(),
    )
