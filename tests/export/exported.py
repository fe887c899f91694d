"""An exported game, and running it in places that have nothing but the game."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.game import ROOT, START_LIMIT_SECONDS, is_error, parse_value

import rag_memory
from rag_memory.embedding.registry import default_embedder
from rag_memory_build import engine, export, targets
from rag_memory_build.target import Target

CHECK = Path(__file__).with_name("game")
VILLAGE_DAY = ROOT / "tests" / "engine" / "village" / "day.gd"
MAIN_SCENE = "res://check/check.tscn"
PREPARED = "village_lore"
NOT_CLOSED = "not_closed.sqlite3"
_CHROOT = shutil.which("chroot") or "/usr/sbin/chroot"
TOWN_LORE = """# Greywater

Aldwin rules the town from its castle. Amber is sold there for twice its price.

# Marunath

Brannoc hates every king but himself.
"""
RULES = """def importance(event_type, analysis, state_deltas):
    if event_type == "flood":
        return analysis["nothing"]
    if event_type == "sale":
        import csv, fractions, statistics
        prices = [fractions.Fraction(price) for price in next(csv.reader(["5/2,7/2,9"]))]
        return int(statistics.mean(prices))
    if event_type == "letter":
        import asyncio
    while event_type == "endless":
        try:
            while True:
                pass
        except BaseException:
            pass
    return 9 if event_type == "harvest" else None


def tier(event_type, importance, interaction_type):
    return 0 if event_type == "harvest" else None


def sentiment(content, action):
    return 42 if content == "Howdy" else None


def relevance(query, memories):
    if query == "Who sang a song?":
        return [1.0 if each["metadata"]["event_type"] == "harvest" else -1.0 for each in memories]


def reflector(request):
    if request["npc_id"] == "mira":
        evidence = [each["id"] for each in request["memories"][:2]]
        return [{"text": "The village is unlucky.", "evidence": evidence}]


def extractor(request):
    return ["The player is called Tom the Fool."] if request["npc_id"] == "mira" else None
"""
KEY_VARIABLE = "RAG_EXPORT_KEY"
KEY = "sk-export-1a2b3c4d5e6f"
PAID_MODEL = f"""[gd_resource type="Resource" script_class="NPCOpenAILanguageModel" format=3]

[ext_resource type="Script" path="res://addons/rag_memory/language/npc_openai_language_model.gd" id="1"]

[resource]
script = ExtResource("1")
api_key_variable = "{KEY_VARIABLE}"
"""
LORE = ("The old mill burned down in the winter of the great flood.", "Gregor hides the key under the bell.")


@dataclass(frozen=True)
class Exported:
    """A finished game and the project it was made of."""

    folder: Path
    project: Path
    messages: str


def make_exported_game(
    folder: Path, target: Target = targets.HERE, template: Path | None = None, scripts: Path | None = None
) -> Exported:
    """Export the demo with the tests' scene, which runs each of `scripts` when the game is told its name."""
    project = folder / "project"
    project.mkdir()
    export.stage(project, main_scene=MAIN_SCENE)
    shutil.copytree(CHECK, project / "check")
    shutil.copy(VILLAGE_DAY, project / "check")
    if scripts is not None:
        shutil.copytree(scripts, project / "check", dirs_exist_ok=True)
    prepared = project / "prepared_saves" / f"{PREPARED}.sqlite3"
    prepared.parent.mkdir()
    with rag_memory.open_save(prepared, default_embedder(ROOT / "addons/rag_memory/models")) as save:
        save.npc("elena").memories.store_batch([{"text": text} for text in LORE])
        # A copy of the files of an open save: what happens when nobody closed it.
        for ending in ("", "-wal"):
            shutil.copyfile(f"{prepared}{ending}", prepared.with_name(f"{NOT_CLOSED}{ending}"))
    for ending in ("-wal", "-shm", ".lock"):
        prepared.with_name(prepared.name + ending).unlink(missing_ok=True)
    (project / "lore").mkdir()
    (project / "lore" / "town.md").write_text(TOWN_LORE, encoding="utf-8")
    (project / "rules").mkdir()
    (project / "rules" / "village.py").write_text(RULES, encoding="utf-8")
    (project / "check" / "paid_model.tres").write_text(PAID_MODEL, encoding="utf-8")
    settings = project / "project.godot"
    sources = 'lore/sources=["res://lore/town.md", "res://lore/gone.md"]'
    flushed = "[application]\n\nrun/flush_stdout_on_print=true"
    translations = 'locale/translations=PackedStringArray("res://addons/rag_memory/languages/de.po")'
    text = settings.read_text(encoding="utf-8")
    settings.write_text(
        f'{text}\n{flushed}\n\n[internationalization]\n\n{translations}\n\n[rag_memory]\n\n{sources}\npython/rules=["res://rules/village.py"]\n',
        "utf-8",
    )
    game = folder / "game"
    messages = export.export(engine.find(), project, game, target, template)
    return Exported(game, project, messages)


@dataclass(frozen=True)
class Run:
    """The output of an exported game that has ended."""

    code: int
    lines: list[str]

    def values(self, name: str) -> list[Any]:
        return [value[1] for value in map(parse_value, self.lines) if value and value[0] == name]

    def value(self, name: str) -> Any:
        values = self.values(name)
        assert len(values) == 1, f"{name!r} was said {len(values)} times\n" + self.text()
        return values[0]

    def errors(self) -> list[str]:
        return [line for line in self.lines if is_error(line)]

    def text(self) -> str:
        return "\n".join(self.lines[-60:])


def play(
    program: Path,
    *arguments: str,
    environment: Mapping[str, str],
    cwd: Path,
    wrapper: Sequence[str] = (),
    root: Path | None = None,
) -> Run:
    """Run an exported game to its end, without a window, and with no other variables than these."""
    words = [*wrapper, "env", "-i", *(f"{name}={value}" for name, value in environment.items())]
    if root is not None:
        words += [_CHROOT, str(root)]
    done = subprocess.run(
        [*words, str(program), "--headless", "--", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=2 * START_LIMIT_SECONDS,
        check=False,
    )
    return Run(done.returncode, [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in done.stdout.splitlines()])


def bare_root(root: Path, game: Path, home: Path) -> list[str]:
    """The words before a command for which `root` is a read-only folder with nothing in it but the game, a
    home that can be written, /proc, /dev and the C library; none where the system does not allow that.

    The private engine's programs have an interpreter and libraries of their own: those are there too.
    """
    private = engine.find().private_folder
    folders = [private / "usr" / "lib"] if private else [Path("/lib"), Path("/lib64"), Path("/usr/lib")]
    here = shlex.quote(str(root))
    # Entered again, or the commands would still be in the folder below the mount.
    lines = [f"mount -t tmpfs none {here} && cd {here}"]
    for folder, kind in [*((each, "ro") for each in folders), (game, "ro"), (home, "rw")]:
        place = shlex.quote(f".{folder}")
        lines.append(f"mkdir -p {place} && mount --bind {shlex.quote(str(folder))} {place}")
        lines.append(f"mount -o remount,bind,{kind} {place}")
    lines += [f"mkdir -p .{folder} && mount --rbind {folder} .{folder}" for folder in ("/proc", "/dev")]
    lines += ["mount -o remount,ro .", 'cd / && exec "$@"']
    words = ["unshare", "-m", "sh", "-c", " && ".join(lines), "sh"]
    try:
        done = subprocess.run([*words, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return words if done.returncode == 0 else []
