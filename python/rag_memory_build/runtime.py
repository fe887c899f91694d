"""The runtime a game ships: libpython, standard library, pinned packages and the compiled core, in one folder
that runs wherever it lies (see `_LAYOUT` for what the native host relies on)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import cpython, disk, extension_modules, hnswlib, runtime_manifest, stamp, target, wheels
from .console import Progress, SetupError, run, step
from .paths import PLATFORM, PYTHON_SOURCE, REQUIREMENTS, RUNTIME

_LAYOUT = "2"
_CORE = PYTHON_SOURCE / "rag_memory"
_NEEDED_MEGABYTES = 500
_LICENSE_TEXTS = Path(__file__).with_name("licenses")

_DROPPED_MODULES = (
    *("__phello__", "_aix_support.py", "_bootsubprocess.py", "_osx_support.py", "antigravity.py", "curses"),
    *(
        "dbm",
        "distutils",
        "_distutils_system_mod.py",
        "ensurepip",
        "idlelib",
        "lib2to3",
        "pdb.py",
        "pydoc.py",
    ),
    *("pydoc_data", "sitecustomize.py", "test", "this.py", "tkinter", "turtle.py", "turtledemo", "venv"),
    *("wsgiref", "xmlrpc", "zipapp.py", "EXTERNALLY-MANAGED", "config-3.11-x86_64-linux-gnu", "__pycache__"),
    *(
        "ssl.py",
        "ftplib.py",
        "imaplib.py",
        "nntplib.py",
        "poplib.py",
        "smtpd.py",
        "smtplib.py",
        "telnetlib.py",
    ),
    *("cgi.py", "cgitb.py", "mailbox.py", "crypt.py", "shelve.py", "webbrowser.py", "lib-dynload"),
)
_DROPPED_EXTENSIONS = re.compile(
    r"(_ssl|_hashlib|_curses|_curses_panel|_dbm|_gdbm|_tkinter|_crypt|nis|readline|ossaudiodev|audioop|xxlimited.*"
    r"|_test.*|_xx.*|_ctypes_test)\."
)
_DROPPED_FROM_PACKAGES: dict[str, tuple[str, ...]] = {
    "markdown_it": ("cli", "port.yaml"),
    "numpy": (
        *("f2py", "_pyinstaller", "doc", "random/lib", "random/_examples", "_core/include", "_core/lib"),
        *("_core/_multiarray_tests*.so", "_core/_umath_tests*.so", "_core/_rational_tests*.so"),
        *("_core/_struct_ufunc_tests*.so", "_core/_operand_flag_tests*.so", "_core/_simd*.so"),
    ),
    "onnxruntime": ("transformers", "tools", "quantization", "datasets", "backend", "Privacy.md"),
    "tokenizers": ("tools",),
    "vaderSentiment": ("emoji_utf8_lexicon.txt",),
}


def prepare() -> Path:
    """The runtime's folder, staged as far as something changed: all of it, or only the core."""
    base_key = stamp.key_of(
        _LAYOUT,
        REQUIREMENTS / "runtime.txt",
        REQUIREMENTS / "build.txt",
        Path(__file__),
        Path(hnswlib.__file__),
        Path(extension_modules.__file__),
        *extension_modules.SOURCES,
        Path(cpython.__file__),
        target.SOURCE,
    )
    library = RUNTIME / "lib" / target.LIBPYTHON_NAME
    packages = RUNTIME / "site-packages"
    if not stamp.is_current("runtime", base_key, library, RUNTIME / "runtime.json", packages / "numpy"):
        stamp.forget("runtime")
        stamp.forget("core")
        stamp.forget("manifest")
        python = cpython.prepare()
        with step("Runtime to ship") as progress, disk.replacing(RUNTIME) as fresh:
            disk.require_free(RUNTIME, _NEEDED_MEGABYTES, "the runtime")
            _stage(fresh, python, base_key, progress)
        (RUNTIME.parent / ".gdignore").touch()
        stamp.finish("runtime", base_key)
    core_key = stamp.key_of(base_key, _CORE)
    if not stamp.is_current("core", core_key, packages / "rag_memory"):
        with step("Core into the runtime"), disk.replacing(packages / "rag_memory") as fresh:
            _copy(_CORE, fresh, lambda path: path.name == "__pycache__")
            _compile(fresh, cpython.prepare(), "rag_memory")
        stamp.finish("core", core_key)
    if not stamp.is_current("manifest", core_key, RUNTIME / runtime_manifest.NAME):
        runtime_manifest.write(RUNTIME)
        stamp.finish("manifest", core_key)
    return RUNTIME


def _stage(fresh: Path, python: Path, key: str, progress: Progress) -> None:
    progress.update("copying the standard library")
    _copy(cpython.STANDARD_LIBRARY, fresh / "stdlib", lambda path: str(path) in _DROPPED_MODULES)
    modules = fresh / "stdlib" / "lib-dynload"
    modules.mkdir()
    for file in sorted((cpython.STANDARD_LIBRARY / "lib-dynload").glob("*.so")):
        if not _DROPPED_EXTENSIONS.match(file.name):
            shutil.copy(file, modules)
    progress.update("installing packages")
    files = wheels.fetch(REQUIREMENTS / "runtime.txt", progress, ["hnswlib"])
    module = hnswlib.build(progress)
    packages = fresh / "site-packages"
    wheels.install(
        [file for name, file in files.items() if name != "hnswlib"], packages, log="runtime-packages"
    )
    shutil.copy(module, packages)
    for own in extension_modules.build():
        shutil.copy(own, packages)
    _prune_packages(packages)
    progress.update("setting library paths")
    libraries = target.ship_libraries(fresh, progress)
    progress.update("compiling")
    _compile(fresh / "stdlib", python, "stdlib")
    _compile(packages, python, "site-packages")
    licenses = _collect_licenses(fresh, libraries)
    about = {
        "platform": PLATFORM,
        "python": _ask(python, "import platform; print(platform.python_version())"),
        "sqlite": _ask(python, "import sqlite3; print(sqlite3.sqlite_version)"),
        "packages": {r.name: r.version for r in wheels.read_requirements(REQUIREMENTS / "runtime.txt")},
        "licenses": licenses,
        "key": key,
    }
    (fresh / "runtime.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    (fresh / ".gdignore").touch()


def _copy(source: Path, target: Path, dropped: Callable[[Path], bool]) -> None:
    """Copy a tree with links resolved; `dropped` gets each path relative to `source`."""
    for file in sorted(source.rglob("*")):
        relative = file.relative_to(source)
        if file.is_file() and not any(dropped(part) for part in (relative, *relative.parents)):
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / relative)


def _prune_packages(packages: Path) -> None:
    for package, patterns in _DROPPED_FROM_PACKAGES.items():
        for pattern in patterns:
            for path in list((packages / package).glob(pattern)):
                _remove(path)
    for path in [
        p for p in packages.rglob("*") if p.name in ("tests", "__pycache__") or p.suffix in (".pyi", ".a")
    ]:
        _remove(path)
    _remove(packages / "bin")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _ask(python: Path, code: str) -> str:
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(
            "The private Python failed", done.stderr.strip(), "remove .build/python, run this again"
        )
    return done.stdout.strip()


def _compile(folder: Path, python: Path, name: str) -> None:
    """Byte-compile a tree so that the files stay valid when copied or when the clock differs."""
    words = ["-m", "compileall", "-q", "-f", "-j", "2", "--invalidation-mode", "unchecked-hash"]
    run(
        [python, "-I", *words, "-s", folder, "-p", name, folder],
        what=f"Compiling {name}",
        remedy="correct the file named above, or check the free disk space, then run this again",
        log=f"runtime-compile-{name}",
    )


def _collect_licenses(fresh: Path, libraries: list[str]) -> list[str]:
    """Copy the licences of everything in the runtime into one folder; returns their file names."""
    folder = fresh / "licenses"
    folder.mkdir()
    documents = {
        doc.name: doc / "copyright" for doc in cpython.LICENSES.glob("*") if (doc / "copyright").is_file()
    }
    packages = {"libpython3.11-minimal"}
    for library in libraries:
        stem = library.split(".so")[0]
        packages |= {name for name in documents if re.match(rf"({stem}[-\d.]*|{stem[3:]}lib1g)$", name)}
    for name in packages & set(documents):
        shutil.copyfile(documents[name], folder / f"{name}.txt")
    if not packages & set(documents):
        shutil.copyfile(cpython.STANDARD_LIBRARY / "LICENSE.txt", folder / "python.txt")
    (folder / "hnswlib.txt").write_text(hnswlib.license_text(), encoding="utf-8")
    (folder / "pybind11.txt").write_text(hnswlib.pybind11_license_text(), encoding="utf-8")
    # The wheel of tokenizers carries no licence text; its metadata says Apache-2.0.
    shutil.copyfile(_LICENSE_TEXTS / "Apache-2.0.txt", folder / "tokenizers.txt")
    site_packages = fresh / "site-packages"
    for info in sorted(site_packages.glob("*.dist-info")):
        for file in sorted(info.rglob("*")):
            if file.is_file() and re.search(r"licen[cs]e|notice|copying", file.name, re.IGNORECASE):
                # Parts of a package have licences of the same name: the path tells them apart.
                inside = (
                    file.relative_to(info).with_suffix("")
                    if file.suffix == ".txt"
                    else file.relative_to(info)
                )
                name = "-".join([info.name.split("-")[0], *(p for p in inside.parts if p != "licenses")])
                shutil.copyfile(file, folder / f"{name}.txt")
    for name in ("LICENSE", "ThirdPartyNotices.txt"):
        if (site_packages / "onnxruntime" / name).is_file():
            shutil.copyfile(
                site_packages / "onnxruntime" / name, folder / f"onnxruntime-{name.split('.')[0]}.txt"
            )
    return sorted(file.name for file in folder.iterdir())
