"""What the console's commands about a mind do. Their help is in console_commands.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.mind.mind_texts import feeling_text, interaction_text, mood_text
from rag_memory.npc.npc import Npc
from rag_memory.step import Steps
from rag_memory.validation import shown

_DEFAULT_COUNT = 10
_PANEL_COUNT = 5
_INTEGER = lazy_pattern(r"\d+")


def run_mind_command_steps(npc: Npc, command: str, words: str) -> Steps[dict[str, Any]]:
    """Carry out NPCMind.run_command(). An unknown command raises InvalidArgumentError."""
    if command not in _COMMANDS:
        raise InvalidArgumentError(
            f"run_command(): no command about a mind is called {shown(command)}",
            "",
            "See MemoryDebugConsole",
        )
    return (yield from _COMMANDS[command](npc, words))


def _mood(npc: Npc, _words: str) -> Steps[dict[str, Any]]:
    yield from ()
    return _output(mood_text(npc.mind.feelings.get_emotion()))


def _feelings(npc: Npc, _words: str) -> Steps[dict[str, Any]]:
    yield from ()
    lines = [f"{feeling_text(one)}  ({one['character_id']})" for one in npc.mind.feelings.strongest()]
    return _output("\n".join(lines) or "Nobody is known.")


def _interactions(npc: Npc, words: str) -> Steps[dict[str, Any]]:
    yield from ()
    count = int(words) if _INTEGER.fullmatch(words) else _DEFAULT_COUNT
    lines = [interaction_text(one) for one in npc.mind.get_interactions("", count)]
    return _output("\n".join(lines) or "Nothing has happened.")


def _reflect(npc: Npc, _words: str) -> Steps[dict[str, Any]]:
    ids = yield from npc.mind.reflections.reflect.steps(True)
    memories = [npc.memories.get_memory(id) for id in ids]
    lines = [f"#{number} {memory['document']}" for number, memory in enumerate(memories, 1)]
    insights = [memory.get("document_full", memory["document"]) for memory in memories]
    return {**_output("\n".join(lines) or "No conclusions."), "listed": ids, "insights": insights}


def _perceive(npc: Npc, words: str) -> Steps[dict[str, Any]]:
    action, source, content = [*words.split(maxsplit=2), "", "", ""][:3]
    event = {"action": action, "source_id": source, "content": content}
    felt = yield from npc.mind.perceive.steps(event)
    outcome = "no memory"
    if felt["kind"]:
        outcome = f"{felt['kind']} of importance {felt['importance']}, {felt['memory_id']}"
    lines = [outcome, f"why: {felt['why']}", f"sentiment: {felt['sentiment']}"]
    if source:
        lines.append(feeling_text(felt["disposition"]))
    return _output("\n".join([*lines, f"mood: {mood_text(felt['emotion'])}"]))


def _panel(npc: Npc, _words: str) -> Steps[dict[str, Any]]:
    """Return what the panel of the inspector shows."""
    yield from ()
    mind = npc.mind
    return {
        **mind.feelings.overview(),
        "known_count": len(mind.feelings.get_dispositions()),
        "interactions": [
            {"text": interaction_text(one), "why": one.get("why", "")}
            for one in mind.get_interactions("", _PANEL_COUNT)
        ],
        "gathered": mind.reflections.get_importance_since_reflection(),
    }


def _output(text: str) -> dict[str, Any]:
    return {"pieces": [text], "is_failed": False}


_COMMANDS: Mapping[str, Callable[[Npc, str], Steps[dict[str, Any]]]] = {
    "mood": _mood,
    "feelings": _feelings,
    "interactions": _interactions,
    "reflect": _reflect,
    "perceive": _perceive,
    "panel": _panel,
}
