"""Measures of the benchmarks, compared with numbers worked out by hand."""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement import empty_loop
from measurement.baselines import Bm25, fused
from measurement.bootstrap import percentile_difference
from measurement.ranking import ndcg, recall
from measurement.result import percentile


def test_recall_is_the_share_of_what_is_wanted_among_the_first() -> None:
    assert recall(["a", "x", "b"], ["a", "b"], 2) == 0.5
    assert recall(["a", "x", "b"], ["a", "b", "c", "d"], 3) == 0.5
    assert recall([], ["a"], 5) == 0.0
    assert recall(["a"], [], 5) == 1.0


def test_ndcg_discounts_by_place_and_is_1_when_all_come_first() -> None:
    assert ndcg(["a", "b", "x"], ["b", "a"], 10) == 1.0
    assert ndcg(["x", "a"], ["a"], 10) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x", "a", "b"], ["a", "b"], 10) == pytest.approx(
        (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    )
    assert ndcg(["x", "a"], ["a"], 1) == 0.0
    assert ndcg(["a"], ["a", "b"], 1) == 1.0, "more is wanted than has room"


def test_bm25_finds_rare_words_in_short_texts_first() -> None:
    index = Bm25(["the wolf by the mill", "the mill", "a wolf and a bear and a fox by the mill", "rain"])
    assert index.ranked("mill") == [1, 0, 2]
    assert index.ranked("a bear at the mill")[0] == 2
    assert index.ranked("dragons") == []


def test_rank_fusion_adds_reciprocal_ranks() -> None:
    assert fused([[1, 2, 3], [2, 1, 4]]) == [1, 2, 3, 4]
    assert fused([[1, 2], [3, 2]])[0] == 2


def test_a_percentile_is_one_of_the_samples() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile(list(range(1, 1001)), 0.999) == 999.0
    assert percentile([7.0], 0.999) == 7.0
    with pytest.raises(ValueError, match="no samples"):
        percentile([], 0.5)


def test_the_interval_of_a_difference_tells_a_shift_from_noise() -> None:
    random = np.random.default_rng(7)
    frames = [list(random.normal(16.7, 0.1, 900)) for _run in range(4)]
    others = [list(random.normal(16.7, 0.1, 900)) for _run in range(4)]
    same = percentile_difference(frames, others, 0.99, block=60, seed=1)
    assert same.low < 0.0 < same.high and same.low <= same.value <= same.high
    later = [[each + 2.0 for each in run] for run in frames]
    shifted = percentile_difference(later, others, 0.99, block=60, seed=1)
    assert shifted.value == pytest.approx(same.value + 2.0) and 1.5 < shifted.low < shifted.high < 2.5
    assert percentile_difference(frames, frames, 0.5, block=60, seed=1).value == 0.0
    with pytest.raises(ValueError, match="no samples"):
        percentile_difference([[]], others, 0.99, block=60, seed=1)


def test_neighbouring_late_frames_make_the_interval_wider() -> None:
    quiet = [[16.7] * 3600]
    hiccup = [[16.7] * 3540 + [40.0] * 60]
    at_once = percentile_difference(hiccup, quiet, 0.99, block=60, seed=1)
    assert at_once.value == pytest.approx(23.3)
    assert at_once.low == 0.0, "one block of all: a third of the draws do not hold it"


def test_the_empty_loop_computes_where_and_as_nice_as_our_threads_and_ends() -> None:
    with empty_loop.beside() as process:
        mine = os.sched_getaffinity(0)
        assert os.sched_getaffinity(process) == (mine - {min(mine)} or mine)
        assert os.getpriority(os.PRIO_PROCESS, process) >= min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
        folder = Path(f"/proc/{process}")
        before = _processor_ticks(folder)
        while _processor_ticks(folder) == before:
            time.sleep(0.01)
    assert not folder.exists()


def _processor_ticks(process: Path) -> int:
    return int((process / "stat").read_text().rpartition(")")[2].split()[11])
