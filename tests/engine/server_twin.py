"""Turns a file of GDScript tests into its twin whose saves are on a PostgreSQL server.

The calls that say which save they are about are those of server_case.gd, which adds where it is.
"""

from __future__ import annotations

import re

FOLDERS = ("saves", "remembering", "mind", "world")
"""Files whose tests store memories and ask for them."""

OF_FILES = "# Of files:"
"""The line above a test that has no meaning on a server; it goes on with the reason."""

_CALL = re.compile(
    r"\bMemoryServer\.((?:open_save|new_game|list_saves|has_save|delete_save|copy_save|get_save_info)(?:_async)?)\("
)
_OF_FILES = re.compile(rf"^{OF_FILES} .+\n(?:#.*\n)*func (test_\w+)\(", re.MULTILINE)


def on_server(source: str) -> str:
    """The same tests on a server; every line keeps its number."""
    return _CALL.sub(r"\1_on_server(", source).replace("engine/case.gd", "engine/server_case.gd", 1)


def tests_of_files(source: str) -> set[str]:
    """The tests of a file that are not run on a server."""
    return set(_OF_FILES.findall(source))
