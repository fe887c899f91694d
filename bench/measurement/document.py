"""Parts of documents written by benchmarks, between two comment lines."""

from __future__ import annotations

from pathlib import Path

from rag_memory_build.console import SetupError
from rag_memory_build.paths import ROOT

DOCUMENT = ROOT / "bench" / "README.md"


def write_part(name: str, text: str, document: Path = DOCUMENT) -> None:
    """Replace what `bench NAME` measured last; the text around it stays.

    Raises:
        SetupError: the document has lost the marks between which the part stands.
    """
    begin = f"<!-- {name}: written by `python3 build.py bench {name} --write` -->\n"
    end = f"<!-- /{name} -->\n"
    before, found_begin, rest = document.read_text(encoding="utf-8").partition(begin)
    _old, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise SetupError(
            f"{document} was not written",
            f"the comment lines around what bench {name} measured are gone",
            "restore the file from the repository",
        )
    document.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")
