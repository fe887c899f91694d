"""Reaching Valkey: what is refused before anything is sent, and how often a dead server is asked."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.server.bus.conftest import World

from rag_memory.errors import ConfigError, ServerError
from rag_memory_server.bus.valkey_link import PASSWORD_VARIABLE, ValkeyLink
from rag_memory_server.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig, ValkeyConfig


def _closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize(
    "url",
    ["", "127.0.0.1:6379", "http://127.0.0.1", "redis://", "redis://host:port", "redis://a b", "unix:///x"],
)
def test_an_address_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError, match="redis://host:port") as refused:
        ValkeyConfig(url=url).validated()
    assert url == "" or f"is {url}" not in str(refused.value)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match="password_file") as refused:
        ValkeyConfig(url="redis://zone:secret@host:6379/0").validated()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "config",
    [
        MemoryEventBusConfig(zone=""),
        MemoryEventBusConfig(zone="a b"),
        MemoryEventBusConfig(batch_size=0),
        MemoryEventBusConfig(key_prefix="x\n"),
        MemoryHotCacheConfig(ttl_seconds=0),
        ValkeyConfig(timeout_seconds=0.0),
    ],
)
def test_a_value_out_of_range_is_refused(config: ValkeyConfig) -> None:
    with pytest.raises(ConfigError):
        config.validated()


def test_the_password_comes_from_the_file_or_the_environment(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    address = {key: value for key, value in world.address.items() if key != "password_file"}

    def ping(**values: Any) -> Any:
        with ValkeyLink(ValkeyConfig(**(address | values)), "the test").use() as client:
            return client.ping()

    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with pytest.raises(ServerError, match="the test"):
        ping()
    monkeypatch.setenv(PASSWORD_VARIABLE, world.server.password())
    assert ping()
    monkeypatch.setenv(PASSWORD_VARIABLE, "wrong")
    with pytest.raises(ServerError, match="the test") as refused:
        ping()
    assert "wrong" not in str(refused.value)
    assert ping(password_file=world.address["password_file"])
    with pytest.raises(ConfigError, match="password_file"):
        ping(password_file=str(tmp_path / "none"))


def test_a_dead_server_is_asked_less_and_less_often(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    link = ValkeyLink(
        ValkeyConfig(url=f"redis://127.0.0.1:{_closed_port()}/0"), "the test", monotonic=lambda: now[0]
    )
    while now[0] < 60.0:
        with pytest.raises(ServerError, match="no connection"), link.use() as client:
            client.ping()
        now[0] += 0.01
    # Doubled from 0.1 up to 5 seconds, each shortened by up to a half.
    assert 60 / 5 <= link.breaks <= 40
    assert caplog.text.count("no connection") == 1


_WITHOUT = """
import sys
sys.modules[MISSING] = None
from rag_memory_server.config.valkey_config import ValkeyConfig
from rag_memory_server.bus.valkey_link import ValkeyLink
link = ValkeyLink(ValkeyConfig(url=URL, password_file=PASSWORD), "the test")
with link.use() as client:
    print(client.ping(), end="")
"""


def _without(missing: str, url: str, password_file: str = "") -> str:
    """The output of a Python in which a module is missing, or the last line of its error."""
    code = f"MISSING, URL, PASSWORD = {missing!r}, {url!r}, {password_file!r}{_WITHOUT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout or done.stderr.rstrip().rpartition("\n")[2]


def test_what_is_missing_is_told_in_words() -> None:
    assert "docs/servers.md" in _without("redis", "redis://127.0.0.1")
    assert "no TLS" in _without("ssl", "rediss://127.0.0.1")


def test_a_python_without_tls_reaches_the_server_all_the_same(world: World) -> None:
    assert _without("ssl", world.address["url"], world.address["password_file"]) == "True"


def test_a_server_that_is_no_valkey_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        link = ValkeyLink(ValkeyConfig(url=f"redis://127.0.0.1:{port}", timeout_seconds=0.05), "the test")
        ping: Callable[[], Any]
        with pytest.raises(ServerError, match="no connection"), link.use() as client:
            ping = client.ping
            ping()
