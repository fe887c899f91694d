"""Where Debian's packages come from, and that only what the signed index describes is used."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rag_memory_build import debian
from rag_memory_build.console import Progress, SetupError

DEB822 = """\
# the system
Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/system.gpg

Types: deb-src
URIs: http://mirror.example/sources
Suites: bookworm
Components: main

Types: deb
Enabled: no
URIs: http://mirror.example/off
Suites: bookworm
Components: main
"""


def test_deb822_sources_are_read() -> None:
    expected = debian.Source(
        "http://mirror.example/debian", "/usr/share/keyrings/system.gpg", ("bookworm", "bookworm-updates")
    )
    assert debian.parse_deb822(DEB822) == [expected]


def test_one_line_sources_are_read() -> None:
    text = (
        "# deb http://mirror.example/comment bookworm main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian trixie main non-free\n"
        "deb http://mirror.example/other stable contrib # main\n"
        "deb-src http://mirror.example/debian trixie main\n"
    )
    assert debian.parse_one_line(text) == [
        debian.Source("http://mirror.example/debian", "/k.gpg", ("trixie",)),
    ]


def test_the_mirror_of_the_release_itself_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "apt" / "sources.list.d"
    folder.mkdir(parents=True)
    (folder / "a-third-party.sources").write_text(
        "Types: deb\nURIs: http://vendor.example\nSuites: nodistro\nComponents: main\n"
    )
    (folder / "debian.sources").write_text(DEB822)
    release = tmp_path / "os-release"
    release.write_text('ID=debian\nVERSION_CODENAME="bookworm"\n')
    monkeypatch.setattr(debian, "_APT_FOLDER", tmp_path / "apt")
    monkeypatch.setattr(debian, "_OS_RELEASE", release)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert debian.system_source().uri == "http://mirror.example/debian"
    (folder / "debian.sources").unlink()
    with pytest.raises(debian.DebianUnavailable):
        debian.system_source()


class Mirror:
    """Stands for apt: lists two packages, and delivers the contents it is given, one per download."""

    def __init__(self, *deliveries: bytes) -> None:
        self.deliveries = list(deliveries)
        self.commands: list[str] = []

    def __call__(
        self,
        state: Path,
        configuration: str,
        suite: str,
        *words: str,
        progress: object = None,
        cwd: Path | None = None,
    ) -> str:
        self.commands.append(words[0] if "--print-uris" not in words else "list")
        if "--print-uris" in words:
            digest = hashlib.sha256(b"good").hexdigest()
            names = ("p_1_amd64.deb", "big_1_amd64.deb")
            lines = [f"'http://mirror.example/{name}' {name} 4 SHA256:{digest}\n" for name in names]
            return "Reading ...\n" + "".join(lines)
        if words[0] == "update":
            (state / "lists" / "x_Packages").touch()
        else:
            assert cwd is not None
            for package in words[1:]:
                (cwd / f"{package}_1_amd64.deb").write_bytes(self.deliveries.pop(0))
        return ""


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(debian, "CACHE", tmp_path)
    monkeypatch.setattr(debian, "system_source", lambda: debian.Source("http://mirror.example", None, ("x",)))
    return tmp_path / "debian" / "suite" / "archives"


def test_a_damaged_download_is_refused_and_removed(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "_apt", Mirror(b"evil"))
    with pytest.raises(SetupError, match="arrived damaged"):
        debian.fetch("suite", ["p"], Progress("test"), without=["big"])
    assert not (archives / "p_1_amd64.deb").exists()


def test_a_package_damaged_in_the_cache_is_fetched_again(
    archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archives.mkdir(parents=True)
    (archives / "p_1_amd64.deb").write_bytes(b"baad")
    mirror = Mirror(b"good")
    monkeypatch.setattr(debian, "_apt", mirror)
    assert debian.fetch("suite", ["p"], Progress("test"), without=["big"]) == [archives / "p_1_amd64.deb"]
    assert (archives / "p_1_amd64.deb").read_bytes() == b"good"


def test_what_is_in_the_cache_needs_no_network(archives: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = Mirror(b"good")
    monkeypatch.setattr(debian, "_apt", mirror)
    debian.fetch("suite", ["p"], Progress("test"), without=["big"])
    mirror.commands.clear()
    debian.fetch("suite", ["p"], Progress("test"), without=["big"])
    assert mirror.commands == ["list"]


def test_packages_of_another_architecture_have_a_place_of_their_own(
    archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "_apt", Mirror(b"good", b"good"))
    found = debian.fetch("suite", ["p"], Progress("test"), architecture="arm64")
    state = archives.parent.with_name("suite-arm64")
    assert found == [state / "archives" / name for name in ("p_1_amd64.deb", "big_1_amd64.deb")]
    assert "arch=arm64" in (state / "sources.list").read_text()
    assert 'APT::Architecture "arm64";' in (state / "download.conf").read_text()
    assert not archives.exists()
