"""Reading macOS's libraries and putting those for two processors into one; the libraries are made here."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from rag_memory_build import check_macos, cpython_macos, macho, runtime_manifest, universal, wheels
from rag_memory_build.console import SetupError
from rag_memory_build.paths import REQUIREMENTS
from rag_memory_build.target_macos import MACOS_UNIVERSAL

ARM64, X86_64 = 0x0100000C, 0x01000007
SIGNATURE = (0x1D, struct.pack("<2I", 0, 0))
FOR_MACOS_14 = (0x32, struct.pack("<4I", 1, 14 << 16, 0, 0))
FOR_MACOS_15 = (0x32, struct.pack("<4I", 1, 15 << 16, 0, 0))
PAGE = 1 << 14


def library(name: str) -> tuple[int, bytes]:
    text = name.encode() + b"\0"
    return 0xC, struct.pack("<4I", 24, 0, 0, 0) + text.ljust(-(-len(text) // 8) * 8, b"\0")


def rpath(path: str) -> tuple[int, bytes]:
    text = path.encode() + b"\0"
    return 0x8000001C, struct.pack("<I", 12) + text.ljust(-(-(len(text) + 4) // 8) * 8 - 4, b"\0")


def image(
    processor: int,
    *commands: tuple[int, bytes],
    exports: tuple[str, ...] = (),
    imports: tuple[tuple[int, str], ...] = (),
) -> bytes:
    """A library with these load commands and symbols, and no code."""
    names, symbols = b"\0", b""
    for name in exports:
        symbols += struct.pack("<IBBHQ", len(names), 0x0F, 1, 0, 0)
        names += name.encode() + b"\0"
    bound = b""
    for ordinal, name in imports:
        # The name first or the place first: linkers differ.
        place = bytes([0x10 | ordinal]) if ordinal >= 0 else bytes([0x30 | ordinal & 0x0F])
        text = b"\x40" + name.encode() + b"\0"
        bound += (place + text if ordinal >= 0 else text + place) + b"\x90\x00"
    start = 32 + sum(8 + len(content) for _, content in commands) + 24 + 48
    tables = [
        (0x2, struct.pack("<4I", start, len(exports), start + len(symbols), len(names))),
        (
            0x80000022,
            struct.pack("<10I", 0, 0, 0, 0, 0, 0, start + len(symbols) + len(names), len(bound), 0, 0),
        ),
    ]
    body = b"".join(
        struct.pack("<2I", number, 8 + len(content)) + content for number, content in [*commands, *tables]
    )
    head = struct.pack("<8I", 0xFEEDFACF, processor, 0, 6, len(commands) + 2, len(body), 0, 0)
    return head + body + symbols + names + bound


def test_a_library_tells_what_it_needs_and_gives() -> None:
    content = image(
        ARM64,
        library("/usr/lib/libSystem.B.dylib"),
        library("@rpath/other.dylib"),
        rpath("@loader_path/.."),
        FOR_MACOS_14,
        SIGNATURE,
        exports=("_PyInit_a",),
        imports=((1, "_malloc"), (-2, "_PyLong_FromLong")),
    )
    (read,) = macho.images(content)
    assert (read.processor, read.oldest_system, read.is_signed) == ("arm64", (14, 0), True)
    assert read.libraries == ["/usr/lib/libSystem.B.dylib", "@rpath/other.dylib"]
    assert read.rpaths == ["@loader_path/.."]
    assert read.exports == {"_PyInit_a"}
    assert read.imports == {"_malloc": 1, "_PyLong_FromLong": macho.FLAT}


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF" + bytes(60), b"\xca\xfe\xba\xbe\0\0\0\x3d"])
def test_what_is_no_library_of_macos_has_no_images(content: bytes) -> None:
    assert macho.images(content) == []


def test_two_processors_become_one_file_with_both_images_unchanged(tmp_path: Path) -> None:
    contents = [image(ARM64, SIGNATURE) + bytes(PAGE), image(X86_64, FOR_MACOS_14)]
    for number, content in enumerate(contents):
        folder = tmp_path / str(number) / "numpy"
        folder.mkdir(parents=True)
        (folder / "code.so").write_bytes(content)
        (folder / "text.py").write_text("same", encoding="utf-8")
    (tmp_path / "1" / "only_here.txt").write_text("data", encoding="utf-8")
    universal.fuse([tmp_path / "0", tmp_path / "1"], tmp_path / "fused")
    fused = (tmp_path / "fused" / "numpy" / "code.so").read_bytes()
    assert [each.content for each in macho.images(fused)] == contents
    starts = [struct.unpack_from(">5I", fused, 8 + 20 * number)[2] for number in range(2)]
    assert all(start % PAGE == 0 for start in starts)
    assert fused.endswith(contents[1])
    assert (tmp_path / "fused" / "numpy" / "text.py").read_text() == "same"
    assert (tmp_path / "fused" / "only_here.txt").read_text() == "data"


@pytest.mark.parametrize(
    ("name", "arm64", "x86_64"),
    [
        ("code.so", image(ARM64), None),
        ("code.so", image(ARM64), image(ARM64, SIGNATURE)),
        ("code.so", image(ARM64), b"text"),
        ("text.py", b"one", b"other"),
    ],
)
def test_what_cannot_serve_both_processors_is_refused(
    tmp_path: Path, name: str, arm64: bytes, x86_64: bytes | None
) -> None:
    for folder, content in (("arm64", arm64), ("x86_64", x86_64)):
        (tmp_path / folder).mkdir()
        if content is not None:
            (tmp_path / folder / name).write_bytes(content)
    with pytest.raises(SetupError, match=name):
        universal.fuse([tmp_path / "arm64", tmp_path / "x86_64"], tmp_path / "fused")


def test_what_tells_of_a_packages_making_may_differ(tmp_path: Path) -> None:
    for folder in ("arm64", "x86_64"):
        (tmp_path / folder / "numpy-2.dist-info").mkdir(parents=True)
        (tmp_path / folder / "numpy-2.dist-info" / "WHEEL").write_text(folder, encoding="utf-8")
    universal.fuse([tmp_path / "arm64", tmp_path / "x86_64"], tmp_path / "fused")
    assert (tmp_path / "fused" / "numpy-2.dist-info" / "WHEEL").read_text() == "arm64"


def test_the_manifest_gives_no_size_for_what_is_signed_anew(tmp_path: Path) -> None:
    (tmp_path / "code.so").write_bytes(image(ARM64, SIGNATURE))
    (tmp_path / "text.py").write_bytes(b"text")
    runtime_manifest.write(tmp_path)
    lines = (tmp_path / runtime_manifest.NAME).read_text(encoding="utf-8").splitlines()
    assert lines == ["2", "00000000 0 code.so", f"{zlib.crc32(b'text'):08x} 4 text.py"]


def test_pyconfig_says_what_the_python_knows_of_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = tmp_path / "pyconfig.h"
    known.write_text("#define SIZEOF_LONG 8\n/* #undef HAVE_KQUEUE */\n#define HAVE_EPOLL 1\n", "utf-8")
    monkeypatch.setattr(cpython_macos, "_headers_of_private_python", lambda: [known])
    made = cpython_macos.pyconfig(
        "build_time_vars = {'SIZEOF_LONG': 8, 'HAVE_KQUEUE': 1, 'HAVE_EPOLL': 0, 'CC': 'x'}"
    )
    assert made.splitlines()[2:-1] == ["#define HAVE_KQUEUE 1", "#define SIZEOF_LONG 8"]


def test_a_pin_of_its_own_stands_above_the_common_one() -> None:
    common = wheels.read_requirements(REQUIREMENTS / "runtime.txt")
    pins = wheels.read_requirements(REQUIREMENTS / "runtime.txt", *MACOS_UNIVERSAL.pinned_otherwise)
    assert [each.name for each in pins] == [each.name for each in common]
    assert [each.name for each, other in zip(pins, common, strict=True) if each != other] == ["onnxruntime"]


def build(folder: Path) -> tuple[Path, Path, Path]:
    """A runtime and a host in which nothing is wrong: the runtime, its module and the host."""
    runtime, host = folder / "runtime", folder / "librag_memory.macos.universal.dylib"
    module = runtime / "site-packages" / "module.so"
    write(runtime / MACOS_UNIVERSAL.libpython, FOR_MACOS_14, exports=("_PyLong_FromLong",))
    write(module, FOR_MACOS_14, imports=((-2, "_PyLong_FromLong"),))
    write(host, FOR_MACOS_14, exports=("_rag_memory_init", "__Znwm"))
    return runtime, module, host


def write(
    file: Path,
    *commands: tuple[int, bytes],
    processors: tuple[int, ...] = (ARM64, X86_64),
    exports: tuple[str, ...] = (),
    imports: tuple[tuple[int, str], ...] = (),
    signature: tuple[tuple[int, bytes], ...] = (SIGNATURE,),
) -> None:
    system = library("/usr/lib/libSystem.B.dylib")
    parts = [
        image(each, system, *commands, *signature, exports=exports, imports=imports) for each in processors
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(macho.universal([macho.Image(each) for each in parts]))


@pytest.fixture(autouse=True)
def no_modules_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_macos, "_missing_modules", lambda runtime, libpython: [])


def test_a_build_that_keeps_its_promises_has_no_faults(tmp_path: Path) -> None:
    runtime, _, host = build(tmp_path)
    assert check_macos.faults(runtime, host) == []


def test_each_broken_promise_is_told(tmp_path: Path) -> None:
    runtime, module, host = build(tmp_path)

    def told(*commands: tuple[int, bytes], **changes: object) -> str:
        write(module, *commands, **changes)  # type: ignore[arg-type]
        return "\n".join(check_macos.faults(runtime, host))

    assert "needs _PyLong_FromLang" in told(FOR_MACOS_14, imports=((-2, "_PyLong_FromLang"),))
    assert "takes _PyLong_FromLong from library number 1" in told(
        FOR_MACOS_14, imports=((1, "_PyLong_FromLong"),)
    )
    assert "is made for macOS (15, 0)" in told(FOR_MACOS_15)
    assert "is made for macOS (0, 0)" in told()
    assert "is not signed" in told(FOR_MACOS_14, signature=())
    assert "is for ['arm64']" in told(FOR_MACOS_14, processors=(ARM64,))
    assert "looks for libraries in /opt/lib" in told(FOR_MACOS_14, rpath("/opt/lib"))
    assert "needs /opt/lib/a.dylib" in told(FOR_MACOS_14, library("/opt/lib/a.dylib"))
    assert "needs @rpath/module.so" in told(FOR_MACOS_14, library("@rpath/module.so"))
    assert not told(FOR_MACOS_14, library("@rpath/module.so"), rpath("@loader_path"))
    write(host, FOR_MACOS_14, exports=("_rag_memory_init", "_other"))
    assert "exports ['_other', '_rag_memory_init']" in told(FOR_MACOS_14)
    write(host, FOR_MACOS_14, exports=("_rag_memory_init",))
    write(runtime / "numpy" / ".dylibs" / "a.dylib", FOR_MACOS_14)
    assert "is hidden" in told(FOR_MACOS_14)
