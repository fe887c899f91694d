"""Pinned Python packages: only files with a pinned hash are used, and finished downloads are not repeated."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_memory_build import wheels
from rag_memory_build.console import Progress, SetupError
from rag_memory_build.paths import REQUIREMENTS


def pin(content: bytes) -> str:
    return f"--hash=sha256:{hashlib.sha256(content).hexdigest()}"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wheels, "CACHE", tmp_path)
    monkeypatch.setattr(wheels, "WHEELS", tmp_path / "wheels")
    (tmp_path / "wheels").mkdir()
    return tmp_path / "wheels"


@pytest.fixture
def pins(tmp_path: Path) -> Path:
    file = tmp_path / "pins.txt"
    file.write_text(
        f"one-thing==1.0 \\\n    {pin(b'one')} \\\n    {pin(b'uno')}\ntwo==2.0 \\\n    {pin(b'two')}\n"
    )
    return file


def deliver(monkeypatch: pytest.MonkeyPatch, cache: Path, contents: dict[str, bytes]) -> list[str]:
    """Let downloads write `contents` (by package) into the cache; returns the list of what was asked for."""
    asked: list[str] = []

    def download(requirements: Sequence[wheels.Requirement], platforms: Sequence[str]) -> None:
        for requirement in requirements:
            asked.append(requirement.name)
            stem = requirement.name.replace("-", "_")
            (cache / f"{stem}-{requirement.version}-py3-none-any.whl").write_bytes(contents[requirement.name])

    monkeypatch.setattr(wheels, "_download_wheels", download)
    return asked


def test_every_package_of_ours_is_pinned_by_hash() -> None:
    for name in ("build.txt", "bus.txt", "development.txt", "runtime.txt", "servers.txt"):
        requirements = wheels.read_requirements(REQUIREMENTS / name)
        assert requirements
        assert all(requirement.hashes for requirement in requirements)


def test_a_file_with_a_wrong_hash_is_refused_and_removed(
    cache: Path, pins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(monkeypatch, cache, {"one-thing": b"one", "two": b"evil"})
    with pytest.raises(SetupError, match=r"two 2\.0 is not what its pins describe"):
        wheels.fetch(pins, Progress("test"))
    assert [file.name for file in cache.iterdir()] == ["one_thing-1.0-py3-none-any.whl"]


def test_an_interrupted_download_continues_with_what_is_missing(
    cache: Path, pins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "one_thing-1.0-py3-none-any.whl").write_bytes(b"uno")
    asked = deliver(monkeypatch, cache, {"two": b"two"})
    found = wheels.fetch(pins, Progress("test"))
    assert asked == ["two"]
    assert sorted(found) == ["one-thing", "two"]


def test_a_file_damaged_in_the_cache_is_fetched_again(
    cache: Path, pins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "one_thing-1.0-py3-none-any.whl").write_bytes(b"damaged")
    asked = deliver(monkeypatch, cache, {"one-thing": b"one", "two": b"two"})
    wheels.fetch(pins, Progress("test"))
    assert sorted(asked) == ["one-thing", "two"]


def test_without_pip_the_message_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupError, match="Installing") as caught:
        wheels.install([], Path("/nowhere"), log="test")
    assert "python3-pip" in caught.value.remedy


def test_each_platform_gets_its_own_wheel_from_the_cache(cache: Path) -> None:
    files = {
        tag: cache / f"thing-1.0-cp311-cp311-{tag}.whl" for tag in ("manylinux_2_28_x86_64", "win_amd64")
    }
    for tag, file in files.items():
        file.write_bytes(tag.encode())
    pins = frozenset(wheels.sha256_of(file) for file in files.values())
    requirement = wheels.Requirement("thing", "1.0", pins)
    assert requirement.cached(wheels.LINUX_X86_64) == files["manylinux_2_28_x86_64"]
    assert requirement.cached(["win_amd64"]) == files["win_amd64"]
    assert requirement.cached(["macosx_11_0_arm64"]) is None
    assert all(file.is_file() for file in files.values())
