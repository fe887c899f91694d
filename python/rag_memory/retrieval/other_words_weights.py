"""The weights of the numbers of `other_words.py`, by model. Written by bench/fit_knows_languages.py."""

from collections.abc import Mapping

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "universal-sentence-encoder-multilingual-3": {
        "similarity": 0.821,
        "lift": 1.629,
        "words_found": 1.358,
        "memory_words_found": -1.869,
        "one_word_differs": -3.055,
        "words_elsewhere": -0.542,
        "roles_reversed": -1.377,
        "order_reversed": -0.735,
        "denied": -0.619,
    },
}
BIAS: Mapping[str, float] = {
    "universal-sentence-encoder-multilingual-3": -0.821,
}
