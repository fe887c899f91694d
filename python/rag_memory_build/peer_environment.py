"""The environment of `bench peers` with other vector stores. Never shipped."""

from __future__ import annotations

import os

from . import development, disk, stamp, wheels
from .console import step
from .paths import BUILD, PYTHON_SOURCE, REQUIREMENTS, ROOT

PINS = REQUIREMENTS / "peers.txt"
_FOLDER = BUILD / "peer_environment"
_INSTALLED_MEGABYTES = 1200


def prepare() -> list[str]:
    """Install the environment if it is missing; return its Python. Run it with `variables()`."""
    python = development.prepare()
    key = stamp.key_of(PINS)
    products = [_FOLDER / name for name in ("chromadb", "faiss", "lancedb", "qdrant_client", "sqlite_vec")]
    if not stamp.is_current("peer_environment", key, *products):
        stamp.forget("peer_environment")
        with step("Other vector stores (300 MB to download, once)") as progress:
            disk.require_free(BUILD, _INSTALLED_MEGABYTES, "the environment of bench peers")
            files = list(wheels.fetch(PINS, progress).values())
            with disk.replacing(_FOLDER) as fresh:
                progress.update("installing")
                wheels.install(files, fresh, log="peer-environment")
        stamp.finish("peer_environment", key)
    return [str(python)]


def variables() -> dict[str, str]:
    """Environment variables that make core, benchmarks and other stores importable, without telemetry."""
    chosen = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    folders = (PYTHON_SOURCE, ROOT / "bench", _FOLDER, development.SITE_PACKAGES)
    chosen["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    chosen |= {"PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1", "ANONYMIZED_TELEMETRY": "False"}
    # One thread for all, as in the addon: the game needs the other cores.
    chosen |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    chosen["RUST_LOG"] = "error"
    chosen |= {"TOKIO_WORKER_THREADS": "1", "LANCE_CPU_THREADS": "1", "LANCE_IO_THREADS": "1"}
    return chosen
