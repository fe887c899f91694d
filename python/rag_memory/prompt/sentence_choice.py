"""Which of the sentences with the same meaning an NPC says."""

from __future__ import annotations

import zlib

from rag_memory.config.sentences import ENGLISH, VARIANTS
from rag_memory.config.wording import Wording
from rag_memory.prompt.speaker import Speaker


def keys_of(beginning: str) -> tuple[str, ...]:
    """Return the keys of all sentences whose names begin so."""
    return tuple(key for name in VARIANTS if name.startswith(beginning) for key in VARIANTS[name])


class SentenceChoice:
    """The sentences of a game, as an NPC says them to somebody who has said a line."""

    def __init__(self, config: Wording, speaker: Speaker, line: str) -> None:
        self._config = config
        self._speaker = speaker
        self._line = line

    def say(self, key: str, **values: str) -> str:
        """The sentence of a key: that for a friend or a foe, if there is one, in one of its variants, which
        the line chooses. It is not the sentence that was said last.
        """
        for name in (key + self._speaker.feeling, key):
            texts = [
                self._config.sentence(variant, **values)
                for variant in VARIANTS.get(name, (name,) if name in ENGLISH else ())
            ]
            if texts:
                first = zlib.crc32((self._line + self._speaker.last_answer).encode()) % len(texts)
                ordered = texts[first:] + texts[:first]
                return next((text for text in ordered if text not in self._speaker.last_answer), ordered[0])
        raise KeyError(key)
