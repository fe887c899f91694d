"""Python extension modules and a library of this project, compiled from the files in native/<name>/."""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import compiler, stamp, targets
from .console import Progress, run
from .paths import CACHE, ROOT
from .target import Target

_FLAGS_OF = {
    "vector_scan": (
        # No option that could change a result: all processors and compilers must compute the same bits.
        *("-O3", "-ffp-contract=off", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only"),
        "-fno-math-errno",
    ),
    "variant_encoding": ("-O2",),
}
_FLAGS_OF_LIBRARIES = {
    # Numbers that are none have to stay so, so they are not ruled out.
    "small_blas": ("-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno"),
}
_HOST_SOURCES = ROOT / "native" / "src"
_SHARED_HEADER = _HOST_SOURCES / "messages" / "answer_format.h"
"""What a module and the host write and read."""
SOURCES = [*(ROOT / "native" / name for name in (*_FLAGS_OF, *_FLAGS_OF_LIBRARIES)), _SHARED_HEADER]
"""The source folders, and the header that the host shares."""


def build(progress: Progress, target: Target = targets.HERE) -> list[Path]:
    """Compile the modules into the cache."""
    return [
        _build(name, f"{name}{target.module_suffix}", own, target, progress)
        for name, own in _FLAGS_OF.items()
    ]


def build_library(name: str, file_name: str, target: Target, progress: Progress) -> Path:
    """Compile the library in native/<name>/ into a file of this name in the cache."""
    return _build(name, file_name, _FLAGS_OF_LIBRARIES[name], target, progress)


def _build(name: str, file_name: str, own_flags: tuple[str, ...], target: Target, progress: Progress) -> Path:
    source = ROOT / "native" / name
    flags = (*target.module_flags, *own_flags)
    command = target.compiler(progress)
    folder = CACHE / "built" / stamp.key_of(name, target.name, source, _SHARED_HEADER, *flags, *command)[:12]
    module = folder / file_name
    if not module.is_file():
        progress.update(f"compiling {name}")
        files = sorted(source.glob("*.cpp"))
        includes = [f"-I{_HOST_SOURCES}"]
        includes += [word for place in target.include_folders(progress) for word in ("-isystem", str(place))]
        folder.mkdir(parents=True, exist_ok=True)
        # In a temporary folder, because some linkers write more files beside the module.
        with tempfile.TemporaryDirectory(dir=folder) as work:
            built = Path(work, module.name)
            run(
                [*command, *flags, *includes, *files, *target.module_libraries(progress), "-o", built],
                what=f"Compiling {name}",
                remedy=compiler.REMEDY,
                log=f"{name}-{target.name}",
            )
            built.replace(module)
    return module
