"""The weights of the numbers that relevance is summed from.

`python3 build.py python bench/fit_ranking.py` fits them on the games and talks in bench/games/ and prints
this table. Two kinds of question have weights of their own: those that speak of the player and the NPC ("Did
I bring you flowers?"), whose few words are in many memories, and all others.
"""

from __future__ import annotations

from typing import NamedTuple


class RankingWeights(NamedTuple):
    """The weight of each number of a memory in the sum. The sum is a log-odds: a memory with 1 more is e
    times as likely to be the right one.
    """

    dense: float
    """Of the cosine with the question, 0 to 1, its neighbours included."""
    keyword: float
    """Of the question's words that the memory has, 1 for each word that only one memory has."""
    event: float
    """Of the share of the question's words for kinds of events that fit the memory's, 0 to 1."""
    names: float
    """Of whether those whom the question names speak or are present, 0 to 1."""
    episode: float
    """Of the share of the question's words that the memory's conversation has, 0 to 1."""
    time: float
    """Of whether the memory is of the time that the question names, 0 to 1."""
    time_order: float
    """Of how well the memory fits "first" or "last", -1 to 1."""


PERSONAL = RankingWeights(14.4, 1.6, 4.3, 0.0, 0.0, 5.6, 4.2)
GENERAL = RankingWeights(11.4, 1.75, 2.9, 1.1, 1.1, 7.9, 2.3)
