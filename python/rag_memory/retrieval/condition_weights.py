"""How much each number of a clause counts for `knows()`. Written by bench/fit_knows.py."""

WEIGHTS: dict[str, float] = {
    "similarity": 1.821,
    "same_verb": 0.559,
    "other_deed": -0.472,
    "same_subject": 0.554,
    "words_missing": -1.029,
    "is_topic": 0.550,
    "is_complete": 4.640,
    "verb_elsewhere": -1.549,
    "no_words": -0.876,
}
BIAS = -1.278
