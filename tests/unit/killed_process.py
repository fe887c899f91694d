"""A process of its own that works until it is killed, at any moment."""

from __future__ import annotations

import functools
import os
import random
import signal
import time
from collections.abc import Callable

_LONGEST_MORE_SECONDS = 0.004


def told_before_killed(
    work: Callable[[Callable[[], object]], object], wanted: int, dice: random.Random
) -> int:
    """How many pieces of work it told of, at least `wanted`, before it was killed. `work` goes on until then,
    and calls what it is given after each piece.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            work(functools.partial(os.write, writing, b"."))
        finally:
            os._exit(1)
    os.close(writing)
    # Wait for some work, not for a time: a busy machine only makes it slow.
    count = 0
    while count < wanted:
        told = os.read(reading, wanted - count)
        assert told, "the child ended by itself"
        count += len(told)
    time.sleep(dice.random() * _LONGEST_MORE_SECONDS)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while told := os.read(reading, 4096):
        count += len(told)
    os.close(reading)
    return count
