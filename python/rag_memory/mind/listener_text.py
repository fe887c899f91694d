"""The text about listeners for a prompt, which never exceeds its budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.event_templates import PLAYER
from rag_memory.mind.disposition import NEUTRAL
from rag_memory.mind.encoding import ended
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.harmless import harmless
from rag_memory.text.spoken_ids import spoken_id

_MIDDLE = 50.0
_STRONG_FEELING = 35.0
"""From this distance to the middle on a feeling is strong."""
_SLIGHT_MOOD, _STRONG_MOOD = 30.0, 80.0
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
        mood=_mood(config, plain(config.word("mood", emotion["mood"])), emotion["intensity"]),
        reason=_sentence(emotion["reason"]),
    )


def listener_name(config: Wording, id_or_name: str) -> str:
    """Return the name by which a prompt calls somebody of whom only an id may be known."""
    return config.sentence("the_player") if id_or_name == PLAYER else plain(spoken_id(id_or_name))


def listener_of(
    config: Wording, disposition: dict[str, Any], interactions: Sequence[str], memories: Sequence[str]
) -> Listener:
    """Make a listener with the details about him: interactions and memories in turns."""
    feeling = config.word("feeling", disposition["feeling"])
    if disposition["feeling"] != NEUTRAL and abs(disposition["strength"] - _MIDDLE) >= _STRONG_FEELING:
        feeling = config.sentence("strongly", feeling=feeling)
    reason = _sentence(disposition["reason"])
    happenings = Counter(map(plain, interactions))
    for happening in [text for text in happenings if _sentence(text) == reason]:
        reason = ended(_with_count(config, reason.removesuffix("."), happenings.pop(happening)))
    values = {"name": listener_name(config, disposition["name"]), "feeling": feeling, "reason": reason}
    short = LISTENER + config.sentence("listener", **values)
    line = LISTENER + config.sentence("listener_because", **values) if disposition["reason"] else short
    lately = [
        DETAIL + config.sentence("listener_lately", happening=text)
        for text in (_with_count(config, *counted) for counted in happenings.items())
    ]
    remembered = [DETAIL + config.sentence("listener_memory", memory=plain(text)) for text in memories]
    details = []
    for number in range(max(len(lately), len(remembered))):
        details += remembered[number : number + 1] + lately[number : number + 1]
    return Listener(line, short, details)


def _mood(config: Wording, mood: str, intensity: float) -> str:
    if _SLIGHT_MOOD < intensity < _STRONG_MOOD:
        return mood
    return config.sentence("strongly" if intensity >= _STRONG_MOOD else "slightly", feeling=mood)


def _sentence(text: str) -> str:
    line = ended(plain(text))
    return f"{line[:1].upper()}{line[1:]}"


def _with_count(config: Wording, happening: str, count: int) -> str:
    return happening if count == 1 else f"{happening} ({config.often(count)})"


def text_of(
    config: Wording, mood: str, listeners: Sequence[Listener], nearby: Sequence[str], scene: str, budget: int
) -> str:
    """Compose the text within `budget` tokens: first the listeners and the mood, then details. Every listener
    gets an equal share; what one does not need goes to the others.
    """
    before, after = [mood], [config.sentence("tone")]
    if nearby:
        after.insert(0, config.sentence("nearby", names=", ".join(nearby)))
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
