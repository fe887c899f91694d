"""How much each number of a clause counts for `knows()`. Written by bench/fit_knows.py."""

WEIGHTS: dict[str, float] = {
    "lead": 0.288,
    "is_nearest": 0.436,
    "same_verb": 0.080,
    "other_deed": -0.297,
    "same_subject": 0.056,
    "words_missing": -0.069,
    "is_topic": -0.497,
    "is_complete": 3.590,
    "verb_elsewhere": -0.785,
    "no_words": -0.490,
}
BIAS = -0.205
