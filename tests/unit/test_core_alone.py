"""The core without the package of the server part: it imports, opens a save and uses it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[2] / "python"
SERVER = "rag_memory_server"
OTHER_TESTS = ("server", "build", "test_architecture.py", "test_documents.py", "test_sizes.py")
"""Tests of the server part and of the whole repository: its sources, its documents, what is built."""

NOT_ALONE = (SERVER, "rag_memory_build.all_classes")

_USED = """
import importlib, importlib.util, pathlib, sys
folder = pathlib.Path(sys.argv[1])
for file in sorted((folder / "rag_memory").rglob("*.py")):
    parts = file.relative_to(folder).with_suffix("").parts
    importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
assert importlib.util.find_spec("rag_memory_server") is None
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
with open_save(folder / "slot.sqlite3", HashingEmbedder(8)) as save:
    npc = save.npc("mira")
    npc.memories.store("Kael mended the roof.")
    print(npc.recall.retrieve_relevant("Who mended the roof?")[0])
"""


def test_the_core_is_whole_without_the_server_part(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PYTHON / "rag_memory", tmp_path / "rag_memory", ignore=ignored)
    paths = [str(tmp_path), *(path for path in sys.path if Path(path or ".").resolve() != PYTHON)]
    script = f"import sys\nsys.path[:] = {paths!r}\n{_USED}"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Kael mended the roof."


def test_only_one_line_of_the_core_names_the_package_of_the_server_part() -> None:
    named = [
        f"{file.relative_to(PYTHON).as_posix()}: {node.value}"
        for file in sorted((PYTHON / "rag_memory").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(SERVER)
    ]
    assert named == ["rag_memory/godot/server_part.py: rag_memory_server.godot.server_part"]


def test_the_tests_of_the_core_import_no_server_part() -> None:
    """Where there is none they leave out the backend on a server."""
    unit = Path(__file__).parent
    importing = []
    for file in sorted(unit.rglob("*.py")):
        name = file.relative_to(unit).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = [getattr(node, "module", None) or node.names[0].name for node in imports]
        is_of_core = name.partition("/")[0] not in OTHER_TESTS
        if is_of_core and any(module.startswith(NOT_ALONE) for module in modules):
            importing.append(name)
    assert importing == []
