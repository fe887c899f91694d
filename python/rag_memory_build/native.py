"""Builds the native host: dumps the engine's headers, generates tables, and compiles changed files."""

from __future__ import annotations

import concurrent.futures
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import (
    compiler,
    cpython,
    development,
    disk,
    project_cache,
    runtime,
    stamp,
    target_linux,
    targets,
    universal,
)
from .console import Progress, SetupError, run, step
from .engine import Engine
from .paths import BUILD, PYTHON_SOURCE, ROOT
from .target import Target

HEADERS = BUILD / "headers"
GENERATED = BUILD / "generated"
SERVER_TABLE = "classes.bin"
"""The classes of the server part; the host reads them under this name in it."""
_SOURCES = ROOT / "native" / "src"
_PRELOADED_SOURCE = ROOT / "native" / "sanitizer" / "without_deepbind.cpp"
_PRELOADED = BUILD / "sanitizer" / "without_deepbind.so"
_API_JSON = HEADERS / "extension_api.json"
_INTERFACE_HEADER = HEADERS / "gdextension_interface.h"
_GENERATOR = "rag_memory_build.generate"
_GENERATING = (
    *("generate.py", "all_classes.py", "class_table.py", "godot_type.py"),
    *("help_xml.py", "help_text.py", "help_examples.py", "world_examples.py"),
)
_COMPILERS_AT_ONCE = 2
_NEEDED_MEGABYTES = 200


@dataclass(frozen=True)
class _Flavour:
    """A way to build the host."""

    name: str
    target: Target
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    library: Path


def _release(target: Target) -> _Flavour:
    return _Flavour(
        f"release-{target.name}",
        target,
        (*target.host_flags, "-O2", "-DNDEBUG"),
        (*target.host_link_flags, "-Wl,-s"),
        target.library,
    )


_SANITIZED = {
    kind: _Flavour(
        f"sanitize-{kind}",
        targets.HERE,
        (*targets.HERE.host_flags, "-O1", "-g", "-DRAG_MEMORY_SANITIZE", *flags),
        (*targets.HERE.host_link_flags, *flags),
        targets.HERE.library.with_suffix(f".{kind}.sanitize.so"),
    )
    for kind, flags in target_linux.SANITIZERS.items()
}
SANITIZERS = tuple(_SANITIZED)
"""Sanitizers: `address` (also undefined behaviour) and `thread` (data races)."""
_SANITIZER_OPTIONS = {
    # Leaks are not reported, because Python keeps memory until the process ends.
    "address": {
        "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    },
    # Engine and Python are built without it, so reports are about the host.
    "thread": {"TSAN_OPTIONS": "halt_on_error=1"},
}


def build(engine: Engine, *, target: Target = targets.HERE, sanitizer: str | None = None) -> Path:
    """Compile the changed files of the host's library; return its path. `sanitizer`: one of SANITIZERS."""
    flavour = _SANITIZED[sanitizer] if sanitizer else _release(target)
    generate(engine)
    if target.parts:
        library = _fuse(target, [_compile(_release(part), engine.version_text) for part in target.parts])
    else:
        library = _compile(flavour, engine.version_text)
    if sanitizer:
        _compile_preloaded()
    project_cache.announce_extension(ROOT)
    project_cache.announce_classes(ROOT)
    return library


def sanitizer_environment(engine: Engine, sanitizer: str) -> dict[str, str]:
    """Environment variables with which `engine` can load a sanitizer build of the host.

    The sanitizer's libraries have to be preloaded into the engine.
    """
    libraries = engine.sanitizer_libraries(sanitizer)
    if not libraries:
        names = ("libasan.so", "libubsan.so") if sanitizer == "address" else ("libtsan.so",)
        commands = [[*compiler.find(), f"-print-file-name={name}"] for name in names]
        libraries = [Path(subprocess.check_output(words, text=True).strip()).resolve() for words in commands]
    return {
        "LD_PRELOAD": ":".join(str(path) for path in (_PRELOADED, *libraries)),
        **_SANITIZER_OPTIONS[sanitizer],
    }


def _dump_headers(engine: Engine) -> None:
    """Make the engine write its C header and API description, once per version."""
    key = stamp.key_of(engine.version_text)
    if stamp.is_current("headers", key, _API_JSON, _INTERFACE_HEADER):
        return
    stamp.forget("headers")
    with step(f"Headers of Godot {engine.version_text}"), disk.replacing(HEADERS) as fresh:
        for option in ("--dump-gdextension-interface", "--dump-extension-api-with-docs"):
            run(
                [engine.path, "--headless", option],
                what="Asking the engine for its headers",
                remedy=f"check that `{engine.path} --headless {option}` works in an empty folder",
                log="headers",
                cwd=fresh,
            )
        missing = [path.name for path in (_API_JSON, _INTERFACE_HEADER) if not (fresh / path.name).is_file()]
        if missing:
            raise SetupError(
                "The engine did not write its headers",
                f"{', '.join(missing)} missing after a run that reported success",
                "use an editor build of Godot (not an export template) as GODOT",
            )
    stamp.finish("headers", key)


def generate(engine: Engine) -> None:
    """Generate tables from the Python declarations. Unchanged files keep their time."""
    _dump_headers(engine)
    build = PYTHON_SOURCE / "rag_memory_build"
    declarations = [
        PYTHON_SOURCE / "rag_memory",
        PYTHON_SOURCE / "rag_memory_server",
        *(build / name for name in _GENERATING),
    ]
    key = stamp.key_of(engine.version_text, *declarations)
    if stamp.is_current("generated", key, GENERATED):
        return
    stamp.forget("generated")
    packages = runtime.prepare() / "site-packages"
    with step("Generated tables and help"), tempfile.TemporaryDirectory(dir=BUILD) as folder:
        fresh = Path(folder)
        environment = development.environment()
        # The development packages may not be installed yet.
        environment["PYTHONPATH"] = os.pathsep.join([str(PYTHON_SOURCE), str(packages)])
        run(
            [cpython.prepare(), "-m", _GENERATOR, _API_JSON, fresh],
            what="Generating the native tables",
            remedy="correct the declarations in python/rag_memory/godot: see the message above",
            log="generate",
            environment=environment,
        )
        GENERATED.mkdir(parents=True, exist_ok=True)
        names = {file.relative_to(fresh) for file in fresh.rglob("*") if file.is_file()}
        for old in [file for file in GENERATED.rglob("*") if file.is_file()]:
            if old.relative_to(GENERATED) not in names:
                old.unlink()
        for name in names:
            target = GENERATED / name
            if not target.is_file() or target.read_bytes() != (fresh / name).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(fresh / name, target)
    stamp.finish("generated", key)


def _compile(flavour: _Flavour, engine_version: str) -> Path:
    preparing = Progress(f"Native host ({flavour.name})")
    command = flavour.target.compiler(preparing)
    program = Path(shutil.which(command[0]) or command[0]).resolve()
    identity = f"{program}:{program.stat().st_mtime_ns}"
    includes = [f"-I{_SOURCES}", f"-I{GENERATED}", "-isystem", str(HEADERS)]
    for folder in flavour.target.include_folders(preparing):
        includes += ["-isystem", str(folder)]
    compile_command = [*command, *flavour.compile_flags, *includes]
    key = stamp.key_of(identity, *compile_command, engine_version)
    objects_folder = BUILD / "objects" / f"{flavour.name}-{key[:12]}"
    sources = sorted(_SOURCES.rglob("*.cpp")) + sorted(GENERATED.glob("*.cpp"))
    objects = {source: objects_folder / f"{source.parent.name}-{source.stem}.o" for source in sources}
    stale = [source for source in sources if not is_current(objects[source])]
    link_key = stamp.key_of(
        key, *flavour.link_flags, *flavour.target.sources(), *(str(file) for file in objects.values())
    )
    link_stamp = f"native-{flavour.name}"
    if not stale and stamp.is_current(link_stamp, link_key, flavour.library):
        return flavour.library
    stamp.forget(link_stamp)
    disk.require_free(BUILD, _NEEDED_MEGABYTES, "compiling the native host")
    for old in (BUILD / "objects").glob(f"{flavour.name}-*"):
        if old != objects_folder:
            shutil.rmtree(old)
    objects_folder.mkdir(parents=True, exist_ok=True)
    with step(f"Native host ({flavour.name}, {len(stale)} of {len(sources)} files)") as progress:
        with concurrent.futures.ThreadPoolExecutor(_COMPILERS_AT_ONCE) as pool:
            jobs = [pool.submit(_compile_one, compile_command, source, objects[source]) for source in stale]
            for number, job in enumerate(jobs, 1):
                job.result()
                progress.update(f"compiled {number} of {len(stale)} files")
        flavour.library.parent.mkdir(parents=True, exist_ok=True)
        # In a temporary folder, because some linkers write more files beside the library.
        with tempfile.TemporaryDirectory(prefix=".new", dir=flavour.library.parent) as work:
            linked = Path(work, flavour.library.name)
            run(
                [*command, *objects.values(), *flavour.link_flags, "-o", linked],
                what="Linking the native host",
                remedy=compiler.REMEDY,
                log="native-link",
            )
            # Replaced, not overwritten: a running engine has the old file mapped.
            linked.replace(flavour.library)
    stamp.finish(link_stamp, link_key)
    return flavour.library


def _fuse(target: Target, libraries: list[Path]) -> Path:
    """Join the libraries of a target's parts to one."""
    content = universal.fused_file(libraries)
    if not target.library.is_file() or target.library.read_bytes() != content:
        target.library.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.library.with_suffix(".new")
        unfinished.write_bytes(content)
        unfinished.replace(target.library)
    return target.library


def _compile_preloaded() -> None:
    """Compile the library that sanitizer runs preload (see its source)."""
    if _PRELOADED.is_file() and _PRELOADED.stat().st_mtime_ns >= _PRELOADED_SOURCE.stat().st_mtime_ns:
        return
    _PRELOADED.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _PRELOADED.with_suffix(".new")
    run(
        [*compiler.find(), *targets.HERE.host_flags, "-shared", _PRELOADED_SOURCE, "-o", unfinished, "-ldl"],
        what="Compiling the sanitizer's companion",
        remedy=compiler.REMEDY,
        log="native-preloaded",
    )
    unfinished.replace(_PRELOADED)


def is_current(object_file: Path) -> bool:
    """True if the object is newer than all files it was made from."""
    try:
        made = object_file.stat().st_mtime_ns
        rule = object_file.with_suffix(".d").read_text(encoding="utf-8")
        inputs = rule.replace("\\\n", " ").split(": ", 1)[1].replace("\\ ", "\0").split()
        return all(os.stat(name.replace("\0", " ")).st_mtime_ns <= made for name in inputs)
    except (OSError, IndexError):
        return False


def _compile_one(command: list[str], source: Path, object_file: Path) -> None:
    # The object gets the time at which its compilation began, so that a later edit of the source counts as
    # newer.
    unfinished = object_file.with_suffix(".new")
    rule = object_file.with_suffix(".d")
    before = max(source.stat().st_mtime_ns, _now_ns(object_file.parent))
    run(
        [*command, "-MMD", "-MF", rule, "-MT", "object", "-c", source, "-o", unfinished],
        what=f"Compiling {source.name}",
        remedy="correct the source, or, when the compiler itself is the problem, " + compiler.REMEDY,
        log=f"native-{object_file.stem}",
    )
    os.utime(unfinished, ns=(before, before))
    unfinished.replace(object_file)


def _now_ns(folder: Path) -> int:
    """The present time by the clock of the file system of `folder`."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime_ns
