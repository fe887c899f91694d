"""Words of the player or of the NPC, as the NPC tells them later: "your roof" was "my roof"."""

from __future__ import annotations

import re

_WORD = re.compile(
    r"(?<![\w'-])(?:I|i|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself)(?:'(?:m|re|ve|"
    r"ll|d|s))?(?![\w-])(?: (?:am|was|are|were)\b)?",
    re.IGNORECASE,
)
_THEY = {"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves"}
_THEY |= {"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves"}
_ME = {"your": "my", "yours": "mine", "yourself": "myself"}
_THEIRS = {"your": "their", "yours": "theirs", "yourself": "themselves"}
_I_AM = {"are": "am", "were": "was", "'re": "'m"}
_THEY_ARE = {"am": "are", "was": "were", "'m": "'re"}
_BEFORE_SUBJECT = re.compile(
    r"(?:^|\b(?:if|when|that|what|while|until|till|before|after|as|because|once|whatever|where|wherever|"
    r"whenever|everything|"
    r"anything|all|than|so|how|who|and|unless|since|whether|think|know|hope|time|one|thing|way|gold|money|"
    r"coin|coins))$",
    re.IGNORECASE,
)
_AFTER_SUBJECT = re.compile(
    r"^(?:have|will|can|could|need|want|do|did|don't|didn't|asked|told|gave|wanted|get|see|say|said|wish|"
    r"like|ever|always|"
    r"never|would|should|must|may|might|know|knew|help|helped|lost|lent|made|go|come|return|ordered|needed|"
    r"owe|pay|tell|let)\b",
    re.IGNORECASE,
)
_OBJECT_VERB = re.compile(
    r"(?:help|let|make|tell|give|show|bring|get|find|buy|send|pay|see|ask|for|to|with|by|from|"
    r"of|at|on|teach|lend|owe|protect|defend|save|keep|join|meet|visit|hear|watch|about|near|behind|beside)"
)


def retold(text: str, by_player: bool) -> str:
    """The words of the player, or else of the NPC, as the NPC tells them: of the player as "they", of
    herself as "I".
    """

    def said(match: re.Match[str]) -> str:
        whole = match.group()
        spoken, _, verb = whole.partition(" ")
        word, mark, ending = spoken.partition("'")
        short = mark + ending
        word = word.lower()
        if word.startswith("you"):
            if (by_player and word in _ME) or (not by_player and word in _THEIRS):
                return (_ME if by_player else _THEIRS)[word] + whole[len(word) :]
            is_subject = bool(short or verb) or _is_subject(text, match)
            if by_player:
                pronoun = "I" if is_subject else "me"
                return _with(pronoun, _I_AM.get(short, short), _I_AM.get(verb.lower(), verb))
            return _with("they" if is_subject else "them", short, verb)
        if not by_player or word not in _THEY:
            return whole
        return _with(_THEY[word], _THEY_ARE.get(short, short), _THEY_ARE.get(verb.lower(), verb))

    return _WORD.sub(said, text)


def _is_subject(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    if not after:
        return False
    last = before.rsplit(" ", 1)[-1] if before else ""
    if last.lower() in ("and", "as", "than", "so") or not last:
        return _AFTER_SUBJECT.match(after) is not None
    return _BEFORE_SUBJECT.search(last) is not None or (
        _AFTER_SUBJECT.match(after) is not None and _OBJECT_VERB.fullmatch(last.lower()) is None
    )


def _with(word: str, short: str, verb: str) -> str:
    return f"{word}{short} {verb}".rstrip() if verb else f"{word}{short}"
