"""All DLLs that the runtime for Windows needs are in it, or part of Windows 10."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_memory_build import cpython_windows, windows_libraries
from rag_memory_build.target_windows import WINDOWS_X86_64

WINDOWS_10 = {
    *("advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "dbghelp.dll", "dxgi.dll", "iphlpapi.dll"),
    *("kernel32.dll", "ntdll.dll", "ole32.dll", "oleaut32.dll", "rpcrt4.dll", "setupapi.dll"),
    *("shell32.dll", "version.dll", "ws2_32.dll"),
    # Since Windows 8; path-l1-1-0 and the C library (crt) in all places since Windows 10.
    *("api-ms-win-core-path-l1-1-0.dll", "api-ms-win-core-synch-l1-2-0.dll"),
}
"""Of the oldest Windows we claim. bcryptprimitives.dll as tokenizers asks for it is newer than Windows 7."""
CRT = "api-ms-win-crt-"

RUNTIME = WINDOWS_X86_64.runtime
LIBRARIES = [
    *sorted(path for path in RUNTIME.rglob("*") if path.suffix in (".dll", ".pyd")),
    WINDOWS_X86_64.library,
]


def found_beside(file: Path) -> set[str]:
    """What is loaded by then, by the host from lib/ and by numpy with its first module, and what Windows
    finds first: beside the library. Before every other folder it looks into the game's own."""
    folders = [RUNTIME / "lib", file.parent]
    if "numpy" in file.parts:
        folders.append(RUNTIME / "site-packages" / "numpy" / "_core")
    return {path.name.lower() for folder in folders for path in folder.glob("*.dll")}


def test_everything_is_found_in_the_runtime_or_in_windows_10() -> None:
    if not RUNTIME.is_dir():
        pytest.skip(f"there is no {RUNTIME}: build.py setup --platform {WINDOWS_X86_64.name} makes it")
    assert len(LIBRARIES) > 25
    missing = []
    for file in LIBRARIES:
        for name in windows_libraries.needed(file):
            if name not in WINDOWS_10 | found_beside(file) and not name.startswith(CRT):
                missing.append(f"{file.name}: {name}")
    assert missing == []


def test_only_microsofts_libraries_have_names_that_another_program_uses() -> None:
    changed = [
        file for file in LIBRARIES if file.is_file() and file.name not in cpython_windows.MICROSOFT_LIBRARIES
    ]
    names = {file.name.lower() for file in changed}
    needed = {name for file in changed for name in windows_libraries.needed(file)}
    common = {*cpython_windows.PRIVATE_NAMES, "onnxruntime.dll"}
    assert (names | needed) & common == set()


def test_no_library_has_the_signature_of_another_content() -> None:
    for file in LIBRARIES:
        if file.is_file():
            changed = set(windows_libraries.needed(file)) & {*cpython_windows.PRIVATE_NAMES.values()}
            assert not (changed and windows_libraries.is_signed(file)), file.name
