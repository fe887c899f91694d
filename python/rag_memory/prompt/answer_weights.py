"""By what a memory answers a question without a language model. Written by bench/fit_answers.py."""

WEIGHTS: dict[str, float] = {
    "similarity": 4.300,
    "coverage": 2.501,
    "lead": 5.219,
    "event": 2.123,
    "time": 7.312,
}
BIAS = -4.496
BOUND = -0.512
"""The logarithm of the odds from which a memory answers."""
