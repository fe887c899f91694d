"""The Python for tests, checks and tools: the private CPython with pinned packages."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from . import cpython, disk, extension_modules, hnswlib, stamp, wheels
from .console import Progress, run, step
from .paths import DEVELOPMENT_PACKAGES, PYTHON_SOURCE, REQUIREMENTS

SITE_PACKAGES = DEVELOPMENT_PACKAGES / "site-packages"
_LAYOUT = "1"
_PIN_FILES = ("runtime.txt", "development.txt", "build.txt", "servers.txt", "bus.txt")
_INSTALLED_MEGABYTES = 500


def prepare() -> Path:
    """Install the development packages and return the Python program. Run it with `environment()`."""
    python = cpython.prepare()
    key = stamp.key_of(_LAYOUT, *(REQUIREMENTS / name for name in _PIN_FILES))
    if not stamp.is_current("development", key, SITE_PACKAGES / "pytest", SITE_PACKAGES / "numpy"):
        stamp.forget("development")
        with step("Development packages") as progress:
            disk.require_free(DEVELOPMENT_PACKAGES, _INSTALLED_MEGABYTES, "the development packages")
            files: dict[str, Path] = {}
            for name in _PIN_FILES:
                files |= wheels.fetch(REQUIREMENTS / name, progress, ["hnswlib"])
            del files["hnswlib"]
            module = hnswlib.build(progress)
            with disk.replacing(DEVELOPMENT_PACKAGES) as fresh:
                packages = fresh / "site-packages"
                progress.update("installing packages")
                wheels.install(list(files.values()), packages, log="development-packages")
                shutil.copy(module, packages)
                progress.update("compiling packages")
                options = ("-q", "-j", "2", "-x", r"test_|/tests/")
                run(
                    [python, "-I", "-m", "compileall", *options, packages],
                    what="Compiling the development packages",
                    remedy="check the free disk space, then run this again",
                    log="development-compile",
                )
        stamp.finish("development", key)
    for module in extension_modules.build(Progress("Development packages")):
        installed = SITE_PACKAGES / module.name
        if not installed.is_file() or not filecmp.cmp(module, installed, shallow=False):
            disk.replace_file(module, installed)
    return python


def environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment variables that make the project and the development packages importable."""
    variables = dict(os.environ if base is None else base)
    for name in ("PYTHONHOME", "PYTHONSTARTUP"):
        variables.pop(name, None)
    variables["PYTHONPATH"] = f"{PYTHON_SOURCE}{os.pathsep}{SITE_PACKAGES}"
    variables["PYTHONNOUSERSITE"] = "1"
    return variables
