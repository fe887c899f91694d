"""The text about listeners for a prompt, which never exceeds its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.mind.encoding import ended
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.harmless import harmless

LONGEST_LINE = 240
"""Characters of one interaction or memory."""
LISTENER, DETAIL = "- ", "  "
"""The beginnings of lines: of one that names a listener, and of one about him."""


@dataclass
class Listener:
    """One listener: a line about the NPC's feelings towards him, and details, most important first."""

    line: str
    short_line: str
    details: list[str]
    taken: list[str] = field(default_factory=list)

    def tokens_with_next(self) -> int:
        """Return how many tokens the details take with the next one."""
        return sum(map(estimate_tokens, [*self.taken, *self.details[:1]]))

    def lines(self) -> list[str]:
        """Return the lines that are in the text."""
        return [self.line, *self.taken]


def plain(text: str) -> str:
    """Put somebody's words on one line of limited length."""
    line = harmless(text)
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1].rstrip()}…"


def mood_line(config: Wording, emotion: dict[str, Any]) -> str:
    """Describe the mood."""
    if not emotion["intensity"]:
        return config.sentence("calm")
    return config.sentence(
        "you_feel_because" if emotion["reason"] else "you_feel",
        mood=plain(config.word("mood", emotion["mood"])),
        intensity=round(emotion["intensity"]),
        reason=ended(plain(emotion["reason"])),
    )


def listener_of(
    config: Wording, disposition: dict[str, Any], interactions: Sequence[str], memories: Sequence[str]
) -> Listener:
    """Make a listener with the details about him: interactions and memories in turns."""
    values = {
        "name": plain(disposition["name"]),
        "feeling": config.word("feeling", disposition["feeling"]),
        "strength": round(disposition["strength"]),
        "reason": ended(plain(disposition["reason"])),
    }
    short = LISTENER + config.sentence("listener", **values)
    line = LISTENER + config.sentence("listener_because", **values) if disposition["reason"] else short
    lately = [DETAIL + config.sentence("listener_lately", happening=plain(text)) for text in interactions]
    remembered = [DETAIL + config.sentence("listener_memory", memory=plain(text)) for text in memories]
    details = []
    for number in range(max(len(lately), len(remembered))):
        details += remembered[number : number + 1] + lately[number : number + 1]
    return Listener(line, short, details)


def text_of(
    config: Wording, mood: str, listeners: Sequence[Listener], nearby: Sequence[str], scene: str, budget: int
) -> str:
    """Compose the text within `budget` tokens: first the listeners and the mood, then details. Every listener
    gets an equal share; what one does not need goes to the others.
    """
    before, after = [mood], [config.sentence("tone")]
    if nearby:
        after.insert(0, config.sentence("nearby", names=", ".join(map(plain, nearby))))
    if scene:
        after.insert(len(after) - 1, config.sentence("scene", scene=" ".join(scene.split())))
    shown = list(listeners)

    def whole() -> str:
        lines = [line for listener in shown for line in listener.lines()]
        if shown:
            lines.insert(0, config.sentence("speaking_to"))
        return "\n".join([*before, *lines, *after])

    def fits() -> bool:
        return estimate_tokens(whole()) <= budget

    if not fits():
        for listener in shown:
            listener.line = listener.short_line
    while not fits() and len(after) > 1:
        del after[-2]
    while not fits() and (before or after):
        (before if before else after).pop()
    while not fits() and shown:
        shown.pop()
    if not fits():
        return ""
    waiting = list(shown)
    while waiting:
        waiting = [listener for listener in waiting if listener.details]
        least = min(waiting, key=Listener.tokens_with_next, default=None)
        if least is None:
            break
        least.taken.append(least.details.pop(0))
        if not fits():
            least.taken.pop()
    return whole()
