"""The private CPython 3.11, unpacked from Debian's packages, so that all machines have the same binaries."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import debian, disk, patchelf, stamp
from .console import Progress, SetupError, step
from .paths import BUILD, CACHE, PRIVATE_PYTHON

VERSION = "3.11"


@dataclass(frozen=True)
class LinuxPython:
    """Paths in an unpacked CPython."""

    folder: Path
    architecture: str
    """Debian's name for the processor."""
    triplet: str

    @property
    def executable(self) -> Path:
        return self.folder / "usr" / "bin" / "python3.11"

    @property
    def include(self) -> Path:
        return self.folder / "usr" / "include" / "python3.11"

    @property
    def include_folders(self) -> tuple[Path, ...]:
        """Folders for the compiler: Debian's pyconfig.h includes another one by its path below the second."""
        return (self.include, self.include.parent)

    @property
    def standard_library(self) -> Path:
        return self.folder / "usr" / "lib" / "python3.11"

    @property
    def libraries(self) -> Path:
        return self.folder / "usr" / "lib" / self.triplet

    @property
    def libpython(self) -> Path:
        return self.libraries / "libpython3.11.so.1.0"

    @property
    def licenses(self) -> Path:
        return self.folder / "usr" / "share" / "doc"


HERE = LinuxPython(PRIVATE_PYTHON, "amd64", "x86_64-linux-gnu")
ARM64 = LinuxPython(BUILD / "python_arm64", "arm64", "aarch64-linux-gnu")
EXECUTABLE = HERE.executable
INCLUDE = HERE.include
STANDARD_LIBRARY = HERE.standard_library

_SUITE = "bookworm"
_PACKAGES = (
    *(
        "python3.11-minimal",
        "libpython3.11",
        "libpython3.11-minimal",
        "libpython3.11-stdlib",
        "libpython3.11-dev",
    ),
    *("libsqlite3-0", "libffi8", "zlib1g", "libbz2-1.0", "liblzma5", "libexpat1", "libuuid1", "libssl3"),
)
_LAYOUT = "4"
_INSTALLED_MEGABYTES = 300

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
    *("wsgiref", "xmlrpc", "zipapp.py", "EXTERNALLY-MANAGED", "__pycache__"),
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
DROPPED_EXTENSIONS = re.compile(
    r"(_ssl|_hashlib|_curses|_curses_panel|_dbm|_gdbm|_tkinter|_crypt|nis|readline|ossaudiodev|audioop|xxlimited.*"
    r"|_test.*|_xx.*|_ctypes_test)\."
)
# A process can't have two C libraries, so the system's is used. Tools for an installation are not needed.
_LEFT_OUT = (
    *("libc6", "libc6-dev", "libc-dev-bin", "linux-libc-dev", "libgcc-s1", "gcc-12-base"),
    *("dpkg", "tar", "libacl1", "libselinux1", "media-types", "rpcsvc-proto"),
)


def prepare(python: LinuxPython = HERE) -> Path:
    """Unpack a private Python if it is missing and return its program. Needs no network when cached."""
    name = python.folder.name
    key = stamp.key_of(_LAYOUT, _SUITE, *_PACKAGES)
    if not stamp.is_current(name, key, python.executable, python.libpython, python.include / "Python.h"):
        stamp.forget(name)
        with step(f"Private CPython {VERSION} ({python.architecture}, 25 MB to fetch, once)") as progress:
            disk.require_free(BUILD, _INSTALLED_MEGABYTES, "the private Python")
            try:
                archives = debian.fetch(
                    _SUITE, _PACKAGES, progress, architecture=python.architecture, without=_LEFT_OUT
                )
            except debian.DebianUnavailable as error:
                if python is not HERE:
                    raise
                _use_running_python(error.why)
            else:
                _unpack(python, archives, progress)
            if python is HERE:
                _check()
        stamp.finish(name, key)
    return python.executable


def copy_standard_library(folder: Path, python: LinuxPython = HERE) -> None:
    """Copy the standard library without extension modules and modules that no game needs."""
    copy_tree(
        python.standard_library,
        folder,
        lambda path: (
            str(path) in _DROPPED_MODULES
            or path.name == "__pycache__"
            or path.name.startswith("config-3.11-")
        ),
    )


def copy_tree(source: Path, target: Path, dropped: Callable[[Path], bool]) -> None:
    """Copy a tree with links resolved, without paths (relative to `source`) for which `dropped` is true."""
    for file in sorted(source.rglob("*")):
        relative = file.relative_to(source)
        if file.is_file() and not any(dropped(part) for part in (relative, *relative.parents)):
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / relative)


def ask(code: str) -> str:
    """Run `code` in the private Python and return its output."""
    done = subprocess.run([prepare(), "-I", "-c", code], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(
            "The private Python failed", done.stderr.strip(), "remove .build/python, run this again"
        )
    return done.stdout.strip()


def write_licenses(folder: Path, libraries: Sequence[str], python: LinuxPython = HERE) -> None:
    """Write the licences of CPython and of these Debian libraries into `folder`."""
    documents = {
        doc.name: doc / "copyright" for doc in python.licenses.glob("*") if (doc / "copyright").is_file()
    }
    packages = {"libpython3.11-minimal"}
    for library in libraries:
        stem = library.split(".so")[0]
        packages |= {name for name in documents if re.match(rf"({stem}[-\d.]*|{stem[3:]}lib1g)$", name)}
    for name in packages & set(documents):
        shutil.copyfile(documents[name], folder / f"{name}.txt")
    if not packages & set(documents):
        shutil.copyfile(python.standard_library / "LICENSE.txt", folder / "python.txt")


def _unpack(python: LinuxPython, archives: Sequence[Path], progress: Progress) -> None:
    program = patchelf.patchelf(progress)
    with disk.replacing(python.folder) as folder:
        fresh = replace(python, folder=folder)
        debian.unpack(archives, folder, progress)
        for name in ("usr/share/man", "usr/share/lintian", "usr/share/locale", "var", "etc"):
            shutil.rmtree(folder / name, ignore_errors=True)
        progress.update("making it independent of the system's libraries")
        jobs = [(fresh.executable, _rpath(f"$ORIGIN/../lib/{python.triplet}"))]
        modules = sorted((fresh.standard_library / "lib-dynload").glob("*.so"))
        jobs += [(file, _rpath(f"$ORIGIN/../../{python.triplet}")) for file in modules]
        libraries = sorted(fresh.libraries.glob("*.so*"))
        jobs += [(file, _rpath("$ORIGIN")) for file in libraries if patchelf.is_elf(file)]
        patchelf.modify(jobs, program)


def _rpath(path: str) -> tuple[str, ...]:
    return ("--force-rpath", "--set-rpath", path)


def _use_running_python(why: str) -> None:
    """Use the Python that runs this set-up as the private one, if it is a shared build of 3.11."""
    shared = sysconfig.get_config_var("Py_ENABLE_SHARED")
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    if sys.version_info[:2] != (3, 11) or not shared or not library.is_file():
        raise SetupError(
            "The private CPython 3.11 is not available",
            f"{why}, and the Python that runs this ({sys.version.split()[0]}) is not a shared build of 3.11",
            "run build.py with a CPython 3.11 that was built with --enable-shared (with pyenv: "
            'PYTHON_CONFIGURE_OPTS="--enable-shared" pyenv install 3.11)',
        )
    with disk.replacing(HERE.folder) as folder:
        fresh = replace(HERE, folder=folder)
        places = sysconfig.get_paths()
        ignored = shutil.ignore_patterns("__pycache__", "site-packages", "dist-packages", "test")
        shutil.copytree(places["stdlib"], fresh.standard_library, ignore=ignored, symlinks=True)
        shutil.copytree(places["include"], fresh.include)
        fresh.libraries.mkdir()
        shutil.copy(library, fresh.libpython)
        fresh.executable.parent.mkdir()
        shutil.copy(Path(sys.base_prefix, "bin", "python3.11"), fresh.executable)
        job = (fresh.executable, _rpath(f"$ORIGIN/../lib/{HERE.triplet}"))
        patchelf.modify([job], patchelf.patchelf(Progress("Private CPython")))


def _check() -> None:
    """Raise SetupError unless the unpacked Python runs, is a 3.11, and has what the core needs."""
    script = (
        "import sys, json, ctypes, hashlib, bz2, lzma, zlib, sqlite3;"
        "sqlite3.connect(':memory:').execute('create virtual table t using fts5(x)');"
        "print(json.dumps([list(sys.version_info[:2]), sys.prefix]))"
    )
    done = subprocess.run([EXECUTABLE, "-I", "-c", script], capture_output=True, text=True, check=False)
    expected = [[3, 11], str(PRIVATE_PYTHON / "usr")]
    if done.returncode != 0 or json.loads(done.stdout) != expected:
        raise SetupError(
            "The private CPython does not work",
            done.stderr.strip() or f"it reports {done.stdout.strip()}, expected {expected}",
            f"remove {PRIVATE_PYTHON} and {CACHE / 'debian'}, then run this again",
        )
