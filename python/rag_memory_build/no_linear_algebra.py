"""Stands in games for the compiled part of numpy.linalg, which needs a LAPACK of 25 MB.

What numpy.linalg computes without it works: norms of vectors, products and powers of matrices.
"""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    function = name.partition("_")[0].rstrip("1")
    raise NotImplementedError(
        f"numpy.linalg cannot compute {function!r}: that needs LAPACK, which games are shipped without, to"
        " save 25 MB. Compute it before the game is exported, or with loops of your own"
    )
