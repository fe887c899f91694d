"""What one character says in text of a model that may have named the speaker, or gone on for the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto

from rag_memory.lazy_pattern import lazy_pattern

_OWN_LABELS = "assistant|npc|ai|model|you"
_ANSWER_LABELS = (
    "response|answer|reply|final answer|final response|final reply|dialogue|output|speech|spoken"
    "|spoken response|my response|here is my response"
)
_REASONING_LABELS = (
    "reasoning|thought|thoughts|thinking|thought process|thinking process|analysis|internal monologue"
    "|inner monologue|inner thoughts|internal thoughts|my reasoning|chain of thought|assistantanalysis"
    "|here is my thought process"
)
_OTHER_LABELS = (
    "player|user|human|system|instruction|input|jugador|jogador|joueur|spieler|giocatore|speler|gracz|hráč"
    "|oyuncu|pemain|benutzer|usuario|usuário|utilisateur|utente|игрок|гравець|пользователь|玩家|用户"
    "|プレイヤー|ユーザー|플레이어|사용자"
)
_VERBS = (
    "said says asked asks answered answers replied replies responded responds explained explains "
    "continued continues added adds told tells exclaimed exclaims whispered whispers shouted shouts"
)
_QUOTES_OF_PLAYER = tuple(map("the player {}".format, _VERBS.split()))
"""How memories quote the player. Small models go on in that form."""
_OTHER_WITHIN_LINE = lazy_pattern(r"(?:Player|User|Human)\s?[:：]")
"""Small models write the next line of the player without a new line."""
_MARKS = "*_[(<\"'“#>~ \t"
"""Stand before a label: bold, brackets, quotes, headings."""
_AFTER_LABEL = lazy_pattern(r"[*_\])>\"'”]{0,3}[ \t]?(?:[(*\[][^()*\[\]\n]{0,40}[)*\]])?[ \t]?[*_\]]{0,3}")
"""Between a label and its colon: marks, and a remark such as "(smiling)"."""
_BEGUN_AFTER_LABEL = lazy_pattern(
    r"[*_\])>\"'”]{0,3}[ \t]?"
    r"(?:[(*\[][^()*\[\]\n]{0,40}(?:[)*\]][ \t]?[*_\]]{0,3})?)?"
    r"(?:[:：][*_\]\"”]{0,3}[ \t]*\n?)?"
)
"""The beginning of both, as far as it has come."""
_COLON = lazy_pattern(r"[:：][*_\]\"”]{0,3}[ \t]*\n?")
_LONGEST_REMARK = 60
"""And the marks around it."""
_NO_NAMES = frozenset(("The", "Old", "Young", "Big", "Little", "Good", "New", "Inn"))
"""Words of names that are none by themselves."""
_WHOLE_ANSWERS = frozenset(("no", "yes", "non", "oui", "nein", "ja", "si", "sí", "нет", "да"))
"""No label that was cut, though a name may begin like them."""
_ROLE_ALONE = lazy_pattern(r"(?:assistant|model)[ \t]*\n", re.IGNORECASE)
"""Left of a chat template whose tokens the server removed."""
_FENCE = "```"
_LONGEST_FENCE = 40
_BREAK = lazy_pattern(r"\n|(?<=[.!?…。！？*)\"'”»])[ \t]")
"""Where the part of another may begin."""


class _Mode(Enum):
    BEGINNING = auto()
    SPEECH = auto()
    REASONING = auto()
    OTHERS_PART = auto()
    ENDED = auto()


def _folded(text: str) -> str:
    """The text in small letters, each character one character: "İ" in small letters is two."""
    return text.lower() if text.isascii() else "".join(character.lower()[:1] for character in text)


class _Labels:
    """The words before a colon by which a model names who speaks, or what comes."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._labels = sorted({_folded(label) for label in labels if label}, key=len, reverse=True)
        self.longest = len(self._labels[0]) + _LONGEST_REMARK
        """Characters that tell whether a text begins with a label."""

    def end_in(self, text: str, is_end: bool) -> int:
        """Returns where the label that begins the text ends, its colon and marks included.

        0 without a label, or while the marks after its colon may go on.
        """
        text = text[: self.longest]
        body = text.lstrip(_MARKS)
        start = len(text) - len(body)
        lowered = _folded(body)
        for label in self._labels:
            if lowered.startswith(label):
                between = _AFTER_LABEL.match(body, len(label))
                colon = _COLON.match(body, between.end() if between else len(label))
                if colon and (is_end or colon.end() < len(body)):
                    return start + colon.end()
        return 0

    def may_begin(self, text: str) -> bool:
        """Returns whether more text may make a label of this one."""
        body = _folded(text[: self.longest].lstrip(_MARKS))
        return len(text) < self.longest and any(
            label.startswith(body)
            or (body.startswith(label) and _BEGUN_AFTER_LABEL.fullmatch(body, len(label)) is not None)
            for label in self._labels
        )

    def is_cut(self, text: str) -> bool:
        """Returns whether the end of an answer is the beginning of a label, or nothing but its marks."""
        body = _folded(text[: self.longest + 1].strip(_MARKS))
        return any(label.startswith(body) for label in self._labels) or (bool(body) and self.may_begin(text))


def _parts(name: str) -> list[str]:
    """The name, and its words that are names by themselves: "Mira" of "Mira of the Inn"."""
    words = name.replace("_", " ").split()
    ends = [word for word in (*words[:1], *words[-1:]) if len(word) > 2 and word[0].isupper()]
    return list(dict.fromkeys((name, " ".join(words), *(word for word in ends if word not in _NO_NAMES))))


class SpokenText:
    """Takes in text piece by piece and lets through what the character says.

    Removed are her own name before a line, a fence around everything, a block of reasoning under a heading,
    and everything from where somebody else speaks. White space at both ends is removed.
    """

    def __init__(self, names: Iterable[str], others: Iterable[str]) -> None:
        """`names` are those of the character, `others` those of whoever may answer."""
        others = [part for name in filter(None, others) for part in _parts(name)]
        parts = [part for name in filter(None, names) for part in _parts(name)]
        names = [part for part in parts if part in names or part not in others]
        self._names = {_folded(name) for name in names}
        self._whole_answers = self._names | {_folded(name) for name in others} | _WHOLE_ANSWERS
        own = [*names, *_OWN_LABELS.split("|")]
        others = [*others, *_OTHER_LABELS.split("|"), *_QUOTES_OF_PLAYER]
        self._own = _Labels(own)
        self._begin = _Labels((*own, *_ANSWER_LABELS.split("|")))
        self._think = _Labels(_REASONING_LABELS.split("|"))
        self._others = _Labels(name for name in others if _folded(name) not in self._names)
        self.reasoning = ""
        self._longest_label = max(self._own.longest, self._others.longest)
        self._mode = _Mode.BEGINNING
        self._unread = ""
        self._is_fenced = False
        self._may_be_cut = True
        self._has_spoken = False
        self._white_space: list[str] = []
        self._lines: list[str] = []
        """What stands before the speech."""
        self._is_within_line = False
        """Whether the unread text goes on in a line that is no label."""
        self._before = ""
        """The character before what is unread."""

    def feed(self, text: str) -> str:
        """Takes in more; returns what she says in it."""
        self._unread += text
        return self._read(is_end=False)

    def finish(self, may_be_cut: bool = True) -> str:
        """Ends the text; returns what she says in its end.

        Of a text that may have been cut, the beginning of a label at its end is no speech.
        """
        self._may_be_cut = may_be_cut
        return self._read(is_end=True)

    def _read(self, is_end: bool) -> str:
        spoken: list[str] = []
        while self._mode is not _Mode.SPEECH and self._step(is_end):
            pass
        if self._mode is _Mode.SPEECH:
            spoken.append(self._read_speech(is_end))
        return "".join(spoken)

    def _step(self, is_end: bool) -> bool:
        """Reads what stands before the speech; returns whether there is more to read now."""
        if self._mode is _Mode.BEGINNING:
            return self._read_beginning(is_end)
        if self._mode is _Mode.REASONING:
            return self._read_reasoning(is_end)
        if self._mode is _Mode.OTHERS_PART:
            return self._find_label(self._own, is_end)
        self._unread = ""
        return False

    def _read_beginning(self, is_end: bool) -> bool:
        text = self._unread = self._unread.lstrip()
        if not self._is_fenced and text.startswith(_FENCE):
            _, end_of_line, after = text[:_LONGEST_FENCE].partition("\n")
            if not end_of_line and not is_end and len(text) < _LONGEST_FENCE:
                return False
            self._is_fenced = True
            self._unread = text[len(text[:_LONGEST_FENCE]) - len(after) :] if end_of_line else ""
        elif role := _ROLE_ALONE.match(text):
            self._unread = text[role.end() :]
        elif end := self._think.end_in(text, is_end):
            self._unread = text[end:]
            self._mode = _Mode.REASONING
        elif end := self._begin.end_in(text, is_end):
            self._unread = text[end:].lstrip()
        elif self._others.end_in(text, is_end):
            self._mode = _Mode.OTHERS_PART
        elif not is_end and (not text or _FENCE.startswith(text) or self._may_be_label(text)):
            return False
        else:
            is_word = _folded(text.strip()) in self._whole_answers
            is_cut = is_end and self._may_be_cut and not is_word and self._is_cut(text)
            self._unread = "" if is_cut else text
            self._mode = _Mode.SPEECH
        return True

    def _may_be_label(self, text: str) -> bool:
        return any(labels.may_begin(text) for labels in (self._think, self._begin, self._others))

    def _is_cut(self, text: str) -> bool:
        return _FENCE.startswith(text) or any(
            labels.is_cut(text) for labels in (self._think, self._begin, self._others)
        )

    def _read_reasoning(self, is_end: bool) -> bool:
        """Reasoning under a heading ends at the heading of the answer, or is all but the last paragraph."""
        if self._find_label(self._begin, is_end):
            return True
        if is_end:
            text = "".join((*self._lines, self._unread)).strip()
            thought, _, speech = text.rpartition("\n\n")
            is_speech = bool(thought) and not self._is_cut(speech)
            self.reasoning = thought or speech
            self._unread = speech if is_speech else ""
            self._mode = _Mode.SPEECH
        return is_end

    def _find_label(self, labels: _Labels, is_end: bool) -> bool:
        """Reads up to the line that begins with one of the labels; returns whether there is one."""
        text = self._unread
        starts = [line.end() for line in re.finditer("\n", text)]
        for start in starts if self._is_within_line else (0, *starts):
            line = text[start : start + labels.longest]
            if end := labels.end_in(line, is_end):
                self.reasoning = "".join((*self._lines, text[:start])).strip()
                self._unread = text[start + end :].lstrip()
                self._mode = _Mode.SPEECH
                return True
            if labels.may_begin(line):
                break
        else:
            start = len(text)
        self._is_within_line = start == len(text) and not text.endswith("\n")
        self._lines.append(text[:start])
        self._unread = text[start:]
        return False

    def _read_speech(self, is_end: bool) -> str:
        text = self._before + self._unread
        spoken: list[str] = []
        at = len(self._before)
        for pause in _BREAK.finditer(text, at):
            if pause.start() < at:
                continue
            line = text[pause.end() : pause.end() + self._longest_label]
            is_new_line = pause[0] == "\n"
            if self._others_begin(line, is_new_line, is_end) or (self._is_fenced and line.startswith(_FENCE)):
                self._mode = _Mode.ENDED
                self._unread = ""
                spoken.append(text[at : pause.start()])
                return self._shown("".join(spoken))
            if is_new_line and (end := self._own.end_in(line, is_end)):
                spoken.append(text[at : pause.end()])
                at = pause.end() + end
                continue
            if self._may_go_on(line, is_new_line):
                spoken.append(text[at : pause.start()])
                rest = text[pause.start() :]
                is_cut = (
                    self._others.is_cut(line)
                    or self._own.is_cut(line)
                    or (self._is_fenced and _FENCE.startswith(line))
                )
                self._unread = "" if is_end else rest
                if is_end and not (is_cut and self._may_be_cut):
                    spoken.append(rest)
                self._before = text[: pause.start()][-1:]
                return self._shown("".join(spoken))
        spoken.append(text[at:])
        self._before = text[-1:]
        self._unread = ""
        return self._shown("".join(spoken))

    def _others_begin(self, line: str, is_new_line: bool, is_end: bool) -> bool:
        if is_new_line:
            return bool(self._others.end_in(line, is_end))
        return _OTHER_WITHIN_LINE.match(line) is not None

    def _may_go_on(self, line: str, is_new_line: bool) -> bool:
        """Returns whether the last line or sentence may become the part of another."""
        if not is_new_line:
            return any(
                f"{role} :".startswith(line) or f"{role}:".startswith(line)
                for role in ("Player", "User", "Human")
            )
        if self._is_fenced and _FENCE.startswith(line):
            return True
        return self._others.may_begin(line) or self._own.may_begin(line)

    def _shown(self, text: str) -> str:
        """White space waits until more is said, so that it never ends a speech."""
        said = text.rstrip()
        if not said:
            self._white_space.append(text)
            return ""
        before = "".join(self._white_space)
        self._white_space = [text[len(said) :]]
        if self._has_spoken:
            return before + said
        self._has_spoken = True
        return said.lstrip()
