"""The environment of the model export: private Python, torch and sentence-transformers. Never shipped."""

from __future__ import annotations

import os
from pathlib import Path

from . import cpython, disk, stamp, wheels
from .console import Progress, SetupError
from .paths import BUILD, CACHE, PYTHON_SOURCE, REQUIREMENTS

PINS = (REQUIREMENTS / "model_torch.txt", REQUIREMENTS / "model.txt")
_FOLDER = BUILD / "model_environment"
_INSTALLED_MEGABYTES = 2300
_DOWNLOADED_MEGABYTES = 700


def prepare(progress: Progress) -> Path:
    """Install the environment if it is missing and return its Python. Run it with `variables()`."""
    python = cpython.prepare()
    key = stamp.key_of(*PINS)
    products = [_FOLDER / name for name in ("torch", "sentence_transformers", "onnx", "onnxruntime")]
    if not stamp.is_current("model_environment", key, *products):
        stamp.forget("model_environment")
        disk.require_free(BUILD, _INSTALLED_MEGABYTES, "the model step's environment")
        disk.require_free(CACHE, _DOWNLOADED_MEGABYTES, "the model step's packages")
        torch, others = PINS
        files = [*fetch_torch(torch, progress), *wheels.fetch(others, progress).values()]
        with disk.replacing(_FOLDER) as fresh:
            progress.update("installing torch and sentence-transformers (1.5 GB, in .build)")
            wheels.install(files, fresh, log="model-environment")
        stamp.finish("model_environment", key)
    return python


def variables(*, offline: bool) -> dict[str, str]:
    """Environment variables for the export. `offline` forbids downloading models."""
    chosen = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    chosen["PYTHONPATH"] = f"{PYTHON_SOURCE}{os.pathsep}{_FOLDER}"
    chosen |= {"PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1", "TOKENIZERS_PARALLELISM": "false"}
    chosen |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    chosen |= {"TRANSFORMERS_VERBOSITY": "error"}
    if offline:
        chosen["HF_HUB_OFFLINE"] = "1"
    return chosen


def fetch_torch(pins: Path, progress: Progress) -> list[Path]:
    progress.update("fetching torch (190 MB)")
    try:
        return list(wheels.fetch(pins, progress).values())
    except SetupError as error:
        wanted = wheels.read_requirements(pins)[0]
        raise SetupError(
            f"torch {wanted.version} for CPython 3.11, needed to export a model, could not be fetched",
            error.why,
            "check the network and the free disk space, then run this again. When the package index has "
            f"no such file, put torch-{wanted.version}-cp311-cp311-manylinux_2_28_x86_64.whl (PyTorch has "
            "an index of its own for CPU builds) into a folder, set PIP_FIND_LINKS to it, and run this again",
        ) from error
