"""Builds the runtime that games ship: libpython, standard library, pinned packages and the compiled core, in
a folder that works in any place."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import (
    byte_code,
    cpython,
    disk,
    extension_modules,
    hnswlib,
    runtime_manifest,
    small_numpy,
    stamp,
    standard_library,
    targets,
    universal,
    wheels,
)
from .console import Progress, run, step
from .paths import BUILD, PYTHON_SOURCE, REQUIREMENTS, ROOT
from .target import Target

_LAYOUT = "2"
_PINS = REQUIREMENTS / "runtime.txt"
_CORE = PYTHON_SOURCE / "rag_memory"
_NEEDED_MEGABYTES = 500
_LICENSE_TEXTS = Path(__file__).with_name("licenses")

_DROPPED_ANYWHERE = ("tests", "__pycache__", "direct_url.json")
"""The last one has a path on this machine."""
_DROPPED_FROM_PACKAGES: dict[str, tuple[str, ...]] = {
    "markdown_it": ("cli", "port.yaml"),
    "numpy": small_numpy.LEFT_OUT,
    # Python's module has the whole library linked into it on all systems.
    "onnxruntime": (
        *("transformers", "tools", "quantization", "datasets", "backend", "Privacy.md"),
        *("capi/convert_npz_to_onnx_adapter.py", "capi/onnxruntime_collect_build_info.py"),
        *("capi/onnxruntime.dll", "capi/libonnxruntime.*.dylib", "capi/libonnxruntime.so*"),
    ),
    "tokenizers": ("tools",),
    "vaderSentiment": ("emoji_utf8_lexicon.txt",),
}


def prepare(target: Target = targets.HERE) -> Path:
    """Build the changed parts of the runtime (everything, or only the core); return its folder."""
    base_key = stamp.key_of(
        _LAYOUT,
        _PINS,
        REQUIREMENTS / "build.txt",
        Path(__file__),
        Path(byte_code.__file__),
        Path(hnswlib.__file__),
        Path(extension_modules.__file__),
        *extension_modules.SOURCES,
        *small_numpy.sources(),
        Path(standard_library.__file__),
        Path(cpython.__file__),
        *target.sources(),
    )
    runtime = target.runtime
    packages = runtime / "site-packages"
    whole, core, manifest = (f"{name}-{target.name}" for name in ("runtime", "core", "manifest"))
    products = (runtime / target.libpython, runtime / "runtime.json", packages / "numpy")
    if not stamp.is_current(whole, base_key, *products):
        for name in (whole, core, manifest):
            stamp.forget(name)
        cpython.prepare()
        with step(f"Runtime to ship ({target.name})") as progress, disk.replacing(runtime) as fresh:
            disk.require_free(runtime, _NEEDED_MEGABYTES, "the runtime")
            _stage(target, fresh, base_key, progress)
        (runtime.parent / ".gdignore").touch()
        stamp.finish(whole, base_key)
    core_key = stamp.key_of(base_key, _CORE)
    if not stamp.is_current(core, core_key, packages / "rag_memory"):
        with step(f"Core into the runtime ({target.name})"), disk.replacing(packages / "rag_memory") as fresh:
            cpython.copy_tree(_CORE, fresh, lambda path: path.name == "__pycache__")
            compile_without_sources(fresh, "rag_memory", keeps_asserts=True)
            shutil.copy(ROOT / "LICENSE", fresh)
        stamp.finish(core, core_key)
    if not stamp.is_current(manifest, core_key, runtime / runtime_manifest.NAME):
        runtime_manifest.write(runtime)
        stamp.finish(manifest, core_key)
    return runtime


def _stage(target: Target, fresh: Path, key: str, progress: Progress) -> None:
    if target.parts:
        with tempfile.TemporaryDirectory(prefix=".new", dir=BUILD) as work:
            folders = [Path(work, part.name) for part in target.parts]
            for part, folder in zip(target.parts, folders, strict=True):
                _assemble(part, folder, progress)
            progress.update("one file for all processors")
            universal.fuse(folders, fresh)
    else:
        _assemble(target, fresh, progress)
    left_out = standard_library.remove_left_out(fresh / "stdlib")
    progress.update("compiling")
    compile_without_sources(fresh / "stdlib", "stdlib")
    compile_without_sources(fresh / "site-packages", "site-packages")
    pins = wheels.read_requirements(_PINS, *target.pinned_otherwise)
    about = {
        "platform": target.name,
        "python": target.python_version(),
        "sqlite": target.sqlite_version(),
        "packages": {pin.name: pin.version for pin in pins},
        "left_out": left_out,
        "licenses": _collect_licenses(fresh),
        "key": key,
    }
    (fresh / "runtime.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    (fresh / ".gdignore").touch()


def _assemble(target: Target, fresh: Path, progress: Progress) -> None:
    """Put the parts for one processor together."""
    progress.update("copying the standard library")
    target.stage_python(fresh, progress)
    progress.update("installing packages")
    files = wheels.fetch(
        _PINS,
        progress,
        ["hnswlib"],
        platforms=target.wheel_platforms,
        pinned_otherwise=target.pinned_otherwise,
    )
    module = hnswlib.build(progress, target)
    packages = fresh / "site-packages"
    wheels.install(
        [file for name, file in files.items() if name != "hnswlib"],
        packages,
        log=f"runtime-packages-{target.name}",
        platforms=target.wheel_platforms,
    )
    shutil.copy(module, packages)
    for own in extension_modules.build(progress, target):
        shutil.copy(own, packages)
    _prune_packages(packages)
    small_numpy.empty_documentation(packages)
    small_numpy.leave_out_type_hints(packages)
    small_numpy.replace_openblas(packages, target, progress)
    progress.update("setting library paths")
    (fresh / "licenses").mkdir()
    target.finish(fresh, progress)


def _prune_packages(packages: Path) -> None:
    for package, patterns in _DROPPED_FROM_PACKAGES.items():
        for pattern in patterns:
            for path in list((packages / package).glob(pattern)):
                _remove(path)
    prune(packages)


def prune(packages: Path) -> None:
    """Remove files from installed packages that are not needed to run them."""
    for path in [
        p for p in packages.rglob("*") if p.name in _DROPPED_ANYWHERE or p.suffix in (".pyi", ".a", ".lib")
    ]:
        _remove(path)
    _remove(packages / "bin")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def compile_tree(folder: Path, name: str) -> None:
    """Byte-compile a tree so that the result is valid after copying, whatever the file times."""
    words = ["-m", "compileall", "-q", "-f", "-j", "2", "--invalidation-mode", "unchecked-hash"]
    _compile(name, [*words, "-s", folder, "-p", name, folder])


def compile_without_sources(folder: Path, name: str, *, keeps_asserts: bool = False) -> None:
    """Replace the sources of a tree by byte code, as byte_code.py says."""
    _compile(name, [byte_code.__file__, folder, name, *([byte_code.KEEPS_ASSERTS] if keeps_asserts else [])])


def _compile(name: str, words: Sequence[str | Path]) -> None:
    run(
        [cpython.prepare(), "-I", *words],
        what=f"Compiling {name}",
        remedy="correct the file named above, or check the free disk space, then run this again",
        log=f"runtime-compile-{name}",
    )


def _collect_licenses(fresh: Path) -> list[str]:
    """Collect the licences of libraries and packages in one folder; return their file names."""
    folder = fresh / "licenses"
    (folder / "hnswlib.txt").write_text(hnswlib.license_text(), encoding="utf-8")
    (folder / "pybind11.txt").write_text(hnswlib.pybind11_license_text(), encoding="utf-8")
    # The wheel of tokenizers carries no licence text; its metadata says Apache-2.0.
    shutil.copyfile(_LICENSE_TEXTS / "Apache-2.0.txt", folder / "tokenizers.txt")
    site_packages = fresh / "site-packages"
    collect_licenses_of_packages(site_packages, folder)
    for name in ("LICENSE", "ThirdPartyNotices.txt"):
        if (site_packages / "onnxruntime" / name).is_file():
            place = folder / f"onnxruntime-{name.split('.')[0]}.txt"
            (site_packages / "onnxruntime" / name).replace(place)
    for info in site_packages.glob("*.dist-info"):
        shutil.rmtree(info)
    return sorted(file.name for file in folder.iterdir())


def collect_licenses_of_packages(packages: Path, folder: Path) -> None:
    """Copy the licence texts of installed packages into `folder`."""
    for info in sorted(packages.glob("*.dist-info")):
        for file in sorted(info.rglob("*")):
            if file.is_file() and re.search(r"licen[cs]e|notice|copying|cyclonedx", file.name, re.IGNORECASE):
                # Parts of a package may have licences of the same name, so the path is added.
                inside = (
                    file.relative_to(info).with_suffix("")
                    if file.suffix == ".txt"
                    else file.relative_to(info)
                )
                name = "-".join([info.name.split("-")[0], *(p for p in inside.parts if p != "licenses")])
                shutil.copyfile(file, folder / f"{name}.txt")
