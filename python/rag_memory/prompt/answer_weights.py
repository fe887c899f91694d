"""By what a memory answers a question without a language model. Written by bench/fit_answers.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class AnswerWeights(NamedTuple):
    """The weights of what speaks for a memory."""

    by_number: Mapping[str, float]
    bias: float
    bound: float
    """The logarithm of the odds from which a memory answers."""


ENGLISH = AnswerWeights(
    {
        "similarity": 4.234,
        "coverage": 2.354,
        "lead": 2.801,
        "event": 1.816,
        "time": 6.663,
        "first": 1.054,
    },
    bias=-4.893,
    bound=-0.383,
)
IN_OTHER_LANGUAGES: Mapping[str, AnswerWeights] = {
    "universal-sentence-encoder-multilingual-3": AnswerWeights(
        {
            "similarity": 4.867,
            "coverage": 3.111,
            "lead": -0.643,
            "event": 1.010,
            "time": 4.328,
            "first": -0.133,
            "margin": 0.608,
            "player": 0.625,
        },
        bias=-4.421,
        bound=0.498,
    ),
}
"""By the name of the embedding model. Other models have those for English, from which doubt is taken."""
