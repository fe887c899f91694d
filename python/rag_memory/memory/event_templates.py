"""Drafts of memories for the calls of Memories that describe an event, such as store_milestone()."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.sentences import ENGLISH
from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.importance import base_importance
from rag_memory.memory.player_deeds import deed_of, is_of_a_thing
from rag_memory.text.whole_words import whole_words
from rag_memory.validation import validate_text, wrong_type

PLAYER = "player"
PLAYER_SPEAKERS = (PLAYER, "user", "you")
"""Names of the player as a speaker, in lower case; conversation_turn.gd has the same words."""
NPC_SPEAKERS = ("npc", "assistant")
"""Names of the NPC as a speaker, besides its own id."""
_NO_SPEAKERS = ("system", "developer", "tool", "function")

CONVERSATION = "conversation"
WITNESSED_EVENT = "witnessed_event"
NPC_AWARENESS = "npc_awareness"
QUEST = "quest"
MILESTONE = "milestone"
CLAIM = "claim"
"""What the player says and the NPC doesn't confirm: nobody knows it."""

_THE_PLAYER = lazy_pattern(r"\b(?:the )?player\b", re.IGNORECASE)
_QUEST_OUTCOMES = {
    "started": ("quest_started", "quest_started"),
    "accepted": ("quest_started", "quest_started"),
    "completed": ("quest_completed", "quest_completed"),
    "succeeded": ("quest_completed", "quest_completed"),
    "failed": ("quest_failed", "quest_failed"),
    "abandoned": ("quest_failed", "quest_given_up"),
}
"""For an outcome its event type, and the key of the sentence that tells it."""

_BETWEEN_WORDS = lazy_pattern(r"(?<=[^\W_])_+(?=[^\W_])")
"""Characters between the words of an id that become spaces: "lost_ring", but not "_emphasis_"."""
_OUTCOME_WORDS = {
    "quest_started": "started starts begun began accepted accepts",
    "quest_completed": "completed completes complete completion succeeded succeeds success successful "
    "successfully finished fulfilled solved won",
    "quest_failed": "failed fails failure abandoned unsuccessful unsuccessfully lost",
}
_OUTCOME_OF_WORD = {word: event for event, words in _OUTCOME_WORDS.items() for word in words.split()}
_UNDECIDED = (
    *("not", "never", "almost", "nearly", "partly", "partially", "half", "if", "unless", "until", "cannot"),
)


class MemoryDraft(NamedTuple):
    """The arguments of store() for a memory."""

    text: str
    importance: Any
    data: Any


def conversation(config: MemoryConfig, npc_id: str, speaker: Any, message: Any, context: Any) -> MemoryDraft:
    """Somebody's words. `context` holds keys of the data of store(), and optionally the importance.

    Raises:
        InvalidArgumentError: nobody speaks, nothing is said, or the speaker is a role of a language model's
            chat that nobody in the game hears.
    """
    call = "store_conversation()"
    speaker, message = _said(call, "speaker", speaker), _said(call, "message", message)
    context = {} if context is None else context
    if not isinstance(context, Mapping):
        raise wrong_type(call, "context", context, "a Dictionary")
    called = speaker.casefold()
    is_npc = called == npc_id.casefold() or called in NPC_SPEAKERS
    is_player = called in PLAYER_SPEAKERS and not is_npc
    if called in _NO_SPEAKERS and not is_npc:
        raise InvalidArgumentError(
            f"{call}: speaker is {speaker!r}",
            "that is no one whom the NPC hears",
            'Pass "player", "npc", or the name of whoever spoke',
        )
    speaker = PLAYER if is_player else npc_id if is_npc else speaker
    data = {"event_type": CONVERSATION, "participants": [speaker], **context, "speaker": speaker}
    importance = data.pop("importance", base_importance(config, CONVERSATION))
    if is_npc:
        text = config.sentence("i_told_player", message=message)
        return MemoryDraft(text, importance, {**data, "participants": [PLAYER]})
    if is_player:
        text = config.sentence("player_told_me", message=message)
    else:
        text = config.sentence("somebody_told_me", speaker=speaker, message=message)
    return MemoryDraft(text, importance, {"check_names": False, **data})


def witnessed_event(config: MemoryConfig, description: Any, importance: Any, emotion: Any) -> MemoryDraft:
    """Something seen; a description in the NPC's own words stays as it is."""
    text = _said("store_witnessed_event()", "description", description)
    if not re.match(whole_words(config.sentence("first_person").split()), text):
        text = config.sentence("i_saw", event=text)
    return MemoryDraft(text, importance, {"event_type": WITNESSED_EVENT, "emotion": emotion})


def player_action(
    config: MemoryConfig, action_type: Any, description: Any, importance: Any, emotion: Any
) -> MemoryDraft:
    """Something the player did; the action is the event type. "gave me a rose" becomes "The player gave me a
    rose", and so does "a rose" with the action "gift_given". An empty emotion becomes that of the action.
    """
    call = "store_player_action()"
    action_type, text = _said(call, "action_type", action_type), _said(call, "description", description)
    at_start = _THE_PLAYER.match(text)
    subject = config.before("player_did", "action").strip()
    is_english = config.sentence("player_did") == ENGLISH["player_did"]
    deed = deed_of(action_type, text) if is_english and not _THE_PLAYER.search(text) else ""
    if deed:
        text = config.sentence("player_did", action=deed)
    elif at_start:
        action = text[at_start.end() :]
        is_whole = action.startswith(" ")
        text = config.sentence("player_did", action=action.strip()) if is_whole else f"{subject}{action}"
    elif text[:1].islower() and not _THE_PLAYER.search(text) and subject.casefold() not in text.casefold():
        text = text if is_english and is_of_a_thing(text) else config.sentence("player_did", action=text)
    if emotion == "":
        emotion = config.get_action_emotion(action_type)
    return MemoryDraft(
        text, importance, {"event_type": action_type, "emotion": emotion, "participants": [PLAYER]}
    )


def quest(config: MemoryConfig, quest_id: Any, outcome: Any, importance: Any) -> MemoryDraft:
    """Make the memory of a quest's outcome. Started, completed, failed and similar outcomes have event types
    of their own, also among other words ("completed successfully") unless these leave it open ("not
    completed").
    """
    call = "store_quest_memory()"
    quest_id, outcome = _said(call, "quest_id", quest_id), _said(call, "outcome", outcome)
    event_type, sentence = _QUEST_OUTCOMES.get(outcome.casefold(), (_outcome_type(outcome), "quest_went"))
    text = config.sentence(sentence, quest=_BETWEEN_WORDS.sub(" ", quest_id), outcome=outcome)
    data = {"event_type": event_type, "participants": [PLAYER], "quest_id": quest_id, "outcome": outcome}
    return MemoryDraft(text, importance, data)


def _outcome_type(outcome: str) -> str:
    words = re.findall(r"[^\W_]+(?:['’]t)?", outcome.casefold())
    if any(word in _UNDECIDED or word.endswith(("'t", "’t")) for word in words):
        return QUEST
    outcomes = {_OUTCOME_OF_WORD[word] for word in words if word in _OUTCOME_OF_WORD}
    return outcomes.pop() if len(outcomes) == 1 else QUEST


def milestone(config: MemoryConfig, milestone_type: Any, description: Any, emotion: Any) -> MemoryDraft:
    """A turning point; it is its own event type."""
    call = "store_milestone()"
    milestone_type = _said(call, "milestone_type", milestone_type)
    data = {
        "event_type": milestone_type,
        "is_milestone": True,
        "milestone_type": milestone_type,
        "emotion": emotion,
    }
    return MemoryDraft(_said(call, "description", description), base_importance(config, MILESTONE), data)


def npc_awareness(config: MemoryConfig, other_npc_id: Any, description: Any, importance: Any) -> MemoryDraft:
    """News of another NPC, with the name when the description does not say it."""
    call = "store_npc_awareness()"
    other, text = _said(call, "other_npc_id", other_npc_id), _said(call, "description", description)
    if other.casefold() not in text.casefold():
        text = config.sentence("about_npc", npc=other, news=text)
    return MemoryDraft(
        text, importance, {"event_type": NPC_AWARENESS, "entities": [other], "other_npc_id": other}
    )


def _said(call: str, name: str, value: Any) -> str:
    text = validate_text(call, name, value).strip()
    if not text:
        raise InvalidArgumentError(f"{call}: {name} is empty", "there is nothing to remember", f"Pass {name}")
    return text
