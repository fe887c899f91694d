"""A process of its own that works until it is killed, at any moment."""

from __future__ import annotations

import functools
import os
import random
import signal
import time
from collections.abc import Callable

_LONGEST_MORE_SECONDS = 0.004


class Working:
    """A process that works until it is killed. `work` goes on until then, and calls what it is given after
    each piece of work.
    """

    def __init__(self, work: Callable[[Callable[[], object]], object]) -> None:
        self._told = 0
        self._reading, writing = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            try:
                os.close(self._reading)
                work(functools.partial(os.write, writing, b"."))
            finally:
                os._exit(1)
        os.close(writing)

    def wait_for(self, wanted: int) -> None:
        """Wait for some work, not for a time: a busy machine only makes it slow."""
        while self._told < wanted:
            told = os.read(self._reading, wanted - self._told)
            assert told, "the child ended by itself"
            self._told += len(told)

    def killed(self, wanted: int, dice: random.Random) -> int:
        """How many pieces of work it told of, at least `wanted`, before it was killed."""
        self.wait_for(wanted)
        time.sleep(dice.random() * _LONGEST_MORE_SECONDS)
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        while told := os.read(self._reading, 4096):
            self._told += len(told)
        os.close(self._reading)
        return self._told


def told_before_killed(
    work: Callable[[Callable[[], object]], object], wanted: int, dice: random.Random
) -> int:
    """How many pieces of work a process told of, at least `wanted`, before it was killed; see Working."""
    return Working(work).killed(wanted, dice)
