"""The modules of Python that every game gets can be imported there, and the others are named."""

from __future__ import annotations

import json
import re
import subprocess

from rag_memory_build import cpython, library_part, standard_library, targets
from rag_memory_build.paths import ROOT

RUNTIME = targets.HERE.runtime
GUIDE = (ROOT / "docs" / "rules_in_python.md").read_text(encoding="utf-8")
IMPORT = """
import importlib, os, sys

library, *names = sys.argv[1:]
sys.path[:] = [library, f"{library}/lib-dynload"]
running = "abc codecs encodings io os stat posixpath genericpath importlib zipimport".split()
for name in list(sys.modules):
    if name.partition(".")[0] in set(names) - set(running):
        del sys.modules[name]
for name in names:
    importlib.import_module(name)
"""


def test_every_listed_module_can_be_imported_from_what_is_shipped() -> None:
    library = RUNTIME / "stdlib"
    names = {path.name.partition(".")[0] for path in library.iterdir()}
    assert names >= standard_library.SHIPPED
    words = [
        str(cpython.EXECUTABLE),
        "-I",
        "-S",
        "-c",
        IMPORT,
        str(library),
        *sorted(standard_library.SHIPPED),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_else_is_shipped_and_the_part_has_the_rest() -> None:
    library = RUNTIME / "stdlib"
    names = {path.name.partition(".")[0] for path in library.iterdir()}
    others = {name for name in names - standard_library.SHIPPED if not name.startswith("_sysconfigdata_")}
    assert others == {"LICENSE", "lib-dynload"}
    left_out = json.loads((RUNTIME / "runtime.json").read_text(encoding="utf-8"))["left_out"]
    part = {path.name.partition(".")[0] for path in library_part.prepare(targets.HERE).iterdir()}
    assert set(left_out) == part - {"manifest", "version", "licenses"}
    assert {"asyncio", "xml", "unittest", "http", "email"} <= set(left_out)


def test_the_guide_lists_the_modules_for_rules() -> None:
    listed = set(
        re.findall(r"`(\w+)`", GUIDE.partition("## Which modules can I import?")[2].partition("\n## ")[0])
    )
    public = {name for name in standard_library.SHIPPED if not name.startswith("_")}
    assert public - listed == set()
    assert {name for name in listed if name in standard_library.SHIPPED} == public & listed


def test_the_code_pages_of_windows_are_shipped_and_those_of_mainframes_not() -> None:
    codecs = {path.stem for path in (RUNTIME / "stdlib" / "encodings").iterdir()}
    assert {"utf_8", "utf_16", "latin_1", "cp1252", "cp1251", "cp932", "gbk", "cp437", "idna"} <= codecs
    assert codecs.isdisjoint({"cp037", "mac_roman", "rot_13"})
