"""An empty loop beside a game, which shows the cost of any computation for its frames."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

_NICENESS = 10
_LOOP = f"""
import os
if hasattr(os, "nice"):
    os.nice({_NICENESS})
if hasattr(os, "sched_setaffinity"):
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors - {{min(processors)}} or processors)
print("begun", flush=True)
while True:
    pass
"""


@contextlib.contextmanager
def beside() -> Iterator[int]:
    """A process with an empty loop, as nice as the addon's threads and on the processors they use; its id.

    It allocates nothing, locks nothing and reads nothing, so what a game beside it loses is lost to the
    operating system and the processor.
    """
    # In this session, as the engine is: Linux weighs sessions against each other, and niceness within one.
    with subprocess.Popen([sys.executable, "-I", "-c", _LOOP], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process.pid
        finally:
            process.kill()
