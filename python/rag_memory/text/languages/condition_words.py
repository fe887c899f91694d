"""What `knows()` reads in a condition of one language: the player, who acts, and denials."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.recall_words import RecallWords
from rag_memory.text.languages.tables import TABLES, recall_words

MASK = "@"
"""Stands for the player in a text: who is meant, whether by name or not, is the same."""
_NOBODY = "(?!)"


@dataclass(frozen=True)
class ConditionWords:
    """The table of one language. All but the last two are patterns."""

    recall: RecallWords
    player: str
    """What memories and conditions call the player, in every case."""
    doer: str
    """That the NPC itself acts: "I", or a verb that says so."""
    other: str
    """That it is done to or for the NPC: "me"."""
    denial: str
    """That something is not so, or was refused."""
    name_endings: str = ""
    """Endings of a name."""
    article: str = ""
    """What may stand before a name."""
    common: frozenset[str] = frozenset()
    """Frequent words, besides those of the table for recall; in Chinese and Japanese frequent characters."""
    stem_length: int = 5
    """Letters. Longer words are compared by so many."""

    @property
    def has_spaces(self) -> bool:
        """False for a language that puts no spaces between words."""
        return self.recall.has_spaces

    @cached_property
    def _player(self) -> re.Pattern[str]:
        return self._compiled(self.player)

    @cached_property
    def is_denied(self) -> re.Pattern[str]:
        """Finds a denial."""
        return self._compiled(self.denial)

    @cached_property
    def is_done_by_npc(self) -> re.Pattern[str]:
        """Finds the NPC as who acts."""
        return self._compiled(self.doer)

    @cached_property
    def is_done_to_npc(self) -> re.Pattern[str]:
        """Finds the NPC as whom it is done to."""
        return self._compiled(self.other)

    def masked(self, text: str, names: Iterable[str]) -> str:
        """Return a text with MASK for the player, whose names are given in lower case."""
        forms = "|".join(self._forms(name) for name in names) or _NOBODY
        return self._player_and(f"{self.article}(?:{forms})").sub(MASK, text)

    def with_name(self, text: str, name: str) -> str:
        """Return a text with a name for "the player"."""
        return self._player.sub(name, text)

    def _forms(self, name: str) -> str:
        if self.name_endings and name[-1] in "аяйь":
            return f"{re.escape(name[:-1])}(?:{self.name_endings})"
        return f"{re.escape(name)}(?:{self.name_endings})?"

    def _player_and(self, names: str) -> re.Pattern[str]:
        return self._compiled(f"{self.player}|{names}")

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        if self.has_spaces:
            pattern = rf"\b(?:{pattern})(?:(?<=['’])|\b)"
        return lazy_pattern(pattern, re.IGNORECASE)


_RUSSIAN_ENDINGS = "а|у|ом|ем|е|ы|и|й|я|ю|ой|ей|ь"
_ARABIC_COMMON = """
من في على إلى عن مع لي كان كانت أن إن هو هي هذا هذه قد ثم لأن ما لا لم لن ليس ليست كل بعد قبل منذ عند بين
أنا نحن الذي التي وهو وهي
"""
_KOREAN_COMMON = """
나는 내가 나를 나에게 나와 내 내게 내게서 나한테 우리 우리는 그 그는 이 저 것 수 있다 없다 했다 한다 되었다
아직 더 안 못
"""
_RUSSIAN_COMMON = """
мне меня мной мою моей моего моему моя мой моё мои моих нас нам наш наша наше он она они его её ее их ему ей
им что как это был была было были быть есть уже ещё еще очень для при про над под без так все всё себя свой
свою своей свои кто где когда потом снова больше нет только или если чтобы ничего никто не ни же бы ли из за
него неё нее
"""
_TABLES = (
    ConditionWords(
        TABLES["ar"],
        player="[وفبلك]?(?:اللاعبة?)",
        doer=(
            "أنا|أنني|أهديت|أعطيت|وعدت|بعت|اشتريت|أنقذت|سرقت|ساعدت|اعتذرت|قتلت|أقرضت|كذبت|خنت|سامحت|كسرت"
            r"|\w+تُ\w*"
        ),
        other=r"\w+ني|لي|مني|إليّ|بي|معي",
        denial=r"لا|لم|لن|ليست?|دون|بلا|غير|رفض\w*",
        name_endings="ًا|ا",
        article="[وفبلك]?",
        common=frozenset(_ARABIC_COMMON.split()),
        stem_length=4,
    ),
    ConditionWords(
        TABLES["de"],
        player=r"(?:der|den|dem|des|die) Spieler(?:s|in)?",
        doer="ich",
        other="mir|mich",
        denial=r"nicht|kein\w*|nie(?:mals)?|ohne|niemand|weiger\w*|geweigert|abgelehnt",
        name_endings="s",
    ),
    ConditionWords(
        TABLES["es"],
        player="(?:al|del|el|la) jugadora?",
        doer=r"yo|(?!qué)\w{2,}é|\w{3,}í|di|hice",
        other="me|mí|conmigo|nos",
        denial="no|nunca|jamás|sin|ningun[oa]?|nada|negó|tampoco",
    ),
    ConditionWords(
        TABLES["fr"],
        player="(?:le|la|au|du) joueu(?:r|se)",
        doer="je|j['’]",
        other="me|moi|m['’]",
        denial=r"n['’]|ne|pas|jamais|aucune?|sans|plus|rien|renonc\w+|refus\w+|interdi\w+",
    ),
    ConditionWords(
        TABLES["ja"],
        player="プレイヤー",
        doer="私[はが]",
        other="私[にをから]|くれた|もらった|られた",
        denial="ない|なかった|ません|ず[にに]|断った",
        common=frozenset("私"),
    ),
    ConditionWords(
        TABLES["ko"],
        player=r"플레이어(?:[은는이가을를와과의]|에게|에게서|한테)?",
        doer="나는|내가|난",
        other="나에게|나를|나한테|나와|내게|내게서|주었다|주겠다",
        denial=r"안|못|\w*없\w*|\w*않\w*|\w*아니\w*|\w*거절\w*",
        name_endings="[은는이가을를와과의]|에게|에게서|한테|이와|로부터",
        common=frozenset(_KOREAN_COMMON.split()),
        stem_length=2,
    ),
    ConditionWords(
        TABLES["pt"],
        player="(?:o|a|ao|à|do|da|no|na|pelo|pela) jogadora?",
        doer=r"eu|\w{2,}ei|(?!foi|aqui|ali|pai|rei|lei|sai|depois)\w{3,}i",
        other=r"me|mim|comigo",
        denial=r"não|nunca|jamais|sem|nenhuma?|nada|recus\w+",
        article="(?:(?:o|a|ao|à|do|da|no|na|pelo|pela) )?",
    ),
    ConditionWords(
        TABLES["ru"],
        player="игрок(?:а|у|ом|е)?",
        doer="я",
        other="мне|меня|мной|мною",
        denial=r"не|нет|ни\w*|без|отказ\w+",
        name_endings=_RUSSIAN_ENDINGS,
        common=frozenset(_RUSSIAN_COMMON.split()),
    ),
    ConditionWords(
        TABLES["zh"],
        player="玩家",
        doer="(?:^|[，。])我(?![的儿女])|我[向把替给送欠卖借帮救]|我答应",
        other="(?:[给向把替跟和帮了卖对被从]|送了?|救过?|输给)我",
        denial="不(?!见)|没|未|无",
        common=frozenset("我了的把是在也还就都很给"),
    ),
)


def condition_words(text: str) -> ConditionWords | None:
    """The table of a text's language; None for English and for every language without a table."""
    recall = recall_words(text)
    return next((table for table in _TABLES if table.recall is recall), None)
