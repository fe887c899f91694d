"""What an NPC makes of what happens: `python3 build.py bench mind [PART ...]`.

`sentiment`: how often she understands what was meant, with labelled lines of game characters.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from measurement import command
from measurement.confusion import Confusion
from measurement.sentiment_lines import FRESH, HELD_OUT, TUNING, label_of, read_lines

from rag_memory.config.mind_config import MindConfig, SentimentMode
from rag_memory.mind.sentiment import sentiment_of

_MODES = (SentimentMode.RULES, SentimentMode.LEXICON)
_MICROSECONDS = 1e6


def sentiment() -> str:
    """The confusion tables of each mode with each part of the lines."""
    return "\n\n".join(_confused(part, mode) for part in (TUNING, HELD_OUT, FRESH) for mode in _MODES)


def _confused(part: str, mode: SentimentMode) -> str:
    config, lines = MindConfig(sentiment_mode=mode), read_lines(part)
    sentiment_of(config, "Hello.", "")  # reads the lexicon
    started = time.perf_counter()
    confusion = Confusion(lines, lambda text: label_of(round(sentiment_of(config, text, ""))))
    each = (time.perf_counter() - started) / len(lines) * _MICROSECONDS
    return (
        f"{mode.name}, {len(lines)} lines ({part}): {confusion.right:.1%} right, "
        f"{confusion.opposite:.1%} taken for the opposite, {each:.0f} us each\n\n{confusion.table()}"
    )


_PARTS: dict[str, Callable[[], str]] = {"sentiment": sentiment}


def main() -> int:
    """Measure and print the parts that were asked for."""
    parser = command.parser("mind", __doc__)
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"of {', '.join(_PARTS)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(_PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}")
    return command.end(lambda: "\n\n".join(_PARTS[part]() for part in options.parts or _PARTS))


if __name__ == "__main__":
    sys.exit(main())
