"""The real language model: fetched whole or not at all, and its server ends with whoever started it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from rag_memory_build import language_model
from rag_memory_build.console import SetupError
from rag_memory_build.language_server import LanguageServer

_START = """
import sys, time
from rag_memory_build.language_server import LanguageServer
with LanguageServer() as server:
    print(server.pid, flush=True)
    time.sleep(600)
"""


def test_what_a_killed_fetch_left_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = language_model.prepare()
    cache = tmp_path / "cache"
    folder = cache / "language" / whole.program.parent.name
    folder.mkdir(parents=True)
    (folder / whole.weights.name).write_bytes(b"half of it")
    (folder / "language_model.json").write_text(json.dumps({whole.weights.name: 98_362_432}))
    leftover = folder.parent / f".{folder.name}.new-killed"
    leftover.mkdir()
    monkeypatch.setattr(language_model, "CACHE", cache)
    made = language_model.prepare()
    assert made.weights.parent == folder
    assert made.weights.stat().st_size == whole.weights.stat().st_size
    assert not leftover.exists()
    shutil.rmtree(cache)


def test_a_server_embeds() -> None:
    with LanguageServer(embeds=True) as server:
        question = json.dumps({"input": ["The bridge is out.", "Bread is cheap."]}).encode()
        with urllib.request.urlopen(f"{server.base_url}/embeddings", question, timeout=300.0) as answer:
            vectors = [each["embedding"] for each in json.load(answer)["data"]]
    assert [len(each) for each in vectors] == [576, 576]
    assert vectors[0] != vectors[1]


def test_a_server_says_why_it_does_not_start() -> None:
    with LanguageServer() as server, pytest.raises(SetupError, match="couldn't bind"):
        LanguageServer(port=server.port).__enter__()


def test_a_server_ends_with_a_process_that_is_killed() -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", _START], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    assert Path(f"/proc/{pid}").exists()
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    while _runs(pid):  # pytest's time limit ends this otherwise
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
