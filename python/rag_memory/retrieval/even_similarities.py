"""How similar a memory has to be to a condition of `knows()` that can't be parsed, for each sentence model.

Models spread their cosines differently: that for English finds any two Korean sentences alike.
`python3 build.py bench knows_languages` fits the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

_BY_MODEL: Mapping[str, float] = {
    "all-MiniLM-L6-v2": 0.9,
    "universal-sentence-encoder-multilingual-3": 0.7,
}
_UNMEASURED = 0.9
"""For all other models: the highest that one of them needed."""


def even_similarity(model: str) -> float:
    """Return the similarity that means a sureness of 0.5, by the model's name."""
    return _BY_MODEL.get(model, _UNMEASURED)
