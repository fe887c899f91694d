"""The sentences of memories and prompts as a game replaces or translates them. The English ones are in
sentences.py.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from rag_memory.config.config_field import config_field
from rag_memory.config.sentences import ENGLISH
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.validation import shown

_LOG = logging.getLogger("rag_memory")
_FIRST_WITHOUT_SPACES = "\u0e00"
_PLACEHOLDER = lazy_pattern(r"\{([a-z_]+)\}")
_LIKENESS = 0.6

TRANSLATION_PREFIX = "rag_memory/"
"""The prefix of sentence keys in the translations of a game."""

_OPENING_QUOTES = '"“„«‘‚「『 \u00a0\u202f'
_MANNERS = ("", "_whisper", "_shout", "_letter")
_OF_MANNER = ("player_told_me", "player_said", "i_told_player")
_OWN_SAYINGS = (*map("i_told_player{}".format, _MANNERS), "i_answered", "fact_own_promise", "fact_own_gift")
_PLAYER_SAYINGS = (
    *map("player_told_me{}".format, _MANNERS),
    *map("player_said{}".format, _MANNERS),
    "fact_promise",
    "fact_gift",
)
_SAYINGS = (*_PLAYER_SAYINGS, "somebody_told_me", *_OWN_SAYINGS)


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The sentences that memories and prompts put around the game's own words."""

    wording: dict[str, str] = config_field(
        {},
        group="Wording",
        doc="Sentences of memories and prompts in other words, by their keys, for example "
        '{"player_told_me": "The stranger told me: {message}"}. They come before the translations of '
        "the game. Keys and sentences are in addons/rag_memory/wording.pot.",
    )

    def sentence(self, key: str, **values: object) -> str:
        """The sentence of a key, with values for its placeholders."""
        return _PLACEHOLDER.sub(
            lambda match: str(values.get(match[1], match[0])), self.wording.get(key, ENGLISH[key])
        )

    def towards(self, name: str, manner: str = "") -> Self:
        """Return the same sentences with somebody's name, if there is one, in the place of the player, and
        with the verb of a manner, such as a whisper.
        """
        named = _towards(name, manner, tuple(sorted(self.wording.items())))
        return dataclasses.replace(self, wording={**self.wording, **named}) if named else self

    def quoting(self, key: str, words: str, **values: object) -> str:
        """The sentence of a key with somebody's words between its quotation marks."""
        return self.sentence(key, message=words.replace('"', "'"), **values)

    def often(self, count: int) -> str:
        """How often something happened, in words."""
        key = f"often_{count}"
        return self.sentence(key if key in ENGLISH else "often_many")

    def word(self, kind: str, word: str) -> str:
        """A word of a kind, such as "mood", as the table has it; one of the game's own as it is."""
        key = f"{kind}_{word}"
        return self.sentence(key) if key in ENGLISH else word

    def speaker_words(self) -> tuple[str, str, str]:
        """The words by which prompts call the NPC, the player and anybody else."""
        return (
            self.sentence("turn_of_npc"),
            self.sentence("turn_of_player"),
            self.sentence("turn_of_somebody"),
        )

    def section_titles(self) -> tuple[str, ...]:
        """The titles of a prompt's sections, which stand in tags."""
        return tuple(self.sentence(key) for key in ENGLISH if key.startswith("title_"))

    def own_roles(self) -> frozenset[str]:
        """The same words in lower case: no text of a player may begin with one as if it were a line's."""
        return frozenset(word.lower() for word in self.speaker_words())

    def before(self, key: str, placeholder: str) -> str:
        """Return the part of a sentence before a placeholder."""
        return self.wording.get(key, ENGLISH[key]).partition(f"{{{placeholder}}}")[0]

    def sayings(self) -> tuple[str, ...]:
        """Return the beginnings of sentences that quote a speaker, as regular expressions, unless they are
        the English ones.
        """
        return _sayings(tuple(self.wording.get(key, "") for key in _SAYINGS))

    def own_sayings(self) -> tuple[str, ...]:
        """Return the beginnings of sentences that quote the NPC, unless they are the English ones."""
        return _befores(tuple(self.wording.get(key, "") for key in _OWN_SAYINGS))

    def player_sayings(self, with_english: bool = True) -> tuple[tuple[str, str], ...]:
        """Return the text before and after the player's words in memories, for these sentences and for the
        English ones of older memories.
        """
        return _around_message(
            tuple(self.wording.get(key, ENGLISH[key]) for key in _PLAYER_SAYINGS), with_english
        )

    def own_words(self) -> frozenset[str]:
        """The words of the replaced sentences, in lower case: they are nobody's name."""
        return _own_words(tuple(self.wording.values()))


def usable(call: str, wording: Mapping[str, str]) -> dict[str, str]:
    """The sentences that can be used. Of the others a logged message says what is wrong: an unknown key, or
    placeholders that are not those of the English sentence, which then stays.
    """
    for key, text in wording.items():
        _check(call, key, text)
    return {key: text for key, text in wording.items() if key in ENGLISH and _fits(key, text)}


@functools.lru_cache(1024)
def _check(call: str, key: str, text: str) -> None:
    """Say what is wrong with a sentence, once: a config is validated for every NPC."""
    if key not in ENGLISH:
        meant = difflib.get_close_matches(key, ENGLISH, 1, _LIKENESS)
        advice = (
            f"Did you mean {shown(meant[0])}?" if meant else "The keys are in addons/rag_memory/wording.pot."
        )
        _LOG.error("%s: there is no sentence with the key %s. %s", call, shown(key), advice)
    elif not _fits(key, text):
        wanted = ", ".join(sorted(f"{{{name}}}" for name in _placeholders(ENGLISH[key]))) or "none"
        _LOG.error(
            "%s: the sentence %s is %s, but its placeholders have to be: %s. The English sentence is used.",
            call,
            shown(key),
            shown(text),
            wanted,
        )


def _fits(key: str, text: str) -> bool:
    return bool(text.strip()) and _placeholders(text) == _placeholders(ENGLISH[key])


def _placeholders(text: str) -> frozenset[str]:
    return frozenset(_PLACEHOLDER.findall(text))


@functools.lru_cache(64)
def _towards(name: str, manner: str, own: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the sentences that a name or a manner changes."""
    sentences = {**ENGLISH, **dict(own)}
    special = {key: f"{key}_{manner}" for key in _OF_MANNER if f"{key}_{manner}" in ENGLISH}
    changed = {key: sentences[of_manner] for key, of_manner in special.items()}
    name = name.replace("{", "").replace("}", "")
    if not name:
        return changed
    words = sorted(filter(None, map(str.strip, sentences["player_words"].split("|"))), key=len, reverse=True)
    pattern = re.compile("|".join(map(_bordered, words)), re.IGNORECASE)
    for key, text in {**sentences, **changed}.items():
        named = pattern.sub(lambda _: name, text)
        if named != sentences[key]:
            changed[key] = named
    return changed | {"the_player": name, "turn_of_player": name}


def _bordered(word: str) -> str:
    """A pattern of a whole word. Thai and what follows it in Unicode has no spaces, or endings on names."""
    before = r"(?<!\w)" if word[0] < _FIRST_WITHOUT_SPACES else ""
    after = r"(?!\w)" if word[-1] < _FIRST_WITHOUT_SPACES else ""
    return before + re.escape(word) + after


@functools.lru_cache(64)
def _sayings(templates: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        re.escape(before).replace(re.escape("{speaker}"), r"[^\W_](?:[\w'’ -]{0,40}\w)?")
        for before in _befores(templates)
    )


def _befores(templates: tuple[str, ...]) -> tuple[str, ...]:
    befores = (template.partition("{message}")[0].rstrip(_OPENING_QUOTES).strip() for template in templates)
    return tuple(before for before in befores if before)


@functools.lru_cache(64)
def _around_message(templates: tuple[str, ...], with_english: bool) -> tuple[tuple[str, str], ...]:
    every = dict.fromkeys((*templates, *(ENGLISH[key] for key in _PLAYER_SAYINGS if with_english)))
    parts = [template.partition("{message}") for template in every]
    return tuple((before, after) for before, _, after in parts if before)


@functools.lru_cache(64)
def _own_words(templates: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        word for text in templates for word in re.findall(r"[^\W\d_]+", _PLACEHOLDER.sub(" ", text).lower())
    )
