"""The commands of build.py. Every command first does the set-up that it needs."""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from . import (
    checks,
    chinese_font,
    development,
    disk,
    engine,
    export,
    language_model,
    language_pack,
    library_part,
    machines,
    native,
    package,
    peer_environment,
    picture_packages,
    runtime,
    server_part,
    server_programs,
    servers,
    target_linux,
    targets,
    wine,
    xdotool,
)
from .console import Progress, SetupError, say
from .language_server import LanguageServer
from .lock import exclusive
from .paths import BUILD, MODELS, ROOT
from .target import Target
from .target_windows import WINDOWS_X86_64

_DEMO_SCENE = "res://demo/demo.tscn"
_MIND_DEMO_SCENE = "res://demo/mind_demo.tscn"
_DOSSIER_DEMO_SCENE = "res://demo/dossier_demo.tscn"
_LANGUAGE_DEMO_SCENE = "res://demo/language_demo.tscn"
_LANGUAGES = ("de", "zh")
_TALK_DEMO_SCENE = "res://demo/talk_demo.tscn"
_VILLAGE_SCENE = "res://demo/village/play.tscn"
_ALL = "all"
_INTERRUPTED = 130


@dataclass(frozen=True)
class _Command:
    """A command of build.py. `passes_on` names the program that gets the remaining words, if any."""

    run: Callable[[argparse.Namespace], int]
    help: str
    passes_on: str = ""
    add_options: Callable[[argparse.ArgumentParser], None] = lambda parser: None


def main(words: Sequence[str]) -> int:
    """Run one command and return the exit code. Expected failures are printed with the next step to take."""
    signal.signal(signal.SIGTERM, _end)
    options = parse(list(words))
    try:
        _require_platform()
        return _COMMANDS[options.command].run(options)
    except SetupError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted. Finished steps are not repeated by the next run.")
        return _INTERRUPTED
    except OSError as error:
        full = disk.full_disk_error(error)
        if full is None:
            raise
        say(f"\n{full}")
        return 1


def set_up(*, tests: bool = False, others: Sequence[Target] = ()) -> engine.Engine:
    """Prepare everything a game of this project needs, here and on these other platforms.

    `tests`: also the development packages, the server part, the language model and xdotool.
    """
    with _building():
        program = engine.find()
        for target in (targets.HERE, *others):
            runtime.prepare(target)
            native.build(program, target=target)
        _build_model(None)
        if tests:
            development.prepare()
            for target in server_part.TARGETS:
                if target in (targets.HERE, *others):
                    server_part.prepare(target)
            server_programs.prepare()
            language_model.prepare()
            language_pack.prepare()
            chinese_font.prepare()
            xdotool.prepare()
    return program


def _end(number: int, frame: FrameType | None) -> None:
    """End by way of an exception on SIGTERM, so that unfinished folders are removed."""
    raise SystemExit(128 + number)


def _require_platform() -> None:
    if not target_linux.is_this_machine():
        raise SetupError(
            "RAG Memory cannot be built here",
            f"only Linux on x86-64 is supported so far, and this is {sys.platform} on {platform.machine()}",
            "build it on such a machine, or in a container of one; docs/porting.md says what a port takes",
        )


def _building() -> contextlib.AbstractContextManager[None]:
    return exclusive(BUILD / "lock", "this project's build folder")


def _build_model(source: str | None) -> None:
    from . import model

    model.build(source)


def _setup(options: argparse.Namespace) -> int:
    program = set_up(tests=True, others=_wanted(options))
    say(f"Everything is ready. Engine: {program.path} ({program.version_text})")
    return 0


def _wanted(options: argparse.Namespace) -> list[Target]:
    """The targets named by --platform, without this machine's."""
    return [target for target in platforms(options) if target is not targets.HERE]


def platforms(options: argparse.Namespace) -> list[Target]:
    """The targets named by --platform, which are all for "all"."""
    names = options.platform or ()
    return [*targets.TARGETS.values()] if _ALL in names else [*map(targets.named, names)]


def _engine(options: argparse.Namespace) -> int:
    print(engine.find().path)
    return 0


def _runtime(options: argparse.Namespace) -> int:
    with _building():
        print(runtime.prepare())
    return 0


def _native(options: argparse.Namespace) -> int:
    program = engine.find()
    with _building():
        library = native.build(program, sanitizer=options.sanitize)
    if options.sanitize:
        variables = native.sanitizer_environment(program, options.sanitize)
        say("Run it with: " + " ".join(f"{name}={value}" for name, value in variables.items()))
    print(library)
    return 0


def _model(options: argparse.Namespace) -> int:
    if options.language:
        model = language_model.prepare()
        say(f"The language model is ready. Start it: {model.program} -m {model.weights} --port 8080 -c 4096")
        print(model.program.parent)
        return 0
    if options.language_pack:
        with _building():
            print(language_pack.prepare())
        return 0
    with _building():
        _build_model(options.source)
    print(MODELS / "default")
    return 0


def _python(options: argparse.Namespace) -> int:
    with _building():
        python = development.prepare()
    return _become([python, *options.passed_on], development.environment())


def _test(options: argparse.Namespace) -> int:
    if options.platform:
        machine = _machine(options.platform, tests=True)
        return checks.run_on(machine, options.passed_on, repeated=options.all)
    others = [] if options.passed_on else _others_in_every_run()
    program = set_up(tests=True, others=[machine.target for machine in others])
    for machine in others:
        machine.prepare()
    say(f"Engine: {program.path} ({program.version_text})")
    return checks.run_all(options.passed_on, others, repeated=options.all)


def _others_in_every_run() -> list[machines.Machine]:
    """The other systems in a complete run; prints why one is unavailable."""
    wanted = [machine for machine in machines.others() if machine.in_every_run]
    for machine in wanted:
        if machine.why_unavailable():
            say(f"{machine.target.name} is not tested here. {machine.why_unavailable()}")
    return [machine for machine in wanted if not machine.why_unavailable()]


def _machine(platform: str, *, tests: bool = False) -> machines.Machine:
    """Build the addon for a platform and return the machine that runs it."""
    machine = machines.of(targets.named(platform))
    set_up(tests=tests, others=[] if machine is machines.HERE else [machine.target])
    machine.prepare()
    return machine


def _demo(options: argparse.Namespace) -> int:
    arguments: list[str] = []
    if options.transcript is not None:
        file = Path(options.transcript).resolve()
        if not file.is_file():
            raise SetupError(
                "The transcript cannot be read", f"{file} is not a file", "give the path of a JSON file"
            )
        arguments = ["--transcript", str(file)]
    scene = _MIND_DEMO_SCENE if options.mind else _DEMO_SCENE
    scene = _DOSSIER_DEMO_SCENE if options.dossier else scene
    scene = _TALK_DEMO_SCENE if options.talk else scene
    if options.language:
        scene, arguments = _LANGUAGE_DEMO_SCENE, [options.language]
        with _building():
            language_pack.prepare()
    if options.platform:
        machine = _machine(options.platform)
        if options.transcript is not None:
            arguments[1:] = [machine.path(Path(argument)) for argument in arguments[1:]]
        return machine.play([scene, *(["--", *arguments] if arguments else [])])
    program = set_up()
    if options.talk:
        # It ends with this process, which becomes the game.
        arguments = [LanguageServer().__enter__().base_url]
    passed_on = ["--", *arguments] if arguments else []
    return _become([program.path, "--headless", "--path", ROOT, scene, *passed_on])


def _export(options: argparse.Namespace) -> int:
    target = targets.named(options.platform)
    program = set_up(others=() if target is targets.HERE else (target,))
    folder = export.SERVER if options.server is not None else export.GAME
    folder = Path(options.output).resolve() if options.output else folder
    template = None
    if target is WINDOWS_X86_64:
        with contextlib.suppress(SetupError):  # then the one that is installed in the editor
            template = wine.windows_engine(Progress("Windows engine"))
    with _building():
        scene = _VILLAGE_SCENE if options.village else ""
        if options.server is None:
            print(export.export_demo(program, folder, target, template, main_scene=scene))
        else:
            project = Path(options.server).resolve() if options.server else None
            print(export.export_server(program, folder, project, target, template, main_scene=scene))
    return 0


def _package(options: argparse.Namespace) -> int:
    wanted = platforms(options) or [targets.HERE]
    is_release = len(wanted) == len(targets.TARGETS)
    set_up(others=[target for target in wanted if target is not targets.HERE])
    with _building():
        package.remove_former()
        zips = package.build_all(wanted)
        for target in server_part.TARGETS:
            if target in wanted:
                zips.append(package.build_part(server_part.FOLDER, target, server_part.prepare(target)))
        for platform in wanted:
            zips.append(package.build_part(library_part.FOLDER, platform, library_part.prepare(platform)))
        zips.append(package.build_village())
        if is_release:
            zips.append(package.build_language_pack(language_pack.prepare()))
        zips.append(package.write_checksums(zips))
    if not is_release:
        others = ", ".join(name for name, target in targets.TARGETS.items() if target not in wanted)
        say(f"For another platform ({others}) use --platform NAME; --platform all packs a release.")
    for file in zips:
        print(file)
    return 0


def _editor(options: argparse.Namespace) -> int:
    _require_screen()
    return _become([set_up().path, "--editor", "--path", ROOT, *options.passed_on])


def _play(options: argparse.Namespace) -> int:
    _require_screen()
    words = [set_up().path, "--path", ROOT, _VILLAGE_SCENE, *options.passed_on]
    of_village = []
    if options.language:
        with _building():
            language_pack.prepare()
            if options.language == "zh":
                chinese_font.prepare()
        of_village.append(f"--language={options.language}")
    if options.model:
        # It ends with this process, which becomes the game.
        of_village.append(f"--model-address={LanguageServer().__enter__().base_url}")
    if of_village and "--" not in words:
        words.append("--")
    return _become([*words, *of_village])


_HELP = (["-h"], ["--help"])
_BENCH_NAMES = {"microseconds": "profile"}
"""Benchmarks whose file has another name: a file profile.py would hide the standard library's module, which
cProfile imports.
"""


def _benchmarks() -> dict[str, Path]:
    files = (ROOT / "bench").glob("*.py")
    return dict(sorted((_BENCH_NAMES.get(file.stem, file.stem), file) for file in files))


def _bench(options: argparse.Namespace) -> int:
    files = _benchmarks()
    if options.name not in files:
        raise SetupError(
            f"There is no benchmark {options.name!r}", f"bench/ has: {', '.join(files)}", "name one of these"
        )
    set_up(tests=True)
    if options.name == "peers" and options.passed_on not in _HELP:
        # The Python that runs it has no pip.
        peer_environment.prepare()
    return _become(
        [development.prepare(), files[options.name], *options.passed_on], development.environment()
    )


def _pictures(options: argparse.Namespace) -> int:
    set_up(tests=True)
    variables = dict(development.environment())
    python_path = variables.get("PYTHONPATH")
    folders = [str(ROOT), str(picture_packages.prepare()), *([python_path] if python_path else [])]
    variables["PYTHONPATH"] = os.pathsep.join(folders)
    return _become(
        [development.prepare(), "-m", "tests.engine.editor.pictures", *options.passed_on], variables
    )


def _require_screen() -> None:
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise SetupError(
            "A window cannot be opened",
            "neither DISPLAY nor WAYLAND_DISPLAY is set",
            "run this in a desktop session; `build.py demo` and `build.py test` need no screen",
        )


def _become(words: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> int:
    """Replace this process by another program, which then gets the signals and sets the exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    program = [os.fspath(word) for word in words]
    os.execve(program[0], program, dict(os.environ if variables is None else variables))


def _platform_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--platform", choices=targets.TARGETS, help="in the engine of this platform")


def _test_options(parser: argparse.ArgumentParser) -> None:
    _platform_option(parser)
    parser.add_argument("--all", action="store_true", help="also the tests that repeat others")


def _demo_options(parser: argparse.ArgumentParser) -> None:
    _platform_option(parser)
    parser.add_argument("--transcript", metavar="FILE", help="replay a real conversation instead")
    parser.add_argument("--mind", action="store_true", help="a week of three villagers with feelings")
    parser.add_argument("--dossier", action="store_true", help="the dossier of a lord before he answers")
    parser.add_argument("--talk", action="store_true", help="ten lines with a real language model")
    parser.add_argument("--language", choices=_LANGUAGES, help="an innkeeper in German or Chinese")


def _setup_options(parser: argparse.ArgumentParser) -> None:
    _platforms_option(parser, "also for this platform")


def _package_options(parser: argparse.ArgumentParser) -> None:
    _platforms_option(parser, "for this one (default: this machine's); all: every zip of a release")


def _platforms_option(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--platform", action="append", choices=[*targets.TARGETS, _ALL], help=help)


def _native_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sanitize",
        nargs="?",
        const="address",
        choices=native.SANITIZERS,
        help="with address and undefined sanitizers, or with the thread sanitizer",
    )


def _model_options(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--from", dest="source", metavar="NAME_OR_DIR", help="another sentence-transformers model"
    )
    which.add_argument(
        "--language", action="store_true", help="fetch a small language model and its server instead"
    )
    which.add_argument(
        "--language-pack",
        choices=[language_pack.NAME],
        help="make the sentence model for other languages instead; the last line is its folder",
    )


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FOLDER", help="an export in this folder is replaced")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--village", action="store_true", help="the village, which opens a window")
    which.add_argument(
        "--server",
        nargs="?",
        const="",
        metavar="PROJECT",
        help="a dedicated server of the project in this folder (default: the demo), with what"
        " PostgreSQL and Valkey need",
    )
    parser.add_argument("--platform", choices=export.TARGETS, default=targets.HERE.name, help="for this one")


def _play_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", action="store_true", help="the villagers answer with a small language model"
    )
    parser.add_argument("--language", choices=_LANGUAGES, help="in German or Chinese")


def _bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(_benchmarks())}")


_COMMANDS: dict[str, _Command] = {
    "demo": _Command(
        _demo, "run the demo without a window (does all the set-up first)", add_options=_demo_options
    ),
    "test": _Command(_test, "run every check and test (does all the set-up first)", "pytest", _test_options),
    "setup": _Command(_setup, "do all the set-up", add_options=_setup_options),
    "engine": _Command(_engine, "find or fetch a Godot engine; the last line is its path"),
    "runtime": _Command(_runtime, "stage the CPython runtime that a game ships"),
    "native": _Command(_native, "compile the native host", add_options=_native_options),
    "model": _Command(_model, "export the embedding model", add_options=_model_options),
    "export": _Command(
        _export,
        "export the demo or the village as a finished game, or a project as a dedicated server; the last line"
        " is its program",
        add_options=_export_options,
    ),
    "package": _Command(
        _package,
        "pack the addon for this machine's platform, its parts and the village, with checksums; the last"
        " lines are the files. --platform all packs a release",
        add_options=_package_options,
    ),
    "editor": _Command(_editor, "open the project in the Godot editor", "the engine"),
    "play": _Command(_play, "play the village in a window", "the engine", _play_options),
    "bench": _Command(_bench, "run a benchmark of bench/", "the benchmark", _bench_options),
    "server": _Command(
        servers.run,
        "run PostgreSQL and Valkey for development (start, stop, status), or init a PostgreSQL",
        add_options=servers.add_arguments,
    ),
    "pictures": _Command(
        _pictures, "take the pictures of docs/images/ in the real editor", "the picture taker"
    ),
    "python": _Command(_python, "run the development Python", "Python"),
}


_HELP_OF_ITS_OWN = ("bench", "pictures", "python")
"""Commands whose --help belongs to the program they run."""


def _count_own(words: list[str]) -> int:
    """Count the leading words that belong to a command, and not to the program it runs."""
    if words[0] == "bench":
        return 2
    count = 1
    while words[0] == "play" and words[count : count + 1]:
        if words[count] == "--language":
            count += 2
        elif words[count] == "--model" or words[count].startswith("--language="):
            count += 1
        else:
            break
    while words[0] == "test" and words[count : count + 1]:
        if words[count] == "--platform":
            count += 2
        elif words[count] == "--all" or words[count].startswith("--platform="):
            count += 1
        else:
            break
    return min(count, len(words))


def parse(words: list[str]) -> argparse.Namespace:
    """Read the command line. `passed_on` of the result has the words for the program that a command runs."""
    parser = argparse.ArgumentParser(prog="build.py", description="Build, run and test RAG Memory.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help)
        if command.passes_on:
            sub.epilog = f"Everything else is passed on to {command.passes_on}."
        command.add_options(sub)
    # argparse would interpret the options of the other program, so they are removed first.
    passed_on: list[str] = []
    if words and words[0] in _COMMANDS and _COMMANDS[words[0]].passes_on:
        own = _count_own(words)
        if words[own:] not in _HELP or words[0] in _HELP_OF_ITS_OWN:
            words, passed_on = words[:own], words[own:]
    options = parser.parse_args(words)
    options.passed_on = passed_on[1:] if passed_on[:1] == ["--"] else passed_on
    return options
