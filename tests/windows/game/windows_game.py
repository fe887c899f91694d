"""Programs of Windows that run under Wine, in places that have nothing but what the test puts there."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.game import START_LIMIT_SECONDS, is_error, parse_value

from rag_memory_build import wine

PROGRAM = "rag_memory_demo.exe"
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Running:
    """A program of Windows, and what it has said so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.lines: list[str] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self.lines.append(_TERMINAL_COLOURS.sub("", line.rstrip("\r\n")))
                self._changed.notify_all()

    def values(self, name: str) -> list[Any]:
        return [found[1] for found in map(parse_value, list(self.lines)) if found and found[0] == name]

    def value(self, name: str) -> Any:
        values = self.values(name)
        assert len(values) == 1, f"{name!r} was said {len(values)} times\n{self.text()}"
        return values[0]

    def errors(self) -> list[str]:
        return [line for line in self.lines if is_error(line)]

    def text(self) -> str:
        return "\n".join(self.lines[-60:])

    def wait_for(self, name: str, count: int = 1) -> None:
        end = time.monotonic() + START_LIMIT_SECONDS
        with self._changed:
            while len(self.values(name)) < count:
                assert time.monotonic() < end and self._process.poll() is None, self.text()
                self._changed.wait(0.5)

    def end(self) -> int:
        """The exit code, when it has ended by itself."""
        try:
            code = self._process.wait(2 * START_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self._reader.join()
        return code

    def kill(self) -> None:
        """End it at once, as a crash of the system does."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


@dataclass(frozen=True)
class Windows:
    wine: wine.Wine
    prefix: Path

    def environment(self) -> dict[str, str]:
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.prefix), "LC_ALL": "C.UTF-8"}
        return self.wine.environment(self.prefix, variables)

    def start(
        self, program: Path, *arguments: str, cwd: Path, variables: Mapping[str, str] | None = None
    ) -> Running:
        return Running(
            subprocess.Popen(
                self.wine.command(program, *arguments),
                cwd=cwd,
                env=self.environment() | dict(variables or {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
            )
        )

    def game(self, folder: Path, *arguments: str, cwd: Path, **variables: str) -> Running:
        """An exported game, with these arguments of its own."""
        return self.start(folder / PROGRAM, "--headless", "--", *arguments, cwd=cwd, variables=variables)

    def play(self, folder: Path, *arguments: str, cwd: Path, **variables: str) -> Running:
        game = self.game(folder, *arguments, cwd=cwd, **variables)
        assert game.end() == 0, game.text()
        return game

    def play_into(self, log: Path, folder: Path, *arguments: str, cwd: Path) -> str:
        """The output of a game, redirected to a file."""
        words = self.wine.command(folder / PROGRAM, "--headless", "--", *arguments)
        with log.open("wb") as file:
            run = subprocess.run(
                words,
                cwd=cwd,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                timeout=2 * START_LIMIT_SECONDS,
                check=False,
            )
        said = log.read_text(encoding="utf-8", errors="replace")
        assert run.returncode == 0, said
        return said

    def saves(self) -> Path:
        """The folder of the game's saves, which is there when it has run."""
        return next(self.prefix.glob("drive_c/users/*/AppData/Roaming/Godot/app_userdata/*/rag_memory"))
