"""The weights of a pair's numbers for `Changes`. Written by bench/fit_changes.py."""

WEIGHTS: dict[str, float] = {
    "similarity": 2.122,
    "lead": 1.358,
    "lead_of_older": 5.438,
    "sum_difference": 0.027,
    "place": -1.682,
    "odds_below_best": -0.433,
    "is_present": 0.546,
    "is_next": 1.501,
    "is_neighbour": -0.909,
    "is_older_untyped": 0.253,
    "shared_keywords": 1.420,
    "is_newer_ahead": -0.414,
}
BIAS = -5.974
