"""The steps of docs/servers_operation.md (certificates, access rules) on a real PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import yaml
from psycopg.conninfo import make_conninfo
from tests.unit.server.postgres.conftest import OpenSave, connected
from tests.unit.server.postgres.roles import made

from rag_memory_build import server_places, server_programs
from rag_memory_build.paths import ROOT
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_process import new_scratch
from rag_memory_server.postgres_storage import MemoryPostgresStorage

DOCS = ROOT / "docs"
PAGE = (DOCS / "servers_operation.md").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DOCS / "servers" / "compose.yml").read_text(encoding="utf-8"))
# What systems have in their settings of openssl.
SETTINGS = """
[req]
distinguished_name = name
x509_extensions = authority
[name]
[authority]
basicConstraints = CA:true
"""


@pytest.fixture(scope="module")
def secrets() -> Iterator[Path]:
    """A folder with what the commands of the page make."""
    folder = new_scratch()
    programs = folder / "programs"
    programs.mkdir()
    (programs / "openssl").symlink_to(server_programs.prepare().openssl)
    (folder / "openssl.cnf").write_text(SETTINGS)
    commands = [each for each in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "openssl req" in each]
    assert len(commands) == 2
    for command in commands:
        subprocess.run(
            ["sh", "-ec", command],
            cwd=folder,
            env={"PATH": f"{programs}:{os.defpath}", "OPENSSL_CONF": str(folder / "openssl.cnf")},
            check=True,
            capture_output=True,
        )
    server_places.give(folder / "server.key")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def running(secrets: Path) -> Iterator[PostgresServer]:
    """A PostgreSQL with the settings of the compose file."""
    rules = secrets / "pg_hba.conf"
    rules.write_text(COMPOSE["configs"]["pg_hba"]["content"])
    settings = [each.split("=", 1) for each in COMPOSE["services"]["postgres"]["command"] if "=" in each]
    assert {name for name, _ in settings} == {"ssl", "ssl_cert_file", "ssl_key_file", "hba_file"}
    with temporary_postgres() as server:
        with connected(server, "rag_memory") as connection:
            for name, value in settings:
                file = value.replace("/run/secrets", str(secrets)).replace("/etc/rag_memory", str(secrets))
                connection.execute(f"ALTER SYSTEM SET {name} = '{file}'".encode())
        port = server.port
        server.stop()
        server.start(port, ends_with_parent=True)
        yield server


def test_the_certificates_and_rules_of_the_page_work(
    running: PostgresServer, secrets: Path, open_save: OpenSave, tmp_path: Path
) -> None:
    owner = MemoryPostgresStorage(
        port=running.port,
        password_file=str(running.password_file),
        sslmode="verify-full",
        root_certificate=str(secrets / "ca.crt"),
    )
    game = made(running, tmp_path, place=owner, role="game")
    open_save("shard_1", game)
    for values in (
        {"sslmode": "disable", "dbname": "rag_memory"},
        {"sslmode": "require", "dbname": "postgres"},
    ):
        to = {
            "host": "127.0.0.1",
            "port": str(running.port),
            "user": "game",
            "password": str(game.password()),
        }
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            psycopg.connect(make_conninfo(**to, **values))


def test_the_compose_file_keeps_passwords_in_files_and_valkey_inside() -> None:
    services, secrets = COMPOSE["services"], COMPOSE["secrets"]
    assert {*services} == {"postgres", "valkey", "game"}
    used = {secret for each in services.values() for secret in each["secrets"]}
    assert used == {*secrets} and all({*each} == {"file"} for each in secrets.values())
    assert services["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert "ports" not in services["valkey"] and services["postgres"]["ports"] == ["127.0.0.1:5432:5432"]
    command = services["valkey"]["command"]
    assert command[command.index("--appendfsync") + 1] == "always" and "--requirepass" not in command
    for name in ("postgres", "valkey"):
        [volume] = services[name]["volumes"]
        assert volume.partition(":")[0] in COMPOSE["volumes"]
    for name in [*secrets, "requirepass"]:
        assert name in PAGE


def test_the_sketch_for_kubernetes_is_whole() -> None:
    text = (DOCS / "servers" / "kubernetes.yml").read_text(encoding="utf-8")
    parts = list(yaml.safe_load_all(text))
    found = {(each["kind"], each["metadata"]["name"]) for each in parts}
    assert found == {
        ("StatefulSet", "zone"),
        ("Service", "zone"),
        ("StatefulSet", "valkey"),
        ("Service", "valkey"),
        ("NetworkPolicy", "valkey"),
    }
    for each in parts:
        if each["kind"] == "StatefulSet":
            pod = each["spec"]["template"]
            assert each["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
            volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
            volumes |= {claim["metadata"]["name"] for claim in each["spec"].get("volumeClaimTemplates", ())}
            mounts = {mount["name"] for part in pod["spec"]["containers"] for mount in part["volumeMounts"]}
            assert mounts == volumes
