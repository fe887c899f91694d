"""What turns texts into vectors: the interface, and the choice of the one to use."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_LOG = logging.getLogger("rag_memory")

_PACKAGE = Path(__file__).resolve().parents[1]

MODEL_FILES = ("model.onnx", "tokenizer.json", "model.json")


class Embedder(Protocol):
    """Maps a text to a vector of length 1 such that related texts have a high cosine.

    The same text always gives the same vector, bit for bit, alone or among others.
    """

    @property
    def fingerprint(self) -> str:
        """Identifies model and dimension: vectors of different fingerprints must not be compared."""

    @property
    def name(self) -> str:
        """What a person calls the model."""

    @property
    def dimension(self) -> int:
        """Numbers per vector."""

    @property
    def max_tokens(self) -> int:
        """The part of a text that is read; what comes later does not change its vector."""

    @property
    def is_fallback(self) -> bool:
        """True when this one stands in for a model that is not there."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """The vectors of `texts`, [len(texts), dimension], each of length 1, in their order."""

    def embed_query(self, text: str) -> FloatVector:
        """The vector of one text, [dimension], read-only; the last few hundred are remembered."""

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """The same as `embed`, a few milliseconds at a time: (positions in `texts`, their vectors).

        Every position comes exactly once; do not rely on the order. A pair may be empty, when nothing was
        ready in time.
        """


def default_embedder(models_folder: Path | None = None) -> Embedder:
    """The sentence model when one is installed, else the hashing embedder with one warning.

    Args:
        models_folder: the folder with one folder per model, of which `default` is used, or that
            model's own folder. None: the addon's, found from where this package lies.

    Raises:
        EmbedderError: there is a model, but it is incomplete or damaged.
    """
    places = [Path(models_folder)] if models_folder is not None else _addon_models_folders()
    folders = [folder for place in places for folder in (place, place / "default")]
    for folder in folders:
        if any((folder / name).exists() for name in MODEL_FILES):
            # onnxruntime takes 40 ms and 20 MB to import: only who has a model pays for it.
            from rag_memory.embedding.onnx_embedder import OnnxEmbedder

            return OnnxEmbedder(folder)
    _warn_of_fallback(", ".join(str(place) for place in places))
    return HashingEmbedder()


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
