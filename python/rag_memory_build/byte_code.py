"""A program for the private Python: byte code in place of the sources of a tree, without docstrings.

Asserts stay if that is asked for: numpy has some that only its docstrings fulfil. The byte code
is valid after copying, whatever the file times.
"""

from __future__ import annotations

import ast
import importlib.util
import marshal
import sys
from pathlib import Path
from types import CodeType

KEEPS_ASSERTS = "--asserts"
_UNCHECKED = (1).to_bytes(4, "little")
"""In a file of byte code: it belongs to its source by the hash, which nobody looks at."""
_NO_DOCSTRING = "-"
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def compiled(source: bytes, name: str, *, keeps_asserts: bool) -> CodeType:
    """Compile a module without its docstrings."""
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(node, _WITH_DOCSTRING):
            while ast.get_docstring(node, clean=False) is not None:
                first = node.body.pop(0)
                if not node.body and not isinstance(node, ast.Module):
                    node.body.append(ast.copy_location(ast.Pass(), first))
            if isinstance(node, ast.ClassDef) and node.decorator_list:
                # A dataclass without a docstring would make one of its signature, which takes time.
                first = ast.copy_location(ast.Expr(ast.Constant(_NO_DOCSTRING)), node.body[0])
                node.body.insert(0, ast.fix_missing_locations(first))
    return compile(tree, name, "exec", dont_inherit=True, optimize=0 if keeps_asserts else 1)


def replace_sources(folder: Path, name: str, *, keeps_asserts: bool) -> None:
    """Compile every module below `folder`, which tracebacks call `name`, and remove the sources."""
    for file in sorted(folder.rglob("*.py")):
        source = file.read_bytes()
        place = f"{name}/{file.relative_to(folder).as_posix()}"
        code = compiled(source, place, keeps_asserts=keeps_asserts)
        header = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(source)
        file.with_suffix(".pyc").write_bytes(header + marshal.dumps(code))
        file.unlink()


if __name__ == "__main__":
    replace_sources(Path(sys.argv[1]), sys.argv[2], keeps_asserts=KEEPS_ASSERTS in sys.argv)
