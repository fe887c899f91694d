"""Exports for dedicated servers have the server part, and other exports don't."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.game import Home
from tests.engine.read_only import read_only
from tests.export.exported import Exported, Run, bare_root, play
from tests.unit.server.postgres.test_encryption import certificates, encrypting  # noqa: F401

from rag_memory_build import commands, engine, export, package, server_part, targets
from rag_memory_build.console import SetupError
from rag_memory_build.paths import LOGS
from rag_memory_build.postgres_server import DATABASE, USER, PostgresServer
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey

pytestmark = pytest.mark.slow

OF_SERVERS = re.compile(r"psycopg|redis|async_timeout|libpq|rag_memory_server/")
PART = f"rag_memory/server/{targets.HERE.name}"
EXPORT_LOG = LOGS / "export.log"
STORED = "The player gave me a red rose by the well."


def listing(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file below a folder, with its byte count and its content's hash."""
    return {
        file.relative_to(folder).as_posix(): (
            file.stat().st_size,
            hashlib.sha256(file.read_bytes()).hexdigest(),
        )
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def project(exported: Exported, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of the exported game with the server part in it."""
    folder = tmp_path_factory.mktemp("part") / "project"
    shutil.copytree(exported.project, folder)
    server_part.install(targets.HERE, folder)
    return folder


@pytest.fixture(scope="module")
def server(project: Path) -> Exported:
    """The project exported as a dedicated server."""
    game = project.with_name("server")
    return Exported(game, project, export.export(engine.find(), project, game, is_server=True))


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with temporary_valkey() as valkey:
        yield valkey


def test_a_client_is_the_same_byte_for_byte_whether_the_project_has_the_server_part_or_not(
    exported: Exported, project: Path
) -> None:
    game = project.with_name("client")
    messages = export.export(engine.find(), project, game)
    without, having = listing(exported.folder), listing(game)
    assert having == without
    assert [name for name in having if OF_SERVERS.search(name)] == []
    assert "rag_memory/server" not in messages
    pack = (game / "rag_memory_demo.pck").read_bytes()
    assert b"addons/rag_memory/server" not in pack


def test_a_dedicated_server_has_the_client_and_the_server_part(exported: Exported, server: Exported) -> None:
    client, having = listing(exported.folder), listing(server.folder)
    added = {name for name in having if name not in client}
    assert {name.rpartition("/")[0].startswith(PART) or name.startswith(PART) for name in added} == {True}
    assert {
        name: value for name, value in having.items() if name in client and name != "rag_memory_demo.pck"
    } == {name: value for name, value in client.items() if name != "rag_memory_demo.pck"}
    for name in ("psycopg/__init__.py", "redis/__init__.py", "rag_memory_server/bus/event_bus.py"):
        assert f"{PART}/{name}" in added
    assert f"adds res://addons/{PART} (" in server.messages
    assert 15e6 < sum(having[name][0] for name in added) < 25e6


def values(postgres: PostgresServer, valkey: ValkeyServer, certificate: Path) -> dict[str, Any]:
    storage = {
        "port": postgres.port,
        "database": DATABASE,
        "user": USER,
        "sslmode": "verify-full",
        "root_certificate": str(certificate),
    }
    return {"storage": storage, "bus": {"url": f"redis://127.0.0.1:{valkey.port}/0", "timeout_seconds": 5.0}}


def test_a_killed_server_knows_everything_when_it_is_started_again_with_nothing_but_the_game(
    server: Exported,
    encrypting: PostgresServer,  # noqa: F811
    certificates: Path,  # noqa: F811
    valkey: ValkeyServer,
    home: Home,
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    home.folder.mkdir(exist_ok=True)
    certificate = home.folder / "server.crt"
    shutil.copy(certificates / "server.crt", certificate)
    wanted = values(encrypting, valkey, certificate)
    program = server.folder / export.PROGRAM

    def started(values: dict[str, Any]) -> Run:
        with read_only(server.folder) as read_only_words:
            bare = bare_root(root, server.folder, home.folder)
            return play(
                program,
                "server.gd",
                json.dumps(values),
                environment={
                    "HOME": str(home.folder),
                    "PATH": "/nonexistent",
                    "RAG_MEMORY_POSTGRES_PASSWORD": encrypting.password(),
                    "RAG_MEMORY_VALKEY_PASSWORD": valkey.password(),
                },
                cwd=Path("/"),
                wrapper=bare or read_only_words,
                root=root if bare else None,
            )

    first = started({**wanted, "store": STORED})
    assert first.code == -9, first.text()
    assert (first.value("open"), first.value("bus"), first.value("known")) == (0, 0, []), first.text()
    assert first.value("published") and first.value("stored"), first.text()
    again = started(wanted)
    assert again.code == 0, again.text()
    assert again.value("known") == [STORED], again.text()
    assert (again.value("is_server"), again.value("has_screen")) == (True, False)
    assert f"{program.parent}/{PART}" in again.value("python_path")
    assert [line for line in again.errors() if "xdg-user-dir" not in line] == [], again.text()
    stranger = home.folder / "stranger.crt"
    shutil.copy(certificates / "other.crt", stranger)
    wanted["storage"]["root_certificate"] = str(stranger)
    refused = started(wanted)
    assert refused.value("open") != 0
    assert any("certificate verify failed" in line for line in refused.errors()), refused.text()


def test_in_a_client_the_engine_names_the_class_that_only_servers_have(
    exported: Exported, home: Home, tmp_path: Path
) -> None:
    wanted = json.dumps({"storage": {}, "bus": {}})
    program = exported.folder / export.PROGRAM
    run = play(program, "server.gd", wanted, environment=home.environment(), cwd=tmp_path)
    assert run.code == 0, run.text()
    assert run.value("refused") == "server.gd"
    said = "\n".join(run.errors())
    assert 'Identifier "MemoryPostgresStorage" not declared' in said, run.text()


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("psycopg", "No module named 'psycopg'"),
        ("psycopg_binary/_psycopg*.so", "No module named 'psycopg_binary._psycopg'"),
        ("psycopg_binary.libs/libpq-*", "libpq-"),
        ("redis", "No module named 'redis'"),
    ],
)
def test_what_is_missing_of_the_server_part_is_told(
    server: Exported, home: Home, tmp_path: Path, broken: str, told: str
) -> None:
    game = tmp_path / "game"
    shutil.copytree(server.folder, game)
    for path in (game / PART).glob(broken):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    wanted = json.dumps({"storage": {}, "bus": {}})
    run = play(game / export.PROGRAM, "server.gd", wanted, environment=home.environment(), cwd=tmp_path)
    assert run.code == 0, run.text()
    said = "\n".join(run.errors())
    assert told in said and "the server part of this game is not whole" in said, run.text()


def test_an_export_for_a_server_without_the_part_says_what_it_cannot(
    exported: Exported, project: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "project"
    shutil.copytree(exported.project, bare)
    messages = export.export(engine.find(), bare, tmp_path / "game", is_server=True)
    zip_file = f"rag_memory-{package.version()}-server-{targets.HERE.name}.zip"
    assert "no server part for Linux x86_64 in the project" in messages and zip_file in messages
    assert "WARNING" not in "".join(line for line in messages.splitlines() if "server part" in line)


def test_a_server_part_of_another_version_or_with_holes_is_refused(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "project"
    shutil.copytree(project, broken)
    part = broken / "addons" / PART
    (part / "version.txt").write_text("0.0.1\n", encoding="utf-8")
    with pytest.raises(SetupError):
        export.export(engine.find(), broken, tmp_path / "game", is_server=True)
    assert "is of version 0.0.1 of RAG Memory, and the addon of version" in EXPORT_LOG.read_text(
        encoding="utf-8"
    )
    shutil.copy(project / "addons" / PART / "version.txt", part)
    (part / "redis" / "client.py").unlink()
    with pytest.raises(SetupError):
        export.export(engine.find(), broken, tmp_path / "game", is_server=True)
    assert "is damaged: redis/client.py is missing" in EXPORT_LOG.read_text(encoding="utf-8")
    assert not (tmp_path / "game").exists()


def test_another_project_is_exported_as_a_server_and_left_as_it_is(tmp_path: Path, home: Home) -> None:
    source = tmp_path / "mine"
    (source / "addons" / "rag_memory").mkdir(parents=True)
    (source / "addons" / "rag_memory" / "plugin.cfg").write_text("of an older version\n", encoding="utf-8")
    (source / "export_presets.cfg").write_text("[preset.0]\n", encoding="utf-8")
    (source / "main.gd").write_text(
        "extends Node\n\n\nfunc _ready() -> void:\n\tprint(MemoryServer.open_save('shard'), ' opened')\n"
        "\tget_tree().quit()\n",
        encoding="utf-8",
    )
    (source / "main.tscn").write_text(
        '[gd_scene load_steps=2 format=3]\n\n[ext_resource type="Script" path="res://main.gd" id="1"]\n\n'
        '[node name="Main" type="Node"]\nscript = ExtResource("1")\n',
        encoding="utf-8",
    )
    (source / "project.godot").write_text(
        'config_version=5\n\n[application]\n\nconfig/name="Mine"\nrun/main_scene="res://main.tscn"\n',
        encoding="utf-8",
    )
    before = listing(source)
    game = tmp_path / "game"
    assert commands.main(["export", "--server", str(source), "--output", str(game)]) == 0
    assert listing(source) == before
    assert (game / PART / "psycopg").is_dir()
    run = play(game / export.PROGRAM, environment=home.environment(), cwd=tmp_path)
    assert run.code == 0 and "0 opened" in run.lines, run.text()


def test_a_folder_without_a_project_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["export", "--server", str(tmp_path), "--output", str(tmp_path / "game")]) == 1
    assert "has no project.godot" in capsys.readouterr().err


def test_the_server_part_is_packed_by_itself(tmp_path: Path) -> None:
    part = server_part.prepare(targets.HERE)
    packed = package.build_part(server_part.FOLDER, targets.HERE, part, tmp_path)
    assert packed.name == f"rag_memory-{package.version()}-server-{targets.HERE.name}.zip"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "unpacked")
    folder = tmp_path / "unpacked" / "addons" / "rag_memory" / "server"
    assert listing(folder / targets.HERE.name) == listing(part)
    assert {each.name for each in folder.iterdir()} == {".gdignore", targets.HERE.name}
