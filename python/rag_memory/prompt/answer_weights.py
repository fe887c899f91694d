"""By what a memory answers a question without a language model. Written by bench/fit_answers.py."""

WEIGHTS: dict[str, float] = {
    "similarity": 4.234,
    "coverage": 2.354,
    "lead": 2.801,
    "event": 1.816,
    "time": 6.663,
    "first": 1.054,
}
BIAS = -4.893
BOUND = -0.383
"""The logarithm of the odds from which a memory answers."""
