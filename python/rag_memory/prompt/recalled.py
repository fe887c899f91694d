"""What is asked of the parts of an NPC for one prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_memory.memory.secrecy import PLAYER_ALONE
from rag_memory.prompt.recent_turns import Turn


@dataclass
class Recalled:
    """What the parts of an NPC say for one prompt."""

    header: Mapping[str, Any] = field(default_factory=dict)
    """The relationship header, as a memory."""
    hearing: Sequence[str] = PLAYER_ALONE
    """The ids of everybody who hears the answer."""
    memories: Sequence[Mapping[str, Any]] = ()
    turns: Sequence[Turn] = ()
    """The last turns, for a game that passes none."""
    listeners: Mapping[str, Any] = field(default_factory=dict)
    """The result of NPCMind.build_listener_context()."""
    dossier: Mapping[str, Any] = field(default_factory=dict)
    """The result of RAGMemory.build_dossier(); empty when the prompt is not made of one."""
    open_matters: Sequence[str] = ()
    """What is open between the NPC and the speaker, the most urgent first."""
    already_told: Sequence[str] = ()
    """What the NPC has told to those it speaks to in this talk, the last first."""
    player_name: str = ""
    """The name by which the NPC knows the player."""
