"""What an NPC without a language model hears, and what it may speak of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_memory.memory.event_templates import PLAYER
from rag_memory.prompt.follow_up import FollowUp


@dataclass(frozen=True, kw_only=True)
class PlayerLine:
    """What the player said, or what happened."""

    text: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    """What the line tells, as from findings_in()."""
    sentiment: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What the NPC may speak of. All memories are dictionaries as in retrieve_scored(); which of them may be
    spoken is decided here.
    """

    relevant: Sequence[Mapping[str, Any]] = ()
    """Those that fit the line, best first."""
    of_player: Sequence[Mapping[str, Any]] = ()
    """Those that come to mind when the player is asked about, most important first."""
    turns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The turns by their ids, of which rules have found memories."""
    open_matter: tuple[Mapping[str, Any], str] | None = None
    """What is most urgent between the two, as a memory, and a note on when it is due."""
    tellings: Sequence[tuple[Collection[str], str]] = ()
    """What the asker was told in this talk: the ids of the memories, and the words, of every turn."""
    answers: Sequence[tuple[Collection[str], str]] = ()
    """Those of them that answered the same line."""
    last_line: str = ""
    """What the asker said before this in the same talk."""
    follow_up: FollowUp | None = None
    """What the line asks of the memory that was told last, if it asks nothing else."""
    player_name: str = ""
    player_names: Collection[str] = ()
    others_call_player: str = ""
    asker: str = PLAYER
    """The id of who speaks to the NPC."""
    listening: Collection[str] = (PLAYER,)
    """The ids of all who hear the answer."""
    model: str = ""
    """The name of the embedding model."""
