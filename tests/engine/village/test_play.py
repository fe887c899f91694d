"""`build.py play`, as a player starts it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from tests.engine.game import ROOT, SCREEN_OPTIONS, START_LIMIT_SECONDS
from tests.engine.screen import virtual_screen

PLAY = [sys.executable, str(ROOT / "build.py"), "play"]


def children(pid: int) -> list[int]:
    """The processes that this one has started."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_the_server_of_the_model_ends_with_a_killed_game(tmp_path: Path) -> None:
    with virtual_screen(1280, 720) as screen:
        variables = {**os.environ, **screen, "XDG_DATA_HOME": str(tmp_path)}
        game = subprocess.Popen(
            [*PLAY, "--model", *SCREEN_OPTIONS], env=variables, stdout=subprocess.PIPE, text=True
        )
        assert game.stdout is not None
        said = []
        for line in game.stdout:
            said.append(line)
            if "storing what varn remembers" in line:
                break
        servers = children(game.pid)
        handles = [os.pidfd_open(each) for each in servers]
        commands = [Path(f"/proc/{each}/cmdline").read_bytes() for each in servers]
        game.send_signal(signal.SIGKILL)
        game.wait()
        game.stdout.close()
    assert len(servers) == 1 and b"llama-server" in commands[0], said
    has_ended, _, _ = select.select(handles, [], [], START_LIMIT_SECONDS)
    os.close(handles[0])
    assert has_ended, "the server goes on without the game"


def test_it_says_that_it_needs_a_screen() -> None:
    variables = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    done = subprocess.run(PLAY, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "A window cannot be opened" in done.stdout + done.stderr
