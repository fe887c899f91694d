"""Finds the names of unregistered people in a text. A capitalised word is a person only where the words
around it say so; a place, a people, a guild or a word that starts a sentence is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.person_words import (
    ARTICLES,
    BEFORE_NAMES,
    KIN,
    PERSONS_DO,
    PERSONS_MEET,
    PLACE_WORDS,
    PLACES,
    ROLES,
    TITLES,
    forms_of,
)
from rag_memory.validation import validate_text, validate_texts


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOT_NAMES = _words(
    "i i'm i'll i'd i've monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december spring summer autumn winter "
    "god gods lord lady sir madam mister mr mrs ms miss master mistress captain elder chief king queen "
    "prince princess father mother brother sister aunt uncle grandfather grandmother mayor merchant "
    "blacksmith smith innkeeper guard lieutenant boss player npc stranger traveller traveler adventurer "
    "hero common english north south east west yes no ok okay oh ah hello hi hey well please thanks "
    "thank goodbye farewell welcome sorry"
)
"""Words that are capitalised without being a person's name."""

_SENTENCE_STARTS = _words(
    "he she it we you they who someone somebody everyone everybody nobody anyone one this that these "
    "those what which there here then now later today yesterday tomorrow once when while after before "
    "because although if but and or so yet never always nothing everything something people villager "
    "bandit soldier farmer child man woman boy girl folk friend enemy visitor rumour rumor news word "
    "legend story law mine yours his hers ours theirs all some many most few both neither either "
    "another other others each only even just perhaps maybe suddenly finally with without for from by "
    "of on off to as since until during between behind under over through against about like than how "
    "why who where let do did is are was were can could will would should may might must have has had "
    "not"
)
"""Words that start a sentence before a verb of speech and are no name."""

_COMMON_WORDS = _words(
    "day night morning evening noon midnight dawn dusk week month year season age time rain snow hail "
    "wind storm thunder lightning fog frost ice sun moon star sky cloud weather heat cold mist flood "
    "drought wolf wolves bear fox deer rat mouse mice dog cat horse cow sheep goat pig hen chicken goose "
    "geese fish bird raven crow snake bee spider animal beast cattle oxen mule donkey tree grass flower "
    "leaf leaves root stone rock sand mud dust water fire smoke ash light shadow bread ale beer wine mead "
    "cider meat cheese milk butter honey salt sugar flour grain wheat corn barley oat rye apple fruit "
    "berry berries egg soup stew food drink dinner supper breakfast lunch meal feast gold silver copper "
    "iron steel bronze coal wool cloth silk leather linen fur rope nail tool sword blade knife knives "
    "arrow bow shield armor armour weapon money coin gem jewel ring letter book map key door window table "
    "house home roof wall cellar floor candle lantern lamp bed clothes boot shoe hat cloak coat ship boat "
    "cart wagon barrel sack bag box life lives death love hate hatred fear hope trust faith truth honor "
    "honour justice peace war battle revenge vengeance hunger thirst wealth trade business work labor "
    "labour trouble danger luck fate fortune destiny music song silence noise magic sickness illness "
    "disease plague fever pain sorrow grief joy anger rage shame guilt pride courage duty marriage "
    "funeral birth youth beauty power strength memory tax taxes rent debt price cost order crime theft "
    "murder betrayal treason prison freedom help harvest sleep rest gossip talk goblin orc elf elves "
    "dwarf dwarves troll dragon ghost spirit demon witch witches wizard giant monster thief thieves "
    "outlaw pirate knight sailor hunter shepherd baker butcher carpenter tailor weaver miller potter "
    "priest monk nun healer doctor midwife servant slave beggar noble peasant worker trader pedlar "
    "customer guest neighbour neighbor parent family twin widow orphan baby babies kid lad lass men women "
    "children hand eye head heart blood tear voice two three four five six seven eight nine ten twenty "
    "hundred thousand half soon often sometimes again still meanwhile however therefore thus besides "
    "instead early late long such"
)
"""Words that start a sentence, or that do in the plural, before any verb and are no name."""

_ORDINARY = _NOT_NAMES | _SENTENCE_STARTS | _COMMON_WORDS

_NO_NAME_ENDING = lazy_pattern(r"(?:ing|tion|sion|ness|ment|ship|hood|ism)$")
_PLURAL = lazy_pattern(r"(?:[^aeious]|[aeo][aeiou]|[^s]ian|men)s$|(?:men|folk)$")
"""The ending of what is more likely the name of a people or a group than of a person."""
_ADVERBS = (
    r"(?:(?:never|always|often|also|still|once|really|secretly|just|only|sometimes|already|soon|now|then"
    r"|later|rarely|seldom|finally|even|almost|truly|openly|not) )"
)
_MODALS = (
    r"(?:(?:can|cannot|will|would|could|should|must|may|might|does|did|used to|has to|had to)"
    r"|(?:ca|wo|would|could|should|must|does|did)n['’]t)"
)
_PERSON_DOES = lazy_pattern(
    rf" {_MODALS} {_ADVERBS}{{0,2}}(?:{'|'.join(sorted(PERSONS_DO))})\b"
    rf"| {_ADVERBS}{{0,2}}(?:{'|'.join(sorted(form for verb in PERSONS_DO for form in forms_of(verb)))})\b"
    r"| (?:runs|ran|keeps|kept) (?:the|a|an|his|her|their|our) (?:inn|tavern|shop|smithy|forge|mill|farm)"
    r"\b| (?:looks|looked|searches|searched) for (?:the|a|an|his|her|their|my|me|us|you)\b"
    r"| (?:sold|lent|brought|sent|showed) (?:me|us|you|him|her|them|the player)\b"
    r"| sells (?!well|badly|fast|for|out|best|better|poorly)"
    rf"|, (?:the|my|our|a|an|his|her) (?:{'|'.join(sorted(ROLES))})(?:[,.!?]|$)|,? who\b"
    rf"|['’]s (?:{'|'.join(sorted(KIN))}|voice|wedding|funeral|eyes|face)\b"
)
"""Words that follow the name of a person."""
_EPITHET = lazy_pattern(r" the (?![a-z])[^\W\d_]+(?! ?[^\W\d_a-z])\b(?! [A-Z])")
_MEETING = frozenset(
    form for verb in PERSONS_MEET for form in (verb, *forms_of(verb), verb.removesuffix("e") + "ing")
)
_WITH_PERSON = lazy_pattern(
    rf"\b(?:{'|'.join(sorted(ROLES))}|person|somebody|someone) (?:named|called) $|"
    r"\b(?:I|you|we|they|n['’]t|never|to) (?:like|love|hate|dislike|despise|remember|know|visit) $|"
    r"\b(?:letter|word|message|gift|news|greetings|heard) from $|\bsich mit $|\b(?:bring|brought) $|"
    r"\b(?:talk|talked|spoke|speak|argued|quarrelled|drank|danced|slept) (?:to|with|about) $|"
    r"\b(?:owe|give|lend|sell|promise|write|belong)s?\b[^.!?]{0,40} to $|"
    r"\b(?:gave|lent|sold|wrote|paid|owed|promised|married|engaged)\b[^.!?]{0,40} to $|"
    r"\b(?:son|daughter|wife|husband|widow|friend) of $"
)
_IN_CYRILLIC = lazy_pattern(
    r"(?<!\b[вксуоВКСУО])(?<!\bна)(?<!\bиз)(?<!\bдо)(?<!\bза)(?<!\bоб)(?<!\bот)(?<!\bпо) $"
)
"""What stands before a name inside a Russian sentence, and not before a place."""
_JOINED_BEFORE = lazy_pattern(r"(?P<name>(?:[^\W_]|['’-])+) (?P<and>[^\W\d_]{1,3}) $")
_JOINED_AFTER = lazy_pattern(r" (?P<and>[^\W\d_]{1,3}) (?P<name>(?:[^\W_]|['’-])+)")
_AND = _words("and und et y e en och i и та і")
_WORD = lazy_pattern(r"[^\W\d_](?:[^\W_]|['’\u0300-\u036f-])*[^\W_]")
_PART = lazy_pattern(r"(?:[^\W_]|['’\u0300-\u036f-])+")
_LAST_WORD = lazy_pattern(r"([^\W\d_]+),?\s*$")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_LOOKED_AT = 80
"""Characters before and after a name that decide whose it is."""
_LEAST_ALIKE = 0.6
"""Names that share as many letters may be one name: an ending, a pet name, a slip of the pen."""


class NameCheck:
    """Tells registered people from others. One word of a longer name is enough."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._words: set[str] = set()
        self._by_start: dict[str, set[str]] = {}
        for name in names:
            self._names.add(_folded(name))
            self._words.update(map(_folded, _PART.findall(name)))
        for word in self._words:
            self._by_start.setdefault(word[:2], set()).add(word)

    def unknown(
        self, text: str, participants: Sequence[str] = (), more: frozenset[str] = frozenset()
    ) -> list[str]:
        """Return the people in a text and among its participants who are not registered. `more`: further
        names, in lower case.
        """
        names = dict.fromkeys([*people_in(text, lambda word: _folded(word) in self._words), *participants])
        return [name for name in names if name and not self.knows(name, more)]

    def knows(self, name: str, more: frozenset[str] = frozenset()) -> bool:
        """Return True if this name, or a word of it, is registered, in `more`, no name, or like a registered
        one: nobody can tell a pet name or an ending from a slip of the pen.
        """
        if _folded(name) in self._names:
            return True
        words = [_POSSESSIVE.sub("", _folded(word)) for word in _PART.findall(name)]
        return all(word in _NOT_NAMES or word in TITLES for word in words) or any(
            word in more or any(_are_alike(word, other) for other in self._by_start.get(word[:2], ()))
            for word in words
        )


def _are_alike(left: str, right: str) -> bool:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.real_quick_ratio() < _LEAST_ALIKE:
        return False
    return matcher.quick_ratio() >= _LEAST_ALIKE and matcher.ratio() >= _LEAST_ALIKE


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def with_name_suspects(
    check: NameCheck, text: Any, data: Mapping[str, Any], call: str, more: frozenset[str]
) -> Mapping[str, Any]:
    """Return a memory's data with the names of people who are not registered as `name_suspects`."""
    participants = validate_texts(call, "participants", data.get("participants", []))
    suspects = check.unknown(validate_text(call, "text", text), participants, more)
    return {**data, "name_suspects": suspects} if suspects else data


def check_memories(
    memories: Sequence[Mapping[str, Any]], registered: Sequence[str], hearsay: Sequence[str]
) -> list[dict[str, Any]]:
    """Check memories; a result for each: {unknown_names}.

    Args:
        memories: text and participants of each; both may be missing.
        registered: the people who exist.
        hearsay: texts whose people exist as well.

    Raises:
        InvalidArgumentError: a text or the participants are of another type.
    """
    call = "check_names()"
    check = NameCheck([*registered, *(word for text in hearsay for word in _WORD.findall(text))])
    return [
        {
            "unknown_names": check.unknown(
                validate_text(call, "text", memory.get("text", "")),
                validate_texts(call, "participants", memory.get("participants", [])),
            )
        }
        for memory in memories
    ]


def people_in(text: str, is_registered: Callable[[str], bool] = lambda word: False) -> list[str]:
    """Return the capitalised words that the words around them, or a registered name beside them, make a
    person's name.
    """
    people: list[str] = []
    for start, end in _runs(text):
        run, before = text[start:end], text[max(0, start - _LOOKED_AT) : start]
        possessive = _POSSESSIVE.search(run)
        after = (possessive.group() if possessive else "") + text[end : end + _LOOKED_AT]
        starts = starts_sentence(before) or before.endswith((' "', " '", "“", "‘", "«"))
        opening, name = _stripped(run, starts)
        if not name or _is_title(before, after):
            continue
        neighbours = _neighbours(before, after)
        if _is_person(name, opening, before, after, starts, any(map(is_registered, neighbours))):
            people.append(name)
    return people


def _is_title(before: str, after: str) -> bool:
    """Return True for the title of a thing: "The Red Rose"."""
    return before.endswith(tuple("\"“'‘«(")) and after[:2].rstrip(".,!? ").endswith(tuple("\"”'’»)"))


def _neighbours(before: str, after: str) -> list[str]:
    """Return the capitalised words that "and" joins to a name."""
    joined = _JOINED_BEFORE.search(before), _JOINED_AFTER.match(after)
    return [match["name"] for match in joined if match and match["and"].casefold() in _AND]


def _runs(text: str) -> list[tuple[int, int]]:
    """Find the runs of consecutive capitalised words: start and end of each."""
    runs: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if not match.group()[0].isupper():
            continue
        if (
            runs
            and text[runs[-1][1] : match.start()] in (" ", ". ")
            and _is_open(text, runs[-1], match.start())
        ):
            runs[-1] = (runs[-1][0], match.end())
        else:
            runs.append(match.span())
    return runs


def _is_open(text: str, run: tuple[int, int], start: int) -> bool:
    """Return True if the next capitalised word belongs to the run. A full stop ends it, except a title's."""
    return text[run[1] : start] == " " or text[run[0] : run[1]].casefold() in TITLES


def starts_sentence(before: str) -> bool:
    """Return True if a sentence starts after this text."""
    trimmed = before.rstrip(" \n\t\"'“‘„‚«»「(*—-[")
    return not trimmed or trimmed[-1] in ".!?:;…)]»"


def _stripped(run: str, starts: bool) -> tuple[str, str]:
    """Return the last title or verb before a name in a run of capitalised words, in lower case, and the name
    without what is capitalised only because it starts the sentence ("Yesterday Gregor").
    """
    words, opening = _PART.findall(run), ""
    while words:
        lower = _folded(words[0])
        is_opening = lower in TITLES or lower in _NOT_NAMES
        if starts and not is_opening:
            if lower in ARTICLES:
                return "", ""
            is_verb = lower in _MEETING or lower in BEFORE_NAMES
            is_opening = lower in _SENTENCE_STARTS or lower in PLACES or (is_verb and len(words) > 1)
        if not is_opening:
            break
        opening = lower
        del words[0]
    name = " ".join(words)
    owner = re.match(r"(.+?)['’]s? ", name)  # "Gregor's Forge"
    return opening, owner.group(1) if owner else _POSSESSIVE.sub("", name)


def _is_person(name: str, opening: str, before: str, after: str, starts: bool, joined: bool) -> bool:
    words = _PART.findall(name)
    last = _folded(words[-1])
    previous = _last_word(before)
    if name == name.upper() or last in PLACE_WORDS or last.removesuffix("s") in PLACE_WORDS:
        return False
    if previous in ARTICLES or previous in PLACES:
        return False
    if len(words) == 1 and (_PLURAL.search(last) or (starts and is_common_word(last))):
        return False
    return (
        joined
        or opening in TITLES
        or opening in BEFORE_NAMES
        or (opening or previous) in _MEETING
        or previous in ROLES
        or _PERSON_DOES.match(after) is not None
        or (not starts and not is_common_word(last) and _EPITHET.match(after) is not None)
        or _WITH_PERSON.search(before) is not None
        or (not starts and "\u0400" <= name[0] <= "\u04ff" and _IN_CYRILLIC.search(before) is not None)
    )


def is_common_word(word: str) -> bool:
    """Return True if a word (in lower case) that starts a sentence is ordinary English, not a name."""
    return (
        not {word, word.removesuffix("s")}.isdisjoint(_ORDINARY) or _NO_NAME_ENDING.search(word) is not None
    )


def _last_word(text: str) -> str:
    match = _LAST_WORD.search(text[-60:])
    return match.group(1).casefold() if match else ""
