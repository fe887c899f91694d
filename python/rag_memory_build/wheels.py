"""Pinned Python packages: fetched by the host's pip, verified, cached, installed for the private Python."""

from __future__ import annotations

import concurrent.futures
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .console import Progress, SetupError, run
from .lock import exclusive
from .paths import CACHE

WHEELS = CACHE / "wheels"
PYTHON_TAG = "311"
_PACKAGES_PER_DOWNLOAD = 8
_DOWNLOADS_AT_ONCE = 3

_GLIBC_MINORS = (28, 27, 26, 24, 17, 12, 5)

LINUX_X86_64 = (
    *(f"manylinux_2_{minor}_x86_64" for minor in _GLIBC_MINORS),
    *("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"),
)
"""Platform tags of wheels for the private Python."""
LINUX_ARM64 = (*(f"manylinux_2_{minor}_aarch64" for minor in _GLIBC_MINORS), "manylinux2014_aarch64")

# pip wants a project's metadata before it hands out a source archive and would build a whole environment and
# run the archive's code for it. This stand-in for setuptools answers instead.
_METADATA_BACKEND = """\
import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = pathlib.Path(folder, "{name}-{version}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return info.name
"""


@dataclass(frozen=True)
class Requirement:
    """A pinned package with the SHA-256 of its files."""

    name: str
    version: str
    hashes: frozenset[str]

    def lines(self) -> str:
        pins = "".join(f" \\\n    --hash=sha256:{pin}" for pin in sorted(self.hashes))
        return f"{self.name}=={self.version}{pins}\n"

    def cached(self, platforms: Sequence[str]) -> Path | None:
        """Find the file in the cache for these platforms. Files with a wrong hash are removed."""
        pattern = re.compile(rf"{self.name}-{re.escape(self.version)}(-|\.tar|\.zip)", re.IGNORECASE)
        for file in sorted(WHEELS.glob("*")):
            if pattern.match(file.name.replace("_", "-", self.name.count("-"))) and _fits(file, platforms):
                if sha256_of(file) in self.hashes:
                    return file
                file.unlink()
        return None


def _fits(file: Path, platforms: Sequence[str]) -> bool:
    """True if a wheel is for one of the platforms. A source archive is for all."""
    tags = file.stem.rpartition("-")[2].split(".")
    return file.suffix != ".whl" or "any" in tags or any(tag in platforms for tag in tags)


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def read_requirements(*files: Path) -> list[Requirement]:
    """Read pinned packages from requirements files with hashes. Later pins replace earlier ones."""
    requirements: dict[str, Requirement] = {}
    entries = "".join(file.read_text(encoding="utf-8") for file in files)
    for entry in entries.replace("\\\n", " ").splitlines():
        match = re.match(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)", entry)
        if match:
            hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
            requirements[match["name"]] = Requirement(match["name"], match["version"], hashes)
    return list(requirements.values())


def fetch(
    requirements: Path,
    progress: Progress,
    sources: Sequence[str] = (),
    *,
    platforms: Sequence[str] = LINUX_X86_64,
    pinned_otherwise: Sequence[Path] = (),
    only: Sequence[str] = (),
) -> dict[str, Path]:
    """Download the packages pinned in `requirements` into the cache; return their files by name.

    Args:
        pinned_otherwise: files with pins that replace those of `requirements`.
        only: the packages to fetch; by default all of them.
        sources: names of packages that are fetched as source archives, not as wheels.
    """
    pinned = read_requirements(requirements, *pinned_otherwise)
    wanted = [requirement for requirement in pinned if not only or requirement.name in only]
    with exclusive(CACHE / "wheels.lock", "the package cache"):
        WHEELS.mkdir(parents=True, exist_ok=True)
        files = {requirement.name: requirement.cached(platforms) for requirement in wanted}
        missing = [r for r in wanted if files[r.name] is None and r.name not in sources]
        batches = [
            missing[i : i + _PACKAGES_PER_DOWNLOAD] for i in range(0, len(missing), _PACKAGES_PER_DOWNLOAD)
        ]
        with concurrent.futures.ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
            for number, _ in enumerate(
                pool.map(lambda batch: _download_wheels(batch, platforms), batches), 1
            ):
                done = min(number * _PACKAGES_PER_DOWNLOAD, len(missing))
                progress.update(f"downloaded {done} of {len(missing)} packages")
        for requirement in wanted:
            if files[requirement.name] is None and requirement.name in sources:
                _download_source(requirement)
        paths: dict[str, Path] = {}
        for requirement in wanted:
            file = files[requirement.name] or requirement.cached(platforms)
            if file is None:
                raise SetupError(
                    f"The package {requirement.name} {requirement.version} is not what its pins describe",
                    f"the downloaded file has none of the hashes in {requirements}; it was removed",
                    "run this again; if it happens again, check the package index that pip is set to use",
                )
            paths[requirement.name] = file
    return paths


def install(
    files: Sequence[Path], folder: Path, log: str, *, platforms: Sequence[str] = LINUX_X86_64
) -> None:
    """Install wheel files into `folder`, without byte code or dependencies."""
    options = ("--no-index", "--no-deps", "--no-compile", "--no-warn-conflicts", f"--target={folder}")
    _pip(["install", *options, *_for(platforms), *files], what="Installing Python packages", log=log)


def _for(platforms: Sequence[str]) -> list[str]:
    """pip's options for wheels of these platforms."""
    words = ["--only-binary=:all:", "--implementation=cp", f"--python-version={PYTHON_TAG}"]
    return [*words, *(f"--platform={platform}" for platform in platforms)]


def _download_wheels(requirements: Sequence[Requirement], platforms: Sequence[str]) -> None:
    _download(requirements, ["download", "--no-deps", "--require-hashes", *_for(platforms)], {})


def _download_source(requirement: Requirement) -> None:
    with tempfile.TemporaryDirectory() as folder:
        backend = Path(folder, "setuptools")
        backend.mkdir()
        (backend / "__init__.py").touch()
        text = _METADATA_BACKEND.format(name=requirement.name, version=requirement.version)
        (backend / "build_meta.py").write_text(text)
        options = [
            "--no-deps",
            "--require-hashes",
            "--no-binary=:all:",
            "--no-build-isolation",
            "--use-pep517",
        ]
        _download([requirement], ["download", *options], {"PYTHONPATH": folder})


def _download(requirements: Sequence[Requirement], words: Sequence[str], variables: dict[str, str]) -> None:
    # Into a temporary folder first, so that only complete files with the right hash reach the cache.
    with tempfile.TemporaryDirectory(prefix=".incoming-", dir=WHEELS.parent) as folder:
        pins = Path(folder, "requirements.txt")
        pins.write_text("".join(requirement.lines() for requirement in requirements))
        _pip(
            [*words, "--dest", f"{folder}/files", "--requirement", pins],
            what=f"Downloading {', '.join(requirement.name for requirement in requirements)}",
            log=f"pip-download-{requirements[0].name}",
            variables=variables,
        )
        for file in Path(folder, "files").iterdir():
            shutil.move(file, WHEELS / file.name)


def _pip(
    words: Sequence[str | os.PathLike[str]], *, what: str, log: str, variables: dict[str, str] | None = None
) -> None:
    if importlib.util.find_spec("pip") is None:
        raise SetupError(
            f"{what} failed",
            f"{sys.executable} has no pip",
            "install it (Debian: apt install python3-pip; elsewhere: python3 -m ensurepip), run this again",
        )
    run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-q", *words],
        what=what,
        remedy="check the network, the package index pip is set to use, and the free disk space, then run "
        "this again: finished downloads are not repeated",
        log=log,
        environment={**os.environ, **(variables or {}), "PIP_ROOT_USER_ACTION": "ignore"},
    )
