"""The structure of the code: imports, where SQL stands, the size of things, docs/architecture.md."""

from __future__ import annotations

import ast
import graphlib
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
PACKAGE = PYTHON / "rag_memory"
NATIVE = ROOT / "native" / "src"

SERVER = "rag_memory_server"
FACE = "face"
GROUND = "ground"
MODULES_OF = {
    FACE: {"rag_memory", "rag_memory.opening", "rag_memory.save"},
    GROUND: {
        f"rag_memory.{name}"
        for name in (
            *("errors", "files", "game_call", "game_rules", "ids", "key_slips", "lazy_pattern", "step"),
            "python_library",
            *("time_limit", "validation", "vectors"),
        )
    },
}
ROOMS = (
    SERVER,
    "godot",
    FACE,
    "saves",
    "npc",
    "prompt",
    "conversation",
    "world",
    "searchable",
    "portable",
    "mind",
    "retrieval",
    "storage",
    "index",
    "embedding",
    "memory",
    "text",
    "config",
    GROUND,
)
"""From the top down: a module imports from its own room and from those below. Each is a folder of
`rag_memory`, except the face and the ground; above all of them stands the package of the server part."""
NATIVE_FOLDERS = ("classes", "calls", "worker", "python", "messages", "engine", "platform")
"""The same for the folders of native/src and what they include."""

MOST_LINES = 400
PURE_TABLES: dict[str, str] = {}
"""Modules that may be longer, and what they are a table of."""
MOST_PUBLIC_NAMES = 25
MANY_PUBLIC_NAMES = {
    "rag_memory.config.memory_config.MemoryConfig": "a table of settings",
    "rag_memory.memory.record.Record": "a row of the table of memories",
    "rag_memory.world.personality.Personality": "the properties that a designer fills in",
    "rag_memory.searchable.save_context.SaveContext": "a record of what an open save gives to its parts",
    "rag_memory.npc.npc.Npc": "the parts of an NPC, one name each",
    "rag_memory.storage.protocol.Storage": "the parts of an open save, one name each",
    "rag_memory.storage.sqlite.store.Store": "the parts of an open save, one name each",
    "rag_memory_server.postgres.store.Store": "the parts of an open save, one name each",
    "rag_memory_server.postgres.open_save.OpenSave": "the interface of shared statements, and its session",
}
"""Classes that have more public names, those of their bases included, and why."""
SAME_NAMES_IN = ("rag_memory.config.", "rag_memory.godot.", "rag_memory.storage.", "rag_memory_server.")
"""Packages whose classes are named as what they stand for: a concern of the core, a class of Godot, or a part
of a store that a part of the core works on."""
DATABASES = {"sqlite3": "rag_memory.storage.sqlite", "psycopg": "rag_memory_server.postgres"}
"""Modules of database clients, and the only package that may import them."""
SHARED_SQL = "rag_memory.storage.sql"
MOST_STATEMENTS_WRITTEN_TWICE = 9
"""Statements of SQLite and of PostgreSQL that do the same with the same tables. A shared one belongs into
SHARED_SQL."""
SCHEMAS = {"schema", "mark_schema", "exchange_schema"}
"""Modules that define tables, in which the databases differ throughout."""
SQL = re.compile(
    r"\b(SELECT|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|WHERE|ORDER BY|GROUP BY|json_each|PRAGMA"
    r"|(CREATE|ALTER|DROP) (TEMP |UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER|VIEW)"
    r"|BEGIN IMMEDIATE|ROLLBACK TO|VACUUM)\b"
)

EMPTY_NAMES = frozenset(("told", "found", "known", "kept", "each"))
"""Words that do not say what a value is: "matches", "records", "registered", "npc" do. As part of a term,
such as `known_by` or `promise_kept`, they may stay."""

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATH_LINES = re.search(r"```path\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()  # type: ignore[index]


def module_name(file: Path) -> str:
    parts = file.relative_to(PYTHON).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = [file for package in ("rag_memory", SERVER) for file in sorted((PYTHON / package).rglob("*.py"))]
TREES = {module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in FILES}
PACKAGES = {module_name(file) for file in FILES if file.name == "__init__.py"}


def room_of(module: str) -> str:
    for room, modules in MODULES_OF.items():
        if module in modules:
            return room
    if module.partition(".")[0] == SERVER:
        return SERVER
    return module.split(".")[1]


def imported_names(module: str) -> Iterator[str]:
    """All imports of a module, also those for type checking and within functions."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if module in PACKAGES else module.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                yield f"{source}.{alias.name}" if f"{source}.{alias.name}" in TREES else source


def imports_of(module: str) -> set[str]:
    """The modules of ours among them."""
    return {name for name in imported_names(module) if name in TREES and name != module}


def strings(tree: ast.AST) -> Iterator[str]:
    """Every string of the code; docstrings, which are statements of their own, are none of it."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def test_every_module_lies_in_a_room() -> None:
    assert [module for module in TREES if room_of(module) not in ROOMS] == []


@pytest.mark.parametrize("room", sorted({room_of(module) for module in TREES} & set(ROOMS)))
def test_no_import_climbs(room: str) -> None:
    above = ROOMS[: ROOMS.index(room)]
    climbing = [
        f"{module} imports {imported}"
        for module in TREES
        if room_of(module) == room
        for imported in sorted(imports_of(module))
        if room_of(imported) in above
    ]
    assert not climbing, "\n".join(climbing)


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        graphlib.TopologicalSorter({module: imports_of(module) for module in TREES}).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every variable, argument, attribute, function and class with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((node.lineno, alias.asname or alias.name) for alias in aliases)


def test_no_identifier_is_told_found_known_kept_or_each() -> None:
    tools = [ROOT / "python" / "rag_memory_build", ROOT / "bench"]
    empty = [
        f"{file.relative_to(ROOT)}:{line} {name}"
        for file in [*FILES, *(file for folder in tools for file in sorted(folder.rglob("*.py")))]
        for line, name in identifiers(ast.parse(file.read_text(encoding="utf-8")))
        if name.strip("_").lower() in EMPTY_NAMES
    ]
    assert not empty, "say what the value is:\n" + "\n".join(empty)


@pytest.mark.parametrize("client", DATABASES)
def test_only_its_storage_knows_a_database(client: str) -> None:
    package = DATABASES[client]
    knowing = {
        module
        for module in TREES
        if any(name == client or name.startswith(f"{client}.") for name in imported_names(module))
    }
    assert knowing
    assert [module for module in knowing if not module.startswith(package)] == []
    assert any(SQL.search(text) for module in inside(package) for text in strings(TREES[module]))


def test_sql_stands_in_the_storages_of_databases_only() -> None:
    outside = set(TREES).difference(*map(inside, (SHARED_SQL, *DATABASES.values())))
    found = [f"{module}: {text}" for module in outside for text in strings(TREES[module]) if SQL.search(text)]
    assert not found, "\n".join(found)


def test_statements_are_written_once() -> None:
    of_sqlite, of_postgres = (Counter(map(effect_of, statements(package))) for package in DATABASES.values())
    twice = {effect: count for effect, count in (of_sqlite & of_postgres).items() if effect[1]}
    assert sum(twice.values()) <= MOST_STATEMENTS_WRITTEN_TWICE, twice
    assert sum(twice.values()) == MOST_STATEMENTS_WRITTEN_TWICE, "fewer: lower MOST_STATEMENTS_WRITTEN_TWICE"


def statements(package: str) -> Iterator[str]:
    """The SQL statements of a package, each as one text; values that are put into it are left out."""
    for module in inside(package):
        if module.rpartition(".")[2] in SCHEMAS:
            continue
        parts = {
            id(part)
            for node in ast.walk(TREES[module])
            if isinstance(node, ast.JoinedStr | ast.BinOp)
            for part in ast.walk(node)
            if part is not node
        }
        for node in ast.walk(TREES[module]):
            text = "" if id(node) in parts else constant_text(node)
            if re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", text):
                yield text


def constant_text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(constant_text, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return constant_text(node.left) + constant_text(node.right)
    return ""


def effect_of(statement: str) -> tuple[str, frozenset[str]]:
    """The verb of a statement and the tables that it names: what two statements of the same effect share."""
    tables = re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)", statement)
    return statement.split()[0], frozenset(tables)


def inside(package: str) -> set[str]:
    return {module for module in TREES if module == package or module.startswith(f"{package}.")}


def test_no_module_is_too_long() -> None:
    lengths = {
        file.relative_to(PYTHON).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in FILES
    }
    too_long = {name for name, length in lengths.items() if length > MOST_LINES}
    assert too_long - set(PURE_TABLES) == set()
    assert set(PURE_TABLES) - too_long == set(), "no exception is needed"


def classes() -> Iterator[type]:
    """Every class of ours."""
    for module in TREES:
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, type) and value.__module__ == module:
                yield value


def name_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def assigned_attributes(cls: type) -> set[str]:
    """The attributes of `self` that the body of a class sets."""
    return {
        node.attr
        for body in ast.walk(TREES[cls.__module__])
        if isinstance(body, ast.ClassDef) and body.name == cls.__name__
        for node in ast.walk(body)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def may_be_inherited(cls: type) -> bool:
    """True if a class is not ours, or a Protocol, an error or a table of settings."""
    is_ours = cls.__module__.partition(".")[0] in ("rag_memory", SERVER)
    is_settings = ".config." in cls.__module__
    return not is_ours or is_settings or is_protocol(cls) or issubclass(cls, BaseException)


def is_protocol(cls: type) -> bool:
    return bool(getattr(cls, "_is_protocol", False))


def public_names(cls: type) -> set[str]:
    """The public attributes and methods of a class and of its bases."""
    ours = [base for base in cls.__mro__ if base.__module__.partition(".")[0] in ("rag_memory", SERVER)]
    names = {name for base in ours for name in (*vars(base), *assigned_attributes(base))}
    return {name for name in names if not name.startswith("_")}


def test_a_class_name_has_one_meaning() -> None:
    modules: dict[str, list[str]] = {}
    for cls in classes():
        if not cls.__name__.startswith("_") and not cls.__module__.startswith(SAME_NAMES_IN):
            modules.setdefault(cls.__name__, []).append(cls.__module__)
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}


def test_classes_inherit_only_protocols_errors_and_settings() -> None:
    inheriting = {
        name_of(cls)
        for cls in classes()
        if not is_protocol(cls) and not all(map(may_be_inherited, cls.__bases__))
    }
    assert inheriting == set(), "hold the other class as a part instead of inheriting it"


def test_no_class_has_too_many_public_names() -> None:
    counts = {name_of(cls): len(public_names(cls)) for cls in classes()}
    large = {name: count for name, count in counts.items() if count > MOST_PUBLIC_NAMES}
    listed = set(MANY_PUBLIC_NAMES)
    new = {name: count for name, count in large.items() if name not in listed}
    assert not new, f"divide it into parts, or say in MANY_PUBLIC_NAMES why not: {new}"
    assert listed - set(large) == set(), "these are small enough: remove them"


def test_no_native_include_climbs() -> None:
    climbing = []
    files = [file for file in NATIVE.rglob("*") if file.is_file()]
    assert {file.parent.name for file in files} == set(NATIVE_FOLDERS)
    for file in files:
        above = NATIVE_FOLDERS[: NATIVE_FOLDERS.index(file.parent.name)]
        for included in re.findall(r'#include "([^"]+)"', file.read_text(encoding="utf-8")):
            folder = included.rpartition("/")[0]
            assert (NATIVE / included).is_file() or included == "gdextension_interface.h", included
            if folder in above:
                climbing.append(f"{file.relative_to(NATIVE)} includes {included}")
    assert not climbing, "\n".join(climbing)


@pytest.mark.parametrize("line", PATH_LINES)
def test_every_station_of_a_call_exists(line: str) -> None:
    file, name = re.match(r"(\S+): (\w+)", line).groups()  # type: ignore[union-attr]
    source = (ROOT / file).read_text(encoding="utf-8")
    definition = rf"def {name}\(" if file.endswith(".py") else rf"\b{name}\("
    assert re.search(definition, source), f"{file} defines no {name}"


def test_every_room_and_native_folder_is_named_in_its_order() -> None:
    rooms = [
        f"python/{room}/" if room == SERVER else f"python/rag_memory/{room}/"
        for room in ROOMS
        if room not in MODULES_OF
    ]
    for folders in (rooms, [f"native/src/{folder}/" for folder in NATIVE_FOLDERS]):
        places = [TEXT.find(f"| `{folder}`") for folder in folders]
        assert -1 not in places, f"no line of a table for {folders[places.index(-1)]}"
        assert all(above < below for above, below in pairwise(places)), "from the top down, please"


def test_every_file_named_with_its_folder_exists() -> None:
    paths = set(re.findall(r"`((?:python|native|tests|addons)/[\w/.]+)`", TEXT))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
