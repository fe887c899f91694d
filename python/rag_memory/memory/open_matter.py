"""Open matters: what one character has promised, owes, threatens, arranged or not answered to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.conflicts import is_ending, open_kind, outcome_word
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER
from rag_memory.memory.game_time import MOST_DAYS, number_in
from rag_memory.memory.memory_view import age, date_text
from rag_memory.memory.record import Record
from rag_memory.memory.subject import Subject
from rag_memory.text import participants as roles
from rag_memory.text.due_days import due_day, is_past
from rag_memory.text.gazetteer import name_words
from rag_memory.text.shortening import joined, shortened
from rag_memory.validation import list_in, mapping_in

PROMISE, DEBT, THREAT, APPOINTMENT, QUESTION, TASK = (
    *("promise", "debt", "threat", "appointment", "question", "task"),
)
OPEN, OVERDUE = "open", "overdue"
NO_DAY = -1.0
_LONGEST_TEXT = 240


class Matter(NamedTuple):
    """What is open between two characters, or was until something ended it."""

    id: str
    """That of the memory or of the task."""
    kind: str
    npc_id: str
    """Who remembers it."""
    by: str
    """Whose turn it is to act: who promised, owes, threatens or was asked."""
    to: str
    about: str
    """The words in which it was said, or the text of the memory."""
    is_quote: bool
    amount: float | None = None
    rest: float | None = None
    """What is left of the amount."""
    unit: str = ""
    since: float = 0.0
    """When it began, in seconds of the game's clock."""
    due: float = NO_DAY
    """The day of the game until which it is to be done, or NO_DAY."""
    outcome: str = ""
    """What became of it; "" while it is open."""
    record: Record | None = None
    """The memory; None for a task, and for a question in a talk."""
    secrecy: Mapping[str, Any] = {}
    """The metadata that say who may know it."""

    @property
    def identity(self) -> tuple[Any, ...]:
        """What is the same for both who remember it."""
        if self.kind == TASK:
            return (self.id,)
        return self.kind, self.by.casefold(), self.to.casefold(), self.about, self.since

    def state(self, day: float) -> str:
        """Return OPEN, OVERDUE or the outcome, on a day of the game."""
        return self.outcome or (OVERDUE if self.due >= 0 and is_past(self.due, day) else OPEN)

    def concerns(self, id: str) -> bool:
        """Return True if a character is one of the two."""
        return id.casefold() in (self.by.casefold(), self.to.casefold())


def matter_of(
    record: Record, npc_id: str, subject: Subject, left: float | None, later: Record | None
) -> Matter | None:
    """Return the matter that a memory leaves open; None for one that leaves none, is between others, or goes
    on in the memory that has superseded it.

    Args:
        left: what is left of a debt, see conflicts.left_of().
        later: the memory that has superseded it, if one has.
    """
    kind = open_kind(record.event_type)
    if not kind or (later is not None and not _ends(later)):
        return None
    extra = mapping_in(record.extra)
    fact = extra.get("fact")
    fields = {**extra, **fact} if isinstance(fact, Mapping) else extra
    by, to = _parties(record, npc_id, subject, fields)
    if npc_id not in (by, to) or by == to:
        return None
    amount = number_in(fields.get("amount"))
    amount = subject.amount if amount is None and kind == DEBT and not isinstance(fact, Mapping) else amount
    rest, total = amount, number_in(fields.get("total"))
    if left is not None and amount is not None:
        rest = float(min(left, amount))
    quote = fields.get("quote")
    return Matter(
        record.id,
        kind,
        npc_id,
        by,
        to,
        quote if isinstance(quote, str) and quote else record.document_full,
        isinstance(quote, str) and bool(quote),
        total or amount,
        rest,
        str(fields.get("unit") or ""),
        number_in(fields.get("since")) or record.first_timestamp or record.timestamp,
        _due(fields, record),
        "" if later is None else outcome_word(later.event_type),
        record,
        extra,
    )


def note_of(config: MemoryConfig, matter: Matter, day: float) -> str:
    """Return a sentence that says until when something is to be done, or that it was not; "" for neither."""
    if matter.due < 0 or matter.outcome not in ("", OVERDUE):
        return ""
    if matter.state(day) == OVERDUE:
        seconds = (int(day) - int(matter.due)) * CALENDAR.seconds_per_day
        return config.sentence(f"overdue_{matter.kind}", when=age(config, seconds))
    days = int(matter.due) - int(day)
    if days > 1:
        return config.sentence("due_on", date=date_text(config, matter.due * CALENDAR.seconds_per_day))
    return config.sentence("task_due_tomorrow" if days else "task_due_today")


def journal_text(config: MemoryConfig, matter: Matter, day: float, name_of: Callable[[str], str]) -> str:
    """Return a matter as somebody who is none of the two tells it, with what is left and until when."""
    names = {"by": name_of(matter.by), "to": name_of(matter.to), "npc": name_of(matter.npc_id)}
    about = shortened(" ".join(matter.about.split()), _LONGEST_TEXT)
    if matter.is_quote:
        amount = _amount_text(matter.amount, matter.unit)
        key = "debt_of" if matter.kind == DEBT and amount else matter.kind
        text = config.quoting(f"matter_{key}", about, **names, amount=amount)
    elif matter.record is None:
        key = "matter_task" if matter.to != matter.by else "matter_own_task"
        text = config.sentence(key, **names, message=about)
    else:
        text = config.quoting("matter_remembered", about, **names)
    return joined((_capital(text), rest_note(config, matter), note_of(config, matter, day)))


def rest_note(config: MemoryConfig, matter: Matter) -> str:
    """Return a sentence that says what is left of an amount; "" when that is all of it."""
    if matter.rest is None or matter.rest == matter.amount or matter.outcome:
        return ""
    return config.sentence("says_left", amount=_amount_text(matter.rest, matter.unit))


def urgency(matter: Matter, day: float) -> tuple[Any, ...]:
    """A sort key: overdue ones first, then those that are due, then the newest."""
    is_overdue = matter.state(day) == OVERDUE
    return (bool(matter.outcome), not is_overdue, matter.due < 0, matter.due, -matter.since, matter.id)


def _ends(later: Record) -> bool:
    kind = open_kind(later.event_type)
    return is_ending(later.event_type) or not kind


def _parties(record: Record, npc_id: str, subject: Subject, fields: Mapping[str, Any]) -> tuple[str, str]:
    """Who has to act, and towards whom."""
    by, to = (fields.get(key) for key in ("by", "to"))
    names = {npc_id.casefold(), *NPC_SPEAKERS}
    present = [id for id in map(str, list_in(record.participants)) if id.casefold() not in names]
    if not (isinstance(by, str) and by):
        by = _doer(subject, npc_id, present)
        if open_kind(record.event_type) == QUESTION:  # Who was asked has to answer.
            by = next((id for id in present if by == npc_id), PLAYER) if by == npc_id else npc_id
    by = npc_id if by.casefold() in names else by
    if not (isinstance(to, str) and to):
        others = [id for id in present if id.casefold() != by.casefold()]
        is_to_npc = by != npc_id and (not others or roles.NPC in subject.everybody)
        to = npc_id if is_to_npc else (others or [PLAYER])[0]
    return by, npc_id if to.casefold() in names else to


def _doer(subject: Subject, npc_id: str, present: list[str]) -> str:
    if subject.person.is_npc:
        return npc_id
    named = [id for id in present if subject.person.names and name_words([id]) & subject.person.names]
    if named:
        return named[0]
    if subject.person.names and not subject.person.is_player:
        return " ".join(sorted(subject.person.names))
    return PLAYER if PLAYER in present or not present else present[0]


def _due(fields: Mapping[str, Any], record: Record) -> float:
    due = number_in(fields.get("due_day"), MOST_DAYS)
    if due is None:
        due = due_day(str(fields.get("due") or fields.get("quote") or record.document_full), record.timestamp)
    return NO_DAY if due is None or due < 0 else due


def _amount_text(amount: float | None, unit: str) -> str:
    return "" if amount is None else f"{amount:g} {unit}".strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
