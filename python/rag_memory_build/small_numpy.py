"""Makes numpy small: without parts that nothing imports, and with native/small_blas for its OpenBLAS."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from . import extension_modules
from .console import Progress, SetupError
from .target import Target

LEFT_OUT = (
    *(
        "f2py",
        "_pyinstaller",
        "doc",
        "distutils",
        "testing",
        "random",
        "fft",
        "polynomial",
        "ctypeslib",
        "ma/testutils.py",
    ),
    *("conftest.py", "matlib.py", "py.typed", "*.pxd", "_core/include", "_core/lib", "_core/cversions.py"),
    *("_core/code_generators", "_core/_multiarray_tests*", "_core/_umath_tests*", "_core/_rational_tests*"),
    *("_core/_struct_ufunc_tests*", "_core/_operand_flag_tests*", "_core/_simd*", "linalg/lapack_lite*"),
)
"""Patterns of paths in numpy that are not shipped."""
EMPTIED = ("_core/_add_newdocs.py", "_core/_add_newdocs_scalars.py")
"""Modules that do nothing but give functions their docstrings."""
LINEAR_ALGEBRA = Path(__file__).with_name("no_linear_algebra.py")
"""Shipped as numpy.linalg._umath_linalg."""
_TYPE_HINTS = "from numpy._typing import NDArray"
_OPENBLAS = "*openblas*"
_FOR_OPENBLAS = ("libgfortran*", "libquadmath*")
_NAME = "rmblas"
_FUNCTIONS = re.compile(rb"scipy_cblas_\w+")


def sources() -> tuple[Path, ...]:
    """The files that a small numpy depends on, besides native/small_blas."""
    return (Path(__file__), LINEAR_ALGEBRA)


def empty_documentation(packages: Path) -> None:
    """Empty the modules of EMPTIED."""
    for name in EMPTIED:
        (packages / "numpy" / name).write_text("", encoding="utf-8")


def leave_out_type_hints(packages: Path) -> None:
    """Have numpy.linalg import no numpy._typing, which takes 10 ms."""
    module = packages / "numpy" / "linalg" / "_linalg.py"
    source = module.read_text(encoding="utf-8")
    if _TYPE_HINTS not in source:
        raise SetupError(
            f"{module.name} has changed", f"there is no {_TYPE_HINTS!r}", "see what it imports now"
        )
    module.write_text(source.replace(_TYPE_HINTS, "from numpy import ndarray as NDArray"), encoding="utf-8")


def replace_openblas(packages: Path, target: Target, progress: Progress) -> None:
    """Put native/small_blas in OpenBLAS's place. numpy for macOS has no OpenBLAS, but uses the system's."""
    libraries = packages / "numpy.libs"
    for openblas in list(libraries.glob(_OPENBLAS)):
        own = extension_modules.build_library("small_blas", f"{_NAME}{openblas.suffix}", target, progress)
        linear_algebra = packages / "numpy" / "linalg"
        for module in linear_algebra.glob("_umath_linalg.*"):
            module.unlink()
        shutil.copyfile(LINEAR_ALGEBRA, linear_algebra / "_umath_linalg.py")
        users = [
            module
            for pattern in ("*.so", "*.pyd")
            for module in (packages / "numpy").rglob(pattern)
            if openblas.name.encode() in module.read_bytes()
        ]
        _check_whole(own, users)
        target.relink(users, {openblas.name: own.name}, progress)
        shutil.copyfile(own, libraries / own.name)
        openblas.unlink()
        for pattern in _FOR_OPENBLAS:
            for library in libraries.glob(pattern):
                library.unlink()


def _check_whole(own: Path, users: list[Path]) -> None:
    """Raise SetupError if a module calls a function that `own` does not have."""
    has = set(_FUNCTIONS.findall(own.read_bytes()))
    for module in users:
        missing = sorted(name.decode() for name in set(_FUNCTIONS.findall(module.read_bytes())) - has)
        if missing:
            raise SetupError(
                f"{module.name} would not find its functions",
                f"native/small_blas has no {', '.join(missing)}",
                "write them there",
            )
