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
            "similarity": 5.172,
            "coverage": 3.502,
            "lead": -1.398,
            "event": 2.248,
            "time": 4.764,
            "first": 0.086,
            "margin": 0.501,
            "player": 0.116,
        },
        bias=-4.486,
        bound=0.286,
    ),
}
"""By the name of the embedding model. Other models have those for English, from which doubt is taken."""
