"""The text about listeners in a section of a prompt that may be too small for it."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.mind.listener_text import DETAIL, LISTENER
from rag_memory.prompt.text_section import TextSection
from rag_memory.text.harmless import harmless


def add_listeners(section: TextSection, text: str, first_line: str) -> None:
    """Add the lines of NPCMind.build_listener_context() that fit: first whom the NPC speaks to, then how it
    feels and what is asked of it, then details, of each listener in turns. `first_line` comes before them;
    "" for none.
    """
    lines = [first_line] if first_line else []
    lines += [_harmless_line(line) for line in text.split("\n") if line]
    ranks = _ranks(lines)
    trial = TextSection(section.title, section.budget)
    places = sorted(range(len(lines)), key=lambda place: (ranks[place], place))
    for place in sorted(place for place in places if trial.add(lines[place])):
        section.add(lines[place])
    section.dropped += trial.dropped


def _harmless_line(line: str) -> str:
    """Make a line harmless but for its beginning, which says what kind of line it is."""
    beginning = next((prefix for prefix in (LISTENER, DETAIL) if line.startswith(prefix)), "")
    return beginning + harmless(line.removeprefix(beginning))


def _ranks(lines: Sequence[str]) -> list[int]:
    """Which lines are taken first: the lowest rank."""
    ranks, details = [], 0
    for line in lines:
        details = details + 1 if line.startswith(DETAIL) else 0
        ranks.append(0 if line.startswith(LISTENER) else 1 + details)
    return ranks
