"""A game that has classes and autoloads with the names of the addon's: after renaming ours, both work."""

from __future__ import annotations

import re
import shutil

from tests.engine.game import ADDON, SCRIPT_PARTS, Home, Project, run

from rag_memory_build import project_cache

RENAMED = re.compile(r"^(class_name |extends (?=\w*(?:Language|Embedding)Model$))(\w+)$", re.MULTILINE)
AUTOLOADS = ("NPCWorldEvents", "NPCWorldKnowledge")
CLASSES = (
    *("NPCContextBuilder", "NPCPersonality", "MemoryDebugConsole"),
    *("DebugCommands", "PlayerText", "Occasion", "PromptDraft", "PromptSection"),
    *("Wording", "English", "NPCLanguageModel", "NPCOpenAILanguageModel", "HttpExchange"),
    *("MemoryEmbeddingModel", "MemoryOpenAIEmbedding"),
)


def test_the_addon_s_classes_work_under_other_names(quick_project: Project, home: Home) -> None:
    for part in SCRIPT_PARTS:
        folder = quick_project.addon / part
        folder.unlink()
        shutil.copytree(ADDON / part, folder)
        for script in folder.glob("*.gd"):
            text = script.read_text(encoding="utf-8")
            script.write_text(RENAMED.sub(r"\1RAG\2", text), encoding="utf-8")
    (quick_project.folder / ".godot" / "global_script_class_cache.cfg").unlink()
    project_cache.announce_classes(quick_project.folder)
    for name in CLASSES:
        (quick_project.folder / f"{name}.gd").write_text(_own(f"class_name {name}\n"), encoding="utf-8")
        project_cache.announce_class(quick_project.folder, name, "Node", f"res://{name}.gd")
    for name in AUTOLOADS:
        (quick_project.folder / f"{name}.gd").write_text(_own(""), encoding="utf-8")
    quick_project.write_settings({f"autoload/{name}": f'"*res://{name}.gd"' for name in AUTOLOADS})
    game = run(quick_project, home, "own_classes", ",".join(CLASSES), ",".join(AUTOLOADS))
    assert game.value("own") == [True] * (len(CLASSES) + len(AUTOLOADS))
    assert game.value("stored") == ["first_meeting"]
    assert game.value("events") == 1
    assert game.value("secrets") == 1
    assert game.value("models_said") == "Welcome."


def _own(head: str) -> str:
    return f"{head}extends Node\n\n\nfunc is_the_games_own() -> bool:\n\treturn true\n"
