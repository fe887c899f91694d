"""The weights of a clause's numbers for `knows()`. Written by bench/fit_knows.py."""

WEIGHTS: dict[str, float] = {
    "lead": 0.862,
    "is_nearest": 0.287,
    "same_verb": 0.088,
    "other_deed": -0.340,
    "same_subject": 0.036,
    "words_missing": -0.040,
    "is_topic": -0.549,
    "is_complete": 3.596,
    "verb_elsewhere": -0.876,
    "no_words": -0.465,
}
BIAS = -0.067
