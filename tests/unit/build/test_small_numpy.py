"""The numpy that games are shipped with: exact products without OpenBLAS, and clear refusals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rag_memory_build import cpython, small_numpy, targets

PACKAGES = targets.HERE.runtime / "site-packages"
# Products of small whole numbers are exact in every type, whatever the order of the additions.
PRODUCTS = """
import itertools
import numpy as np

def made(factor, *shape):
    return ((np.arange(shape[0] * shape[1]) * factor * 7919) % 17 - 8).reshape(shape)

def spread(array):
    return np.repeat(array, 2, axis=1)[:, ::2]

LAYOUTS = (np.ascontiguousarray, np.asfortranarray, spread)
for kind in (np.float32, np.float64, np.complex64, np.complex128):
    for rows, inner, columns in itertools.product((1, 2, 33), (1, 31, 1030), (1, 2, 40)):
        a, b = made(3, rows, inner), made(5, inner, columns)
        imaginary_a, imaginary_b = 1j * made(2, rows, inner), 1j * made(4, inner, columns)
        product = a @ b
        if np.issubdtype(kind, np.complexfloating):
            real = a @ b - made(2, rows, inner) @ made(4, inner, columns)
            product = real + 1j * (a @ made(4, inner, columns) + made(2, rows, inner) @ b)
            a, b = a + imaginary_a, b + imaginary_b
        a, b = a.astype(kind), b.astype(kind)
        for left, right in itertools.product(LAYOUTS, repeat=2):
            x, y = left(a), right(b)
            assert np.array_equal(x @ y, product) and np.array_equal(np.dot(x, y), product)
            assert np.array_equal(x @ y[:, 0], product[:, 0]) and np.array_equal(x[0] @ y, product[0])
            assert np.dot(x[0], y[:, 0]) == product[0, 0] == np.vdot(x[0].conj(), y[:, 0])
            for other in (x.T, x.conj().T):
                assert np.array_equal(x @ other, np.einsum("ij,jk->ik", x, other))
        assert np.isnan((np.full((3, 3), np.nan, kind) @ np.ones((3, 3), kind))).all()
        assert not np.isnan(np.zeros((3, 0), kind) @ np.ones((0, 3), kind)).any()
print("exact")
"""
REFUSED = """
import numpy as np

assert np.linalg.norm([3.0, 4.0]) == 5.0 and np.linalg.matrix_power(2 * np.eye(3), 3)[0, 0] == 8.0
for call in (
    lambda: np.linalg.solve(np.eye(2), np.ones(2)),
    lambda: np.linalg.svd(np.eye(2)),
    lambda: np.linalg.det(np.eye(2)),
    lambda: np.polyfit([1, 2, 3], [1, 2, 3], 1),
):
    try:
        print("computed", call())
    except NotImplementedError as error:
        print(error)
"""
# They import a part of numpy when they are called.
CALLS = """
import numpy as np

numbers = np.array([3.0, 1.0, np.nan, 2.0, 1.0])
whole = numbers[~np.isnan(numbers)]
assert np.unique(whole).tolist() == [1.0, 2.0, 3.0]
assert np.unique(whole, return_counts=True)[1].tolist() == [2, 1, 1]
assert np.median(whole) == np.nanmedian(numbers) == np.nanpercentile(numbers, 50) == 1.5
assert np.histogram(whole, 2)[0].tolist() == [2, 2] and np.bincount([1, 1, 0]).tolist() == [1, 2]
assert np.isin([1, 9], whole).tolist() == [True, False] and np.setdiff1d([1, 9], whole).tolist() == [9]
assert np.corrcoef(whole, whole).round(9).tolist() == [[1.0, 1.0], [1.0, 1.0]] and np.std(whole) > 0
assert np.interp(0.5, [0, 1], [0, 2]) == 1 and np.convolve([1, 2], [1, 1]).tolist() == [1, 3, 2]
assert np.ma.masked_invalid(numbers).mean() == 1.75 and np.char.upper(["a"])[0] == "A"
assert np.tensordot(np.ones((2, 2)), np.ones((2, 2))) == 4 and np.outer([1], [2])[0, 0] == 2
assert np.loadtxt(["1 2"]).tolist() == [1, 2] and np.genfromtxt(["1,2"], delimiter=",").tolist() == [1, 2]
print("computed")
"""
EVERYTHING = """
import importlib, pathlib, pkgutil
import numpy

for module in pkgutil.walk_packages(numpy.__path__, "numpy."):
    importlib.import_module(module.name)
print("imported")
"""


def said_by_shipped_numpy(script: str) -> str:
    words = [str(cpython.EXECUTABLE), "-c", f"import sys; sys.path[0] = {str(PACKAGES)!r}\n{script}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_products_are_exact_in_every_type_and_layout() -> None:
    assert said_by_shipped_numpy(PRODUCTS) == "exact\n"


def test_what_needs_lapack_is_refused_and_never_wrong() -> None:
    lines = said_by_shipped_numpy(REFUSED).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        f"numpy.linalg cannot compute '{name}'" for name in ("solve", "svd", "det", "lstsq")
    ]
    assert all("LAPACK" in line and "Compute it before" in line for line in lines)


def test_what_rules_call_works() -> None:
    assert said_by_shipped_numpy(CALLS) == "computed\n"


def test_every_module_that_is_left_can_be_imported() -> None:
    assert said_by_shipped_numpy(EVERYTHING) == "imported\n"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_no_staged_runtime_has_openblas_or_a_part_that_is_left_out(name: str) -> None:
    packages = targets.TARGETS[name].runtime / "site-packages"
    libraries = [
        path.name for path in packages.rglob("*") if "openblas" in path.name or "gfortran" in path.name
    ]
    assert libraries == []
    left: list[Path] = [
        path for pattern in small_numpy.LEFT_OUT for path in (packages / "numpy").glob(pattern)
    ]
    assert left == []
