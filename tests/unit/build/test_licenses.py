"""Every library that is shipped has the text of its licence beside it, and a line in the list of licences."""

from __future__ import annotations

import json
import re

import pytest

from rag_memory_build import server_part, targets
from rag_memory_build.paths import ADDON, ROOT

LIST = (ADDON / "THIRD_PARTY_LICENSES.md").read_text(encoding="utf-8")
LIBRARY = re.compile(r"\.(so|dll|pyd|dylib)(\.[\d.]+)?$")
_PYTHON = r"python|libpython3\.11-minimal"
_BY_ZIG = (r"llvm-libcxx", r"llvm-libcxxabi", r"llvm-libunwind", r"zig-compiler_rt")
_DYNLOAD = r"^stdlib/lib-dynload/"

# Libraries by their path in the runtime, and the texts that cover each of them.
COVERED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^lib/(librag_memory_python\.(so|dylib)|(python311|python3|rmpy311)\.dll)$", (_PYTHON,)),
    (
        r"^lib/(vcruntime140|msvcp140|rmmsvcp)(_1)?\.dll$",
        ("microsoft-vc-runtime", "python-microsoft"),
    ),
    (r"^lib/rag_memory_libsqlite3\.", ("libsqlite3-0",)),
    (r"^lib/rag_memory_libffi\.", ("libffi8",)),
    (r"^lib/rag_memory_libz\.", ("zlib1g",)),
    (r"^lib/rag_memory_libbz2\.", (r"libbz2-1\.0",)),
    (r"^lib/rag_memory_liblzma\.", ("liblzma5",)),
    (r"^lib/rag_memory_libexpat\.", ("libexpat1",)),
    (r"^lib/rag_memory_libuuid\.", ("libuuid1",)),
    (r"^(stdlib/lib-dynload|lib)/(sqlite3|rmsqlit)\.dll$", ("libsqlite3-0",)),
    (r"^(stdlib/lib-dynload|lib)/(libffi-8|rmlibffi)\.dll$", ("libffi8",)),
    (_DYNLOAD + r"pyexpat\.pyd$", (_PYTHON, "libexpat1")),
    (_DYNLOAD + r"_bz2\.pyd$", (_PYTHON, r"libbz2-1\.0")),
    (_DYNLOAD + r"_lzma\.pyd$", (_PYTHON, "liblzma5")),
    (_DYNLOAD + r"\w+(\.[\w-]+)?\.(so|pyd)$", (_PYTHON,)),
    (r"^site-packages/numpy(\.libs)?/", ("numpy-LICENSE",)),
    (r"^site-packages/onnxruntime/", ("onnxruntime-LICENSE", "onnxruntime-ThirdPartyNotices")),
    (r"^site-packages/tokenizers/", ("tokenizers",)),
    (r"^site-packages/hnswlib\.", ("hnswlib", "pybind11")),
    (r"^site-packages/(variant_encoding|vector_scan)\.", ()),
)


def test_a_game_has_the_licence_of_the_addon() -> None:
    shipped = targets.HERE.runtime / "site-packages" / "rag_memory" / "LICENSE"
    assert shipped.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_library_of_a_staged_runtime_is_under_a_licence_that_is_there(name: str) -> None:
    target = targets.TARGETS[name]
    if target is not targets.HERE and not target.runtime.is_dir():
        return  # made on demand: what is not there ships nothing
    folder = target.runtime / "licenses"
    there = {file.stem for file in folder.iterdir() if file.stat().st_size > 0}
    assert there, folder
    libraries = [
        file.relative_to(target.runtime).as_posix()
        for file in target.runtime.rglob("*")
        if LIBRARY.search(file.name)
    ]
    assert len(libraries) > 20
    missing = []
    for library in libraries:
        texts = next((texts for pattern, texts in COVERED if re.search(pattern, library)), None)
        if texts is None:
            missing.append(f"{library}: no licence is named for it")
        else:
            missing += [f"{library}: no {text}" for text in texts if not _has(there, text)]
    assert missing == []
    if target is not targets.HERE:
        assert [text for text in _BY_ZIG if not _has(there, text)] == [], "in everything that Zig links"
    if name.startswith("windows"):
        texts = ("mingw-w64", "python-parts", "libsqlite3-0", "zlib1g", r"libbz2-1\.0", "liblzma5")
        assert [text for text in texts if not _has(there, text)] == []
        assert "PYTHON SOFTWARE FOUNDATION LICENSE" in (folder / "python.txt").read_text(encoding="utf-8")
        assert "Distributable Code" in (folder / "microsoft-vc-runtime.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_licence_and_package_of_a_staged_runtime_is_in_the_list(name: str) -> None:
    target = targets.TARGETS[name]
    if target is not targets.HERE and not target.runtime.is_dir():
        return
    about = json.loads((target.runtime / "runtime.json").read_text(encoding="utf-8"))
    for package in about["packages"]:
        assert re.search(rf"^\| {re.escape(package)}\b", LIST, re.MULTILINE | re.IGNORECASE), package
    assert about["python"] in LIST, about["python"]
    assert about["sqlite"] in LIST, about["sqlite"]


@pytest.mark.parametrize(
    "part",
    [
        *("CPython", "SQLite", "libffi", "Expat", "zlib", "bzip2", "liblzma", "libmpdec"),
        *(
            "Microsoft Visual C++ runtime",
            "libc++",
            "libunwind",
            "mingw-w64",
            "Zig",
            "panda3d",
        ),
    ],
)
def test_what_is_inside_the_libraries_is_in_the_list(part: str) -> None:
    assert re.search(rf"(?<!\w){re.escape(part)}", LIST), part


def _has(there: set[str], text: str) -> bool:
    return any(re.fullmatch(text, name) for name in there)


_OF_SERVERS: tuple[tuple[str, str], ...] = (
    (r"^_(asyncio|overlapped)\.", "python"),
    (r"^psycopg_binary/", "psycopg_binary-LICENSE"),
    (r"/libpq-", "libpq5"),
    (r"/lib(ssl|crypto)-", "libssl3"),
    (r"/lib(gssapi_krb5|krb5|k5crypto|krb5support)-", "libgssapi-krb5-2"),
    (r"/libcom_err-", "libcom-err2"),
    (r"/lib(ldap|lber)-", "libldap-2.5-0"),
    (r"/libsasl2-", "libsasl2-2"),
    (r"/libkeyutils-", "libkeyutils1"),
    (r"/libcrypt-", "libcrypt1"),
)


def test_every_library_and_package_of_the_server_part_is_under_a_licence_that_is_there() -> None:
    part = server_part.prepare(targets.HERE)
    there = {file.stem for file in (part / "licenses").iterdir() if file.stat().st_size > 0}
    libraries = [file.relative_to(part).as_posix() for file in part.rglob("*") if LIBRARY.search(file.name)]
    assert len(libraries) > 10
    named = {each: [text for pattern, text in _OF_SERVERS if re.search(pattern, each)] for each in libraries}
    assert [each for each, texts in named.items() if not texts or not there.issuperset(texts)] == []
    for info in part.glob("*.dist-info"):
        name, version = info.name.removesuffix(".dist-info").split("-")
        assert any(text.startswith(f"{name}-") for text in there), name
        name = name.replace("_", "-").replace("psycopg-binary", r"psycopg and psycopg-binary")
        assert re.search(rf"^\| {name}\b[^|]*\| {re.escape(version)} ", LIST, re.MULTILINE), info.name
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in (part / "licenses" / "psycopg-LICENSE.txt").read_text(
        "utf-8"
    )
