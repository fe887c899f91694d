"""Questions of the player and the NPC that got no answer, read from their turns. English only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.conversation.extraction_rules import NPC
from rag_memory.conversation.extractor import secrecy_of
from rag_memory.conversation.languages.talk_tables import talk_tables
from rag_memory.conversation.open_talk import matter_terms, shares_matter
from rag_memory.conversation.spoken_clauses import plain_sentences
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.open_matter import NO_DAY, QUESTION, Matter
from rag_memory.text.due_days import due_day
from rag_memory.text.shortening import shortened
from rag_memory.text.terms import STOP_WORDS, words

_LONGEST_QUOTE = 240
_TALK_IS_OVER = 1 / 24
"""Days after which nobody waits for an answer to the last question."""
_NO_ANSWER = lazy_pattern(
    r"\b(?:(?:i|we) (?:really |still )?(?:don't|do not|didn't) (?:know|remember)|i know nothing (?:of|about)|that i do not know|(?:i have )?no (?:idea|clue)|"
    r"(?:i|we) (?:can't|cannot|couldn't|could not|won't|will not) (?:tell|say|answer|remember|talk about)|(?:i'm|i am) not (?:sure|certain|telling)|let me (?:think|ask)|"
    r"(?:i'll|i will|i must|i have to|i'd have to|i'll have to|i need to) (?:think (?:about|on|it)|ask (?:around|him|her|them|my|the)|find out|look into|tell you (?:later|tomorrow|another|some|when|next|tonight))|"
    r"ask me (?:again|later|tomorrow|another)|(?:not now|some other time|another time|we'll see|no comment|never mind that)\b|(?:it's |that's )?none of your (?:business|concern)|"
    r"(?:i'd|i would) rather not|why do you (?:ask|want to know)|who wants to know)",
    re.IGNORECASE,
)
_ANSWERS_ALL_THE_SAME = lazy_pattern(r"\b(?:but|though|except|only that|however)\b", re.IGNORECASE)
_NO_REPLY = lazy_pattern(
    r"(?:(?:hello|hi|hey|greetings|good (?:day|morning|evening|night)|(?:good)?bye|farewell|see you\b.*|i (?:have to|must|should) (?:go|leave)\b.*|thanks|thank you|ok(?:ay)?|hm+|well)[.!, ]*)+$",
    re.IGNORECASE,
)


class _Asked(NamedTuple):
    """A question that has no answer yet."""

    turn: Document
    by: str
    """PLAYER or NPC, who has to answer."""
    quote: str
    due: float


def open_questions(npc_id: str, turns: Iterable[Document], day: float) -> list[Matter]:
    """Return the questions in the turns of an NPC, oldest first, that got no answer until a day of the game."""
    unanswered: dict[str, list[_Asked]] = {}
    last: dict[str, Document] = {}
    for turn in turns:
        player = turn.content["player_id"]
        asked = unanswered.setdefault(player, [])
        asked[:] = [question for question in asked if not _answers(turn.content, question)]
        asked += _asked_in(turn, last[player].content["npc_message"] if player in last else "")
        last[player] = turn
    for player, turn in last.items():
        if day - turn.timestamp / CALENDAR.seconds_per_day > _TALK_IS_OVER:
            final = plain_sentences(turn.content["npc_message"])[-1:]
            unanswered[player] += [
                _Asked(turn, PLAYER, final[0], NO_DAY) for _ in final if _is_worth_an_answer(final[0])
            ]
    return [
        _matter(npc_id, question)
        for asked in unanswered.values()
        for question in {(one.by, one.quote.casefold()): one for one in asked}.values()
    ]


def _asked_in(turn: Document, previous_answer: str) -> Iterator[_Asked]:
    """The questions that a turn leaves without an answer: of the player, and what the NPC asked before."""
    said, answer = turn.content["player_message"], turn.content["npc_message"]
    questions = [sentence for sentence in plain_sentences(said) if _is_worth_an_answer(sentence)]
    if questions and _has_no_answer(answer):
        yield _Asked(turn, NPC, questions[-1], _due(answer, turn))
    for question in filter(_is_worth_an_answer, plain_sentences(previous_answer)[-1:]):
        if _evades(said, question):
            yield _Asked(turn, PLAYER, question, _due(said, turn))


def _evades(said: str, question: str) -> bool:
    sentences = plain_sentences(said)
    if not sentences or _NO_REPLY.match(said.strip()):
        return bool(sentences)
    asks_back = all(sentence.endswith("?") for sentence in sentences)
    return _has_no_answer(said) or (asks_back and not shares_matter(matter_terms(said), question))


def _answers(turn: Mapping[str, Any], question: _Asked) -> bool:
    """Return True if a turn answers a question: who was asked speaks of it, or is asked once more and knows."""
    message = turn["player_message"] if question.by == PLAYER else turn["npc_message"]
    if not message.strip() or _has_no_answer(message):
        return False
    sentences = [sentence for sentence in plain_sentences(message) if not sentence.endswith("?")]
    if any(shares_matter(matter_terms(sentence), question.quote) for sentence in sentences):
        return True
    is_asked_again = question.by == NPC and shares_matter(
        matter_terms(turn["player_message"]), question.quote
    )
    return is_asked_again and bool(sentences)


def _matter(npc_id: str, question: _Asked) -> Matter:
    player = question.turn.content["player_id"]
    by, to = (npc_id, player) if question.by == NPC else (player, npc_id)
    return Matter(
        id=question.turn.id,
        kind=QUESTION,
        npc_id=npc_id,
        by=by,
        to=to,
        about=shortened(question.quote, _LONGEST_QUOTE),
        is_quote=True,
        since=question.turn.timestamp,
        due=question.due,
        secrecy=secrecy_of(question.turn.content),
    )


def _due(answer: str, turn: Document) -> float:
    due = due_day(answer, turn.timestamp)
    return NO_DAY if due is None else due


def _is_worth_an_answer(sentence: str) -> bool:
    is_english = not (STOP_WORDS.isdisjoint(words(sentence)) or talk_tables(sentence))
    return sentence.endswith("?") and is_english and bool(matter_terms(sentence))


def _has_no_answer(message: str) -> bool:
    match = _NO_ANSWER.search(message.replace("’", "'"))
    return match is not None and not _ANSWERS_ALL_THE_SAME.search(message, match.end())
