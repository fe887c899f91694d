"""What the embedded runtime finds: no variables that set its libraries, and the library part."""

from __future__ import annotations

import gc
import os

from rag_memory.python_library import add_part

_READ_BY_THE_LIBRARIES = ("NPY_", "NUMPY_", "OPENBLAS_", "GOTO_", "ORT_", "RAYON_", "TOKENIZERS_")
"""Prefixes of variables that numpy, onnxruntime and tokenizers read, and games do not; numpy of a plain
Python has an OpenBLAS."""
_WANTED = {"OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}
"""As `rag_memory` sets them; as a plain Python package it leaves the user's own number of threads."""


def prepare() -> None:
    """Remove the variables that set these libraries, add the library part; called before the bridge is
    imported, which loads them. No garbage is collected until the bridge is there: what is loaded stays.

    A value meant for another program can end the start: numpy refuses `NPY_DISABLE_CPU_FEATURES=SSE2`.
    """
    gc.disable()
    for name in [name for name in os.environ if name.startswith(_READ_BY_THE_LIBRARIES)]:
        del os.environ[name]
    os.environ.update(_WANTED)
    add_part()


def end_start() -> None:
    """Collect garbage from now on, but among none of what was loaded so far."""
    gc.freeze()
    gc.enable()
