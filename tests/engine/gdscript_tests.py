"""Collects the functions `test_*` of GDScript files as pytest tests and runs them in the real engine.

One engine runs the selected tests of one file. Other engines run its twins: the untyped one
(untyped_twin.py), the one whose saves are on PostgreSQL (server_twin.py), and the same file in the release
template, which leaves out checks with which a debug build hides a crash. The twins of a file run by default
if its head has the line PASSES_OBJECTS; those of all files run with `build.py test --all`.

An engine reports over its output: "@begin NAME", what the test and the engine print, "@end JSON". Each test's
result, with the errors printed between the two, becomes the result of its pytest item; a test during which
the engine dies fails with the engine's last words, and those after it fail because they could not run.
"""

from __future__ import annotations

import functools
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.game import (
    MACHINE,
    ROOT,
    SANITIZED,
    START_LIMIT_SECONDS,
    Game,
    Home,
    Project,
    check_errors,
    for_servers,
    is_warning,
)
from tests.engine.server_twin import FOLDERS, on_server, tests_of_files
from tests.engine.untyped_twin import MARK, untyped

from rag_memory_build import engine
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres

RUNNER = "res://tests/engine/runner.gd"
TEST_LIMIT_SECONDS = 900.0
"""How long the runner may stay silent; it ends a test that awaits in vain much earlier."""

WITHOUT_MODEL = "# Runs without the model."
"""The second line of a file whose tests ask for no meaning: the hashing embedder answers, and faster."""

PASSES_OBJECTS = "# Passes objects, null or threads: its twins always run."
"""A line in the head of a file. Its tests give native code what a twin may treat differently: objects that
are freed or of a wrong class, null, or calls from several threads.
"""

_PROJECT_NAME = "Jürgens Spiel"
"""Part of the path of user://."""

_TEST_FUNCTION = re.compile(r"^func (test_\w+)\(", re.MULTILINE)
_EXIT_TEST = "exits_cleanly"
_UNTYPED = "untyped"
_RELEASE = "release"
_SERVER = "server"
_ERRORS_OF_THE_RELEASE_TEMPLATE = ["Attempt to disconnect a nonexistent connection from"]
"""Printed by Debian's template when a container loses a child, also without the addon."""


class GDScriptFile(pytest.File):
    """A file of GDScript tests, run in an editor build and in a release build of the engine; a marked one
    also without its static types.
    """

    def collect(self) -> Iterable[pytest.Item]:
        source = self.path.read_text(encoding="utf-8")
        names = _TEST_FUNCTION.findall(source)
        if not names:
            raise self.CollectError(f"{self.path} has no function test_*")
        excluded = {name for names in MACHINE.excluded.values() for name in names}
        own = self.path.relative_to(ROOT).as_posix()
        if own in excluded:
            return
        names = [each for each in names if f"{own}::{each}" not in excluded]
        forms = [_UNTYPED] if source.startswith(MARK) else []
        if not MACHINE.has_only_release_template:
            forms.insert(0, "")
            if self.path.parent.name in FOLDERS and not SANITIZED:
                forms.append(_SERVER)
        if not SANITIZED:
            forms.append(_RELEASE)
        first = _RELEASE if MACHINE.has_only_release_template else ""
        for form in forms:
            run = _Run(self, form)
            left_out = tests_of_files(source) if form == _SERVER else ()
            for function in [*(each for each in names if each not in left_out), _EXIT_TEST]:
                name = f"{function}[{form}]" if form else function
                item = GDScriptItem.from_parent(self, name=name, run=run)
                if form != first and PASSES_OBJECTS not in source.partition("\n\n")[0]:
                    item.add_marker("repeated")
                yield item


class GDScriptItem(pytest.Item):
    """One GDScript test function."""

    def __init__(self, *, run: _Run, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.run = run
        self.function_name = self.name.partition("[")[0]

    def runtest(self) -> None:
        if self.function_name == _EXIT_TEST:
            self.run.check_exit()
        else:
            self.run.check(self.function_name)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return str(excinfo.getrepr(style=style or "short"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        text = self.path.read_text(encoding="utf-8")
        at = text.find(f"func {self.function_name}(")
        return self.path, text.count("\n", 0, at) if at >= 0 else None, self.name


class _Run:
    """One engine that runs the selected tests of one file in one form, in the order of the file."""

    def __init__(self, file: GDScriptFile, form: str) -> None:
        self._file = file
        self._form = form
        self._allowed_errors = (
            _ERRORS_OF_THE_RELEASE_TEMPLATE if form == _RELEASE or MACHINE.has_only_release_template else []
        )
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._home: Home | None = None
        self._at = 0
        self._died_in = ""

    @functools.cached_property
    def _game(self) -> Game:
        """The engine, started when the first result is wanted."""
        self._file.addfinalizer(self._close)
        self._folder = tempfile.TemporaryDirectory(prefix="rag_memory_tests_")
        folder = Path(self._folder.name)
        source = self._file.path.read_text(encoding="utf-8")
        project = Project(
            folder / "project",
            name=_PROJECT_NAME,
            settings={"application/run/flush_stdout_on_print": "true"},
            model=WITHOUT_MODEL not in source.split("\n")[:2],
        )
        name = self._file.path.name
        script = f"res://{self._file.path.relative_to(ROOT).as_posix()}"
        if self._form == _RELEASE and not MACHINE.has_only_release_template:
            template = engine.find().release_template
            if template is None:
                pytest.skip("this engine came without a release template")
            project.release(RUNNER, template)
        words = []
        if self._form in (_UNTYPED, _SERVER):
            script = f"res://{self._form}/{name}"
            twin = project.folder / self._form / name
            twin.parent.mkdir()
            twin.write_text(untyped(source) if self._form == _UNTYPED else on_server(source), "utf-8")
        if self._form == _SERVER:
            for_servers(project)
            words = [json.dumps(_place_for(self._file))]
        items = [
            item for item in self._file.session.items if isinstance(item, GDScriptItem) and item.run is self
        ]
        functions = [item.function_name for item in items if item.function_name != _EXIT_TEST]
        self._home = Home(folder / "home")
        return Game(project, self._home, RUNNER, script, ",".join(functions), *words)

    def check(self, name: str) -> None:
        """Wait for the result of a test; AssertionError when it failed."""
        game = self._game
        assert not self._died_in, f"not run: the engine died in {self._died_in}"
        end = self._wait_for("@end ")
        if end is None:
            self._died_in = name
            how = "hung" if not game.has_ended else "ended"
            game.process.kill()
            raise AssertionError(f"the engine {how} (exit code {game.end()}) during this test\n{game.tail()}")
        lines = game.lines[self._at : end]
        result = json.loads(game.lines[end].removeprefix("@end "))
        self._at = end + 1
        assert result["test"] == name, f"the runner reported {result['test']} instead\n{game.tail()}"
        failures = list(_failures(result))
        assert not failures, "\n".join(failures[:20]) + "\noutput:\n" + "\n".join(lines[-60:])
        check_errors(lines, result["expected_errors"], [*result["allowed_errors"], *self._allowed_errors])
        warned = [line for line in lines if is_warning(line)]
        for part in result["expected_warnings"]:
            assert any(part in line for line in warned), f"no warning with {part!r} among {warned}"

    def check_exit(self) -> None:
        """Wait for the end of the engine: exit code 0, and nothing printed in red on the way."""
        assert not self._died_in, f"the engine died in {self._died_in}"
        code = self._game.end()
        assert code == 0, f"the engine ended with code {code}\n{self._game.tail()}"
        check_errors(self._game.lines[self._at :], [], self._allowed_errors)

    def _close(self) -> None:
        if "_game" in self.__dict__ and self._game.process.poll() is None:
            self._game.kill()
        if self._home is not None:
            self._home.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _wait_for(self, start: str) -> int | None:
        """The number of the next line that starts so; None when the engine ended or hangs."""
        limit = TEST_LIMIT_SECONDS + (START_LIMIT_SECONDS if self._at == 0 else 0)
        self._game.wait_until(lambda: self._find(start) is not None, limit)
        return self._find(start)

    def _find(self, start: str) -> int | None:
        lines = self._game.lines
        return next((i for i in range(self._at, len(lines)) if lines[i].startswith(start)), None)


@functools.cache
def _postgres(session: pytest.Session) -> PostgresServer:
    """A server for all tests of this session."""
    running = temporary_postgres()
    session.addfinalizer(lambda: running.__exit__(None, None, None))
    return running.__enter__()


def _place_for(file: GDScriptFile) -> dict[str, Any]:
    """The values of a MemoryPostgresStorage of a file's own."""
    server = _postgres(file.session)
    return {"port": server.port, "password_file": str(server.password_file), "schema": file.path.stem}


def _failures(result: dict[str, Any]) -> Iterator[str]:
    for failure in result["failures"]:
        yield f"{failure['where']}: {failure['message']}"
    if result["timed_out"]:
        yield "the test awaited something that did not come"
    if result["checks"] == 0 and not result["failures"]:
        yield "the test checked nothing"
