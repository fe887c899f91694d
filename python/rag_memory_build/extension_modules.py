"""Our own extension modules of Python, each compiled from all files of native/<name>/."""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import compiler, stamp, targets
from .console import Progress, run
from .paths import CACHE, ROOT
from .target import Target

_FLAGS_OF = {
    "vector_scan": (
        # Nothing that could change a result: every processor and compiler has to find the same bits.
        *("-O3", "-ffp-contract=off", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only"),
        "-fno-math-errno",
    ),
    "variant_encoding": ("-O2",),
}
SOURCES = [ROOT / "native" / name for name in _FLAGS_OF]
"""Their folders."""


def build(progress: Progress, target: Target = targets.HERE) -> list[Path]:
    """The compiled modules, in the cache."""
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
        # In a folder of its own: some linkers leave other files beside it.
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
