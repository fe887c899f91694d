"""The demo on another system recalls what it recalls here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.engine.game import MACHINE, ROOT, START_LIMIT_SECONDS, Project

from rag_memory_build import machines

_RECALLED = re.compile(r"^Expected memories recalled: .*", re.MULTILINE)


def _play(machine: machines.Machine, project: Path, home: Path) -> str:
    home.mkdir()
    try:
        done = subprocess.run(
            [*machine.engine(), "--headless", "--path", machine.path(project), "res://demo/demo.tscn"],
            env=machine.environment(home, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=2 * START_LIMIT_SECONDS,
            check=False,
        )
    finally:
        machine.close(home)
    assert done.returncode == 0, done.stdout
    return done.stdout.replace("\r", "")


def test_the_demo_recalls_the_same_here_and_there(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", staged_core=True)
    shutil.rmtree(project.folder / "demo")
    (project.folder / "demo").symlink_to(ROOT / "demo")
    there = _play(MACHINE, project.folder, tmp_path / "there")
    assert "224 memories stored" in there
    assert _RECALLED.findall(there) == _RECALLED.findall(_play(machines.HERE, ROOT, tmp_path / "here")) != []
