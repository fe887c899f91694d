"""Python extension modules of this project, compiled from the files in native/<name>/."""

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
SOURCES = [ROOT / "native" / name for name in _FLAGS_OF]
"""The modules' source folders."""


def build(progress: Progress, target: Target = targets.HERE) -> list[Path]:
    """Compile the modules into the cache."""
    return [_build(source, target, progress) for source in SOURCES]


def _build(source: Path, target: Target, progress: Progress) -> Path:
    name = source.name
    flags = (*target.module_flags, *_FLAGS_OF[name])
    command = target.compiler(progress)
    folder = CACHE / "built" / stamp.key_of(name, target.name, source, *flags, *command)[:12]
    module = folder / f"{name}{target.module_suffix}"
    if not module.is_file():
        progress.update(f"compiling {name}")
        files = sorted(source.glob("*.cpp"))
        includes = [word for place in target.include_folders(progress) for word in ("-isystem", str(place))]
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
