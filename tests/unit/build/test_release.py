"""The files of a release beside the zips' own contents, which tests/export/test_package.py looks at."""

from __future__ import annotations

import subprocess
from pathlib import Path

from rag_memory_build import commands, package, targets


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


def test_all_stands_for_every_platform() -> None:
    options = commands.parse(["package", "--platform", "all"])
    assert commands.platforms(options) == [*targets.TARGETS.values()]
    assert commands.platforms(commands.parse(["package"])) == []
    named = commands.parse(["setup", "--platform", "windows_x86_64", "--platform", "linux_arm64"])
    assert [target.name for target in commands.platforms(named)] == ["windows_x86_64", "linux_arm64"]
