"""Which texts share a run: all of them once, equally long, not too many, and the first ones first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag_memory.embedding import token_runs
from rag_memory.embedding.token_runs import TokenRun, TokenRuns


def runs_of(lengths: list[int], *, together: bool = True) -> list[TokenRun]:
    """The runs of texts with that many tokens."""
    runs = TokenRuns(lambda text: [7] * int(text), [str(length) for length in lengths], together=together)
    found: list[TokenRun] = []
    while runs.unread:
        found += runs.read_one()
    return found


@given(st.lists(st.one_of(st.integers(1, 40), st.integers(1, 300)), max_size=700))
def test_every_text_is_in_one_run_with_texts_of_its_length(lengths: list[int]) -> None:
    found = runs_of(lengths)
    assert sorted(number for run in found for number in run.numbers) == list(range(len(lengths)))
    for run in found:
        assert [len(tokens) for tokens in run.tokens] == [lengths[number] for number in run.numbers]
        assert len({lengths[number] for number in run.numbers}) == 1
        assert len(run.numbers) == 1 or sum(map(len, run.tokens)) <= token_runs.TOKENS_TOGETHER


def test_short_texts_are_put_together() -> None:
    assert [len(run.numbers) for run in runs_of([16] * 9)] == [8, 1]
    assert [run.numbers for run in runs_of([5, 6, 5, 6])] == [[0, 2], [1, 3]]
    assert [len(run.numbers) for run in runs_of([200, 200])] == [1, 1]


def test_apart_every_text_is_a_run() -> None:
    assert [run.numbers for run in runs_of([5, 4, 5], together=False)] == [[1], [0], [2]]


def test_the_first_texts_are_in_the_first_runs() -> None:
    # What is embedded is written in order: the first memories must not wait for the last ones.
    lengths = [3 + number % 50 for number in range(3 * token_runs.WINDOW)]
    order = [number for run in runs_of(lengths) for number in run.numbers]
    assert [number // token_runs.WINDOW for number in order] == sorted(n // token_runs.WINDOW for n in order)
