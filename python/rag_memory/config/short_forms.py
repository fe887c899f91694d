"""Short forms of memories."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class DualRepresentation:
    """The use of short forms, and their length."""

    use_dual_representation: bool = config_field(
        True,
        group="Dual Representation",
        doc="Use the short form of a memory when its full text does not fit into the budget. When off, only "
        "the full text is used.",
    )
    high_relevance_threshold: float = config_field(
        0.85,
        group="Dual Representation",
        range=(0.0, 1.0, 0.01),
        doc="Only with the score mode PRODUCT: similarity from which a memory is returned in full, if the "
        "budget has room. Less similar ones are returned in their short form.",
    )
    short_summary_target_length: int = config_field(
        80,
        group="Dual Representation",
        range=(1, 100000, 1),
        hint="suffix:characters",
        doc="Length to aim at when a short form is made. A text up to this length is its own short form.",
    )
    short_summary_max_length: int = config_field(
        100,
        group="Dual Representation",
        range=(1, 100000, 1),
        hint="suffix:characters",
        doc="Greatest length of a generated short form. A text that cannot be shortened truthfully, such as "
        "a dialogue whose speakers would be lost, is its own short form, whatever its length.",
    )
