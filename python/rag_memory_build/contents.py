"""What the addon adds to an exported game, sorted by size: the table of docs/export.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from .paths import ADDON
from .target import Target

_PARTS = (
    ("onnxruntime", r"site-packages/onnxruntime/"),
    ("the sentence model", r"^models/"),
    ("tokenizers", r"site-packages/tokenizers/"),
    ("numpy", r"site-packages/numpy"),
    ("Python and its libraries", r"^runtime/\w+/(lib|stdlib)/"),
    ("the addon", r"^bin/|site-packages/(rag_memory/|vector_scan|variant_encoding)"),
    ("hnswlib, markdown-it and vaderSentiment", r"site-packages/"),
    ("licences and lists", r""),
)
_ROW = re.compile(r"^\| (?P<name>[^|]+) \|(?P<numbers>(?: [\d.]+ \|)+)$", re.MULTILINE)
SUM = "together"


def megabytes(target: Target) -> dict[str, float]:
    """The MB of each part for a target, the largest first, then their sum."""
    sizes: Counter[str] = Counter()
    for file in _files(target):
        place = file.relative_to(ADDON).as_posix()
        name = next(name for name, pattern in _PARTS if re.search(pattern, place))
        sizes[name] += file.stat().st_size
    return {name: size / 1e6 for name, size in sizes.most_common()} | {SUM: sizes.total() / 1e6}


def listed(guide: str) -> dict[str, list[float]]:
    """The numbers of a guide's table by the names of its rows: a column for each platform."""
    rows = _ROW.finditer(guide)
    return {row["name"]: [float(number) for number in row["numbers"].split("|")[:-1]] for row in rows}


def _files(target: Target) -> list[Path]:
    folders = (target.runtime, ADDON / "models" / "default")
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [target.library, *(file for file in files if not file.name.startswith("."))]
