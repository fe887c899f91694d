"""Constraints on the output of a language model."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from rag_memory.config.config_field import config_field
from rag_memory.config.interaction_type import DEFAULT as DEFAULT_INTERACTION_TYPE
from rag_memory.config.interaction_type import MEANINGS as INTERACTION_TYPE_MEANINGS
from rag_memory.config.interaction_type import resembling

_LONGEST_SHOWN = 100
_LOG = logging.getLogger("rag_memory")
_DEVELOPMENT_LOG = logging.getLogger("rag_memory.development")
"""For what helps a developer and would only be noise in a released game, where it is silent."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class SchemaConstraints:
    """The accepted names and interaction types."""

    check_names: bool = config_field(
        True,
        group="Schema Constraints",
        doc="Check names once MemoryServer.register_names() was called with check_people. A memory has "
        "the names of people who are not registered as name_suspects; what a language model wrote of them is "
        "left out. A memory stored with check_names = false is not checked.",
    )
    valid_interaction_types: list[str] = config_field(
        list(INTERACTION_TYPE_MEANINGS),
        group="Schema Constraints",
        doc="Interaction types that a language model may report. validate_interaction_type() turns any "
        "other into casual_conversation.",
    )
    interaction_type_similarity_threshold: float = config_field(
        0.8,
        group="Schema Constraints",
        range=(0.0, 1.0, 0.01),
        doc="A debug build names the valid interaction type that an invalid one resembles more than this. "
        "It only warns: the type is never replaced by it.",
    )

    def validate_interaction_type(self, type: str) -> str:
        """The type itself when it is valid, else "casual_conversation" with a logged warning."""
        if self.is_valid_interaction_type(type):
            return type
        type = type[:_LONGEST_SHOWN]
        alike = resembling(type, self.valid_interaction_types, self.interaction_type_similarity_threshold)
        _LOG.warning(
            "Invalid interaction_type %r: it is not in valid_interaction_types, so %s is used.",
            type,
            DEFAULT_INTERACTION_TYPE,
        )
        if alike:
            _DEVELOPMENT_LOG.warning("It resembles %s. Correct the prompt.", ", ".join(alike))
        return DEFAULT_INTERACTION_TYPE

    def is_valid_interaction_type(self, type: str) -> bool:
        """Return True if the type is one of valid_interaction_types."""
        return type in self.valid_interaction_types
