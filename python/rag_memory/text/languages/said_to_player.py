"""Sentences about the player in other languages than English, said to the player, where that is safe."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.chinese import CHINESE
from rag_memory.text.languages.french import FRENCH
from rag_memory.text.languages.german import GERMAN
from rag_memory.text.languages.japanese import JAPANESE
from rag_memory.text.languages.portuguese import PORTUGUESE
from rag_memory.text.languages.recall_words import RecallWords
from rag_memory.text.languages.russian import RUSSIAN
from rag_memory.text.languages.spanish import SPANISH

_QUOTED = lazy_pattern('"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|「[^」]*」')


class _Speech(NamedTuple):
    """How a sentence goes on after the player, when it is said to the player."""

    you: str
    """What stands for the player; "" where the verb tells it."""
    between: str
    """A pattern of what may stand between the player and the verb."""
    verbs: tuple[tuple[str, str], ...]
    """Patterns of verbs about somebody, and their forms for "you". The first that fits decides."""
    unclear: str
    """A pattern of what else may be about the player, so that the sentence stays as it is."""


def _forms(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair.split(">")[0], pair.split(">")[1]) for pair in text.split())


_SPEECHES: tuple[tuple[RecallWords, _Speech], ...] = (
    (
        FRENCH,
        _Speech(
            "Tu",
            r"(?:ne |n'|me |m'|nous |l'|les |la |le |leur |y |en )*",
            _forms(
                "a>as est>es avait>avais était>étais doit>dois veut>veux peut>peux vient>viens sait>sais "
                "connaît>connais vend>vends (habite|aime|déteste|cherche|travaille|possède)>\\1s"
            ),
            r"\b(?:son|sa|ses|lui|il|elle|se|soi|joueur)\b|\bs'|"
            r"(?:\bet|,|\bpuis|\bmais) (?:ne |n'|me |m'|l'|les |en |y )*(?:a|est|avait|était)\b",
        ),
    ),
    (
        GERMAN,
        _Speech(
            "Du",
            "",
            _forms(
                "hat>hast ist>bist war>warst wird>wirst will>willst kann>kannst muss>musst darf>darfst "
                "soll>sollst mag>magst weiß>weißt schuldet>schuldest wohnt>wohnst kommt>kommst sucht>suchst "
                "gab>gabst half>halfst stahl>stahlst versprach>versprachst kam>kamst ging>gingst "
                "schlug>schlugst nahm>nahmst log>logst fand>fandest (\\w+te)>\\1st"
            ),
            r"\b(?:sein\w*|ihm|ihn|er|sich|spieler\w*)\b|(?:\bund|,|\baber|\bdann) (?:\w+ )?"
            r"(?:hat|ist|war|wird|will|kann|\w+te)\b",
        ),
    ),
    (
        SPANISH,
        _Speech(
            "",
            r"(?:no |me |nos |le |les |lo |la |los |las )*",
            _forms(
                "ha>has había>habías es>eres está>estás era>eras quiere>quieres debe>debes vive>vives "
                "dio>diste hizo>hiciste trajo>trajiste dijo>dijiste vino>viniste fue>fuiste puso>pusiste "
                "tuvo>tuviste pudo>pudiste quiso>quisiste pidió>pediste mintió>mentiste murió>moriste "
                "siguió>seguiste sirvió>serviste consiguió>conseguiste (\\w*u)yó>\\1iste (\\w+)yó>\\1íste "
                "(\\w+)ió>\\1iste (\\w+)ó>\\1aste"
            ),
            r"\b(?:sus?|él|se|que|jugador)\b|(?:\by|,|\bpero|\bluego) (?:no |me |le |les |lo |la |los |las )*"
            r"(?:ha|fue|dio|hizo|\w+ó)\b",
        ),
    ),
    (PORTUGUESE, _Speech("Você", "", ((r"(\w+)", r"\1"),), r"\b(?:ele|dele|jogador)\b")),
    (
        RUSSIAN,
        _Speech(
            "Ты",
            r"(?:(?:не|мне|меня|снова|уже|однажды) )*",
            ((r"(\w+л(?:ся)?)", r"\1"),),
            r"\b(?:он|его|ему|него|нему|что|чтобы|игрок\w*)\b",
        ),
    ),
    (CHINESE, _Speech("你", "", (("", ""),), "[他她]|玩家")),
    (JAPANESE, _Speech("あなた", "", (("([はが])", r"\1"),), "彼|プレイヤー")),
)


def said_to_player(subject: str, rest: str, table: RecallWords | None) -> str:
    """Return a sentence that begins with the player with "you" instead, or "" where it might come out wrong.

    Args:
        subject: what the player is called.
        rest: how the sentence goes on.
        table: that of its language; None where only the subject can tell it.
    """
    called = subject.casefold()
    speech = next((speech for of, speech in _SPEECHES if of.player.casefold() == called or of is table), None)
    if speech is None:
        return ""
    space = " " if rest[:1] == " " else ""
    match = _pattern(speech).match(rest[len(space) :])
    if match is None or re.search(speech.unclear, _QUOTED.sub(" ", rest), re.IGNORECASE):
        return ""
    verb = match["verb"]
    pattern, form = next((p, f) for p, f in speech.verbs if re.fullmatch(p, verb, re.IGNORECASE))
    inflected = re.sub(f"^{pattern}$", form, verb) if pattern else ""
    said = f"{speech.you}{space}{match['between']}{inflected}{rest[len(space) + match.end() :]}".strip()
    return said[:1].upper() + said[1:]


def _pattern(speech: _Speech) -> re.Pattern[str]:
    verbs = "|".join(re.sub(r"\((?!\?)", "(?:", pattern) for pattern, _ in speech.verbs)
    end = "" if speech.you in ("你", "あなた") else r"(?!\w)"
    return lazy_pattern(f"(?P<between>{speech.between})(?P<verb>{verbs}){end}", re.IGNORECASE)
