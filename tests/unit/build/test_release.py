"""The files of a release beside the zips' own contents, which tests/export/test_package.py looks at."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.engine.village import recording

from rag_memory_build import commands, export, package, targets
from rag_memory_build.paths import ROOT


def test_the_checksums_of_a_release_are_what_sha256sum_checks(tmp_path: Path) -> None:
    zips = [package.build_village(tmp_path), tmp_path / "rag_memory-1.0-a.zip"]
    zips[1].write_bytes(b"a zip")
    checksums = package.write_checksums(zips, tmp_path)
    check = ["sha256sum", "--check", "--strict", checksums.name]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert len(checksums.read_text(encoding="utf-8").splitlines()) == len(zips)
    zips[1].write_bytes(b"another")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_a_release_has_no_zip_of_an_earlier_build(tmp_path: Path) -> None:
    former = tmp_path / "rag_memory-0.0.1-all.zip"
    others = tmp_path / "notes.txt"
    for file in (former, others, tmp_path / package.CHECKSUMS):
        file.touch()
    package.remove_former(tmp_path)
    assert list(tmp_path.iterdir()) == [others]


def test_the_text_for_the_store_names_pictures_and_figures_that_are_there() -> None:
    text = (ROOT / "python" / "rag_memory_build" / "asset_store.md").read_text(encoding="utf-8")
    assert text.splitlines()[2].startswith("Remembers without any AI service")
    pictures = re.findall(r"docs/images/\w+\.\w+", text)
    assert len(pictures) == 4 and all((ROOT / picture).is_file() for picture in pictures)
    (zipped,) = re.findall(r"about (\d+) MB zipped", text)
    assert float(zipped) == export.ZIPPED_LIMIT_MEGABYTES


def test_the_recording_is_forty_seconds_and_at_most_four_megabytes() -> None:
    content = (ROOT / "docs" / "images" / recording.FILE).read_bytes()
    milliseconds = sum(
        int.from_bytes(body[12:15], "little") for name, body in chunks(content) if name == b"ANMF"
    )
    assert milliseconds == 1000 * recording.SECONDS
    assert len(content) <= 4_000_000


def chunks(webp: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a WebP file, by their names."""
    place = 12
    while place < len(webp):
        size = int.from_bytes(webp[place + 4 : place + 8], "little")
        yield webp[place : place + 4], webp[place + 8 : place + 8 + size]
        place += 8 + size + size % 2


def test_all_stands_for_every_platform() -> None:
    options = commands.parse(["package", "--platform", "all"])
    assert commands.platforms(options) == [*targets.TARGETS.values()]
    assert commands.platforms(commands.parse(["package"])) == []
    named = commands.parse(["setup", "--platform", "windows_x86_64", "--platform", "linux_arm64"])
    assert [target.name for target in commands.platforms(named)] == ["windows_x86_64", "linux_arm64"]
