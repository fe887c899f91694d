"""Requirements of the Linux builds, read from their files."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rag_memory_build import compiler, elf_symbols, patchelf, target_linux, targets
from rag_memory_build.target import Target

LINUX = [each for each in targets.TARGETS.values() if each.name.startswith("linux_")]
_MACHINES = {"linux_x86_64": "Advanced Micro Devices X86-64", "linux_arm64": "AArch64"}
_OLDEST = {
    "GLIBC": target_linux.OLDEST_GLIBC,
    # Of GCC 12, which Debian 12 brings beside that glibc.
    "GLIBCXX": (3, 4, 30),
    "CXXABI": (1, 3, 13),
    "GCC": (12, 0, 0),
}


@dataclass(frozen=True)
class Library:
    """readelf's description of a file."""

    machine: str
    needed: tuple[str, ...]
    versions: tuple[tuple[str, tuple[int, ...]], ...]
    exported: tuple[str, ...]


def read(file: Path) -> Library:
    words = ["readelf", "--wide", "--file-header", "--dynamic", "--version-info", "--dyn-syms", str(file)]
    text = subprocess.check_output(
        words, text=True, errors="replace", env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    )
    machine = re.search(r"^ +Machine: +(.*)$", text, re.MULTILINE)
    assert machine is not None, file
    versions = re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+) ", text)
    symbols = re.findall(r"(?:FUNC|OBJECT) +(?:GLOBAL|WEAK) +DEFAULT +(?!UND)\S+ (\S+)$", text, re.MULTILINE)
    return Library(
        machine[1],
        tuple(re.findall(r"\(NEEDED\).*\[(.*)\]", text)),
        tuple((name, tuple(map(int, version.split(".")))) for name, version in versions),
        tuple(symbols),
    )


def built(target: Target) -> Iterator[Path]:
    """Every ELF file of a platform that was built here."""
    for file in (target.library, *sorted(target.runtime.rglob("*"))):
        if patchelf.is_elf(file):
            yield file


@pytest.fixture(
    scope="module", params=[each for each in LINUX if each.library.is_file()], ids=lambda t: t.name
)
def files(request: pytest.FixtureRequest) -> dict[Path, Library]:
    target: Target = request.param
    found = {file: read(file) for file in built(target)}
    assert {each.machine for each in found.values()} == {_MACHINES[target.name]}
    return found


def test_nothing_asks_for_a_newer_system_than_claimed(files: dict[Path, Library]) -> None:
    newer = {
        (file.name, name, version)
        for file, library in files.items()
        for name, version in library.versions
        if version > _OLDEST[name]
    }
    assert not newer


def test_every_needed_library_is_shipped_or_part_of_every_system(files: dict[Path, Library]) -> None:
    shipped = {file.name for file in files}
    missing = {
        (file.name, name)
        for file, library in files.items()
        for name in library.needed
        if name not in shipped and not target_linux.SYSTEM_LIBRARIES.match(name)
    }
    assert not missing


def test_our_own_libraries_export_only_their_entry(files: dict[Path, Library]) -> None:
    for file, library in files.items():
        name = file.name.partition(".")[0]
        if name in ("librag_memory", "hnswlib", "vector_scan", "variant_encoding"):
            entry = "rag_memory_init" if name == "librag_memory" else f"PyInit_{name}"
            assert library.exported == (entry,), file.name


def test_a_library_works_without_its_symbol_table(tmp_path: Path) -> None:
    source, library = tmp_path / "answer.cpp", tmp_path / "libanswer.so"
    source.write_text('static int hidden() { return 42; }\nextern "C" int answer() { return hidden(); }\n')
    subprocess.run([*compiler.find(), "-shared", "-fPIC", source, "-o", library], check=True)
    before = read(library)
    size = library.stat().st_size
    assert elf_symbols.remove(library)
    assert library.stat().st_size < size
    assert read(library) == before
    assert not elf_symbols.remove(library), "there is none any more"
    assert ctypes.CDLL(str(library)).answer() == 42


def test_the_tokenizer_is_shipped_without_its_symbol_table() -> None:
    library = next((targets.HERE.runtime / "site-packages" / "tokenizers").glob("*.so"))
    sections = subprocess.check_output(["readelf", "--wide", "--section-headers", library], text=True)
    assert ".dynsym" in sections and ".symtab" not in sections
