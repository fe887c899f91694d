"""Finds the names of unregistered people in a memory, by capital letters and the words around them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import validate_text, validate_texts

_LOG = logging.getLogger("rag_memory")


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

_PLACE_WORDS = _words(
    "farm mill crossing road river street lane inn tavern bridge forest wood woods hill hills hollow "
    "castle tower gate lake mountain mountains valley village town city bay port harbour harbor sea "
    "coast keep hall square market mine ford temple chapel church pass peak marsh moor field fields"
)
"""Last words of the names of places."""

_ARTICLES = _words("the a an my your his her our their its this these those some any no every each old new")
_PLACES = _words("in at near into onto towards toward inside outside beyond across around above")
_ORIGINS = _words(
    "is are was were am be been come comes came coming grew hails hailed travelled traveled arrived "
    "sailed rode walked returned fled up born here there away back home"
)
_NO_NAME_ENDING = re.compile(r"(?:ing|tion|sion|ness|ment|ship|hood|ism)$")
_PERSONS_DO = _words(
    "accuse admire admit adore advise answer apologise apologize argue attack bake bargain believe betray "
    "blame brew buy carve cheat claim complain confess cook court curse dance deny despise dislike doubt "
    "dream drink duel envy fear fight flee flirt forge forgive gamble gossip greet grumble guess hate hire "
    "hope hunt insist insult invite joke kiss know laugh like love marry mend mock mourn murder obey own "
    "owe paint plan play plot poison pray preach pretend promise quarrel rant refuse regret remember rent "
    "rescue resent respect rob rule scold serve sew shout sing smile smuggle speak spy steal study suspect "
    "swear talk teach tease thank think threaten train trust visit want warn weave weep whisper wish worry "
    "worship wonder write"
)
"""Verbs that hardly anything but a person does; all their forms are made from them."""
_BEFORE_NAMES = _PERSONS_DO | _words(
    "old young poor little dear sweet good brave ask avoid bring call find follow get give guard heal hear "
    "dead help hide join kill leave meet pay protect save see seek send show spare stop take tell wake watch"
)
"""Words that open a sentence before a name: "Old Tobias", "Ask Gregor"."""
_PASTS = {
    "admit": "admitted",
    "buy": "bought",
    "drink": "drank",
    "fight": "fought",
    "flee": "fled",
    "forgive": "forgave",
    "know": "knew",
    "plan": "planned",
    "plot": "plotted",
    "regret": "regretted",
    "rob": "robbed",
    "sing": "sang",
    "speak": "spoke",
    "steal": "stole",
    "swear": "swore",
    "teach": "taught",
    "think": "thought",
    "weave": "wove",
    "weep": "wept",
    "worship": "worshipped",
    "write": "wrote",
}


def _forms(verb: str) -> tuple[str, str]:
    """A verb as it stands after a name: sings, sang."""
    stem = verb[:-1] if re.search(r"[^aeiou]y$", verb) else verb
    ends_in_y = stem != verb
    third = stem + ("ies" if ends_in_y else "es" if re.search(r"(?:s|x|sh|ch)$", verb) else "s")
    past = stem + ("ied" if ends_in_y else "d" if verb.endswith("e") else "ed")
    return third, _PASTS.get(verb, past)


_ADVERBS = (
    r"(?:(?:never|always|often|also|still|once|really|secretly|just|only|sometimes|already|soon|now|then"
    r"|later|rarely|seldom|finally|even|almost|truly|openly|not) )"
)
_MODALS = (
    r"(?:(?:can|cannot|will|would|could|should|must|may|might|does|did|used to|has to|had to)"
    r"|(?:ca|wo|would|could|should|must|does|did)n['’]t)"
)
_OF_A_PERSON = re.compile(
    rf" {_MODALS} {_ADVERBS}{{0,2}}(?:{'|'.join(sorted(_PERSONS_DO))})\b"
    rf"| {_ADVERBS}{{0,2}}(?:{'|'.join(sorted(form for verb in _PERSONS_DO for form in _forms(verb)))})\b"
    r"| (?:runs|ran|keeps|kept) (?:the|a|an|his|her|their|our) (?:inn|tavern|shop|smithy|forge|mill|farm)"
    r"\b| (?:looks|looked|searches|searched) for (?:the|a|an|his|her|their|my|me|us|you)\b"
    r"| sells (?!well|badly|fast|for|out|best|better|poorly)"
    rf"| {_ADVERBS}?(?:said|says|told|tells|asked|asks|gave|gives|promised|promises|lied|betrayed|killed"
    r"|saved"
    r"|warned|whispered|confessed|admitted|stole|attacked|visited|arrived|came|left|wants|wanted"
    r"|knows|knew|thinks|believes|loves|hates|owes|sold|bought|paid|helped|offered|showed|taught"
    r"|threatened|laughed|died|is|was|has|had|danced|sang|smiled|wept|cried|shouted|kissed|married"
    r"|hugged|thanked|begged|insulted|greeted|drank|walked|likes|liked|brought|took|lent|borrowed"
    r"|swore|vowed|agreed|refused|invited|cheated|rescued|works|worked|lived|sent|met|found|lost)\b"
    r"|, (?:the|my|our|a|an|who)\b"
    r"| and (?=[^\W\d_a-z])"
)
"""Words that follow the name of a person at the start of a sentence."""
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-])*[^\W\d_]")
_PART = re.compile(r"(?:[^\W_]|['’-])+")
_LAST_WORD = re.compile(r"((?:[^\W\d_]|')+)\s*$")
_POSSESSIVE = re.compile(r"['’]s$")
_LOOKED_AT = 80
"""Characters before and after a name that decide whose it is."""
_FEWEST_LETTERS_TO_CORRECT = 5
_LETTERS_PER_MISTAKE = 4
_MOST_MISTAKES = 2
_MOST_SHOWN = 10
_LONGEST_SHOWN = 40


class Checked(NamedTuple):
    """The unregistered names in a memory, and the misspelled ones with their correct form."""

    unknown: list[str]
    corrections: dict[str, str]


class NameCheck:
    """Tells registered people from others. One word of a longer name is enough."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._words: dict[str, str] = {}
        for name in names:
            self._names.add(name.strip().casefold())
            for word in _PART.findall(name):
                # An id such as "gregor" is not how the name is written.
                if word[0].isupper() or word.casefold() not in self._words:
                    self._words[word.casefold()] = word

    def check(self, text: str, participants: Sequence[str], more: frozenset[str] = frozenset()) -> Checked:
        """Check the names in the text and the participants. `more`: further valid names, in lower case."""
        unknown: list[str] = []
        corrections: dict[str, str] = {}
        for name in dict.fromkeys([*people_in(text), *participants]):
            if not name or self.knows(name, more) or _is_no_name(name):
                continue
            right = self.nearest(name)
            if right:
                corrections[name] = right
            else:
                unknown.append(name)
        return Checked(unknown, corrections)

    def knows(self, name: str, more: frozenset[str] = frozenset()) -> bool:
        """Return True if this name, or every word of it, is registered or in `more`."""
        if name.strip().casefold() in self._names:
            return True
        words = [_POSSESSIVE.sub("", word.casefold()) for word in _PART.findall(name)]
        return bool(words) and all(
            word in self._words or word in self._names or word in more for word in words
        )

    def nearest(self, name: str) -> str:
        """Return the registered word that this one misspells, or "". Short names are never corrected, because
        Mina and Mira may be two people.
        """
        if len(name) < _FEWEST_LETTERS_TO_CORRECT or " " in name:
            return ""
        written = name.casefold()
        most = min(len(name) // _LETTERS_PER_MISTAKE, _MOST_MISTAKES)
        best, fewest = "", most + 1
        for word, spelling in self._words.items():
            is_like = word[0] == written[0] and abs(len(word) - len(written)) <= most
            if is_like and len(word) >= _FEWEST_LETTERS_TO_CORRECT:
                mistakes = _mistakes(written, word)
                if mistakes < fewest:
                    best, fewest = spelling, mistakes
        return best


def with_checked_names(
    call: str, check: NameCheck, text: Any, data: Mapping[str, Any], more: frozenset[str]
) -> tuple[Any, Mapping[str, Any]]:
    """Return a memory's text and data with misspelled names corrected. The data has the corrections as
    `name_corrections`.

    Raises:
        InvalidArgumentError: it names people who are not registered.
    """
    text = validate_text(call, "text", text)
    participants = validate_texts(call, "participants", data.get("participants", []))
    checked = check.check(text, participants, more)
    if checked.unknown:
        names = " or ".join(name[:_LONGEST_SHOWN] for name in checked.unknown[:_MOST_SHOWN])
        raise InvalidArgumentError(
            f"{call}: the memory was not stored",
            f"nobody in this world is called {names}",
            "Register the name with MemoryServer.register_names(), or store with check_names = false",
        )
    if not checked.corrections:
        return text, data
    for wrong, right in checked.corrections.items():
        _LOG.warning("%s: nobody is called %s; %s is stored instead", call, wrong, right)
    corrected_data = {**data, "name_corrections": checked.corrections}
    if participants:
        corrected_data["participants"] = [checked.corrections.get(name, name) for name in participants]
    return corrected(text, checked.corrections), corrected_data


def check_memories(
    memories: Sequence[Mapping[str, Any]], known_names: Sequence[str], hearsay: Sequence[str]
) -> list[dict[str, Any]]:
    """Check memories; a result for each: {text, participants, unknown_names, corrections}.

    Args:
        memories: text and participants of each; both may be missing.
        known_names: the people who exist.
        hearsay: texts whose people exist as well.

    Raises:
        InvalidArgumentError: a text or the participants are of another type.
    """
    call = "check_names()"
    check = NameCheck([*known_names, *(name for text in hearsay for name in people_in(text))])
    results = []
    for memory in memories:
        text = validate_text(call, "text", memory.get("text", ""))
        participants = validate_texts(call, "participants", memory.get("participants", []))
        unknown, corrections = check.check(text, participants)
        results.append(
            {
                "text": corrected(text, corrections),
                "participants": [corrections.get(name, name) for name in participants],
                "unknown_names": unknown,
                "corrections": corrections,
            }
        )
    return results


def people_in(text: str) -> list[str]:
    """Return the capitalised words that stand where a person's name would."""
    people: list[str] = []
    for start, end in _runs(text):
        run, before = text[start:end], text[max(0, start - _LOOKED_AT) : start]
        after = text[end : end + _LOOKED_AT]
        name = _stripped(run, _starts_sentence(before) or before.endswith((' "', " '", "“", "‘", "«")))
        if name and _stands_for_a_person(name, run, before, after):
            people.append(name)
    return people


def corrected(text: str, corrections: Mapping[str, str]) -> str:
    """Return the text with every misspelled name corrected."""
    if not corrections:
        return text
    wrong = "|".join(map(re.escape, corrections))
    return re.sub(rf"(?<![^\W\d_])(?:{wrong})(?![^\W\d_])", lambda match: corrections[match.group()], text)


def _runs(text: str) -> list[tuple[int, int]]:
    """Find the runs of consecutive capitalised words: start and end of each."""
    runs: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if not match.group()[0].isupper():
            continue
        if runs and text[runs[-1][1] : match.start()].isspace():
            runs[-1] = (runs[-1][0], match.end())
        else:
            runs.append(match.span())
    return runs


def _is_no_name(name: str) -> bool:
    return all(word.casefold() in _NOT_NAMES for word in _PART.findall(name))


def _starts_sentence(before: str) -> bool:
    trimmed = before.rstrip(" \n\t\"'“‘„‚«»「(*—-[")
    return not trimmed or trimmed[-1] in ".!?:;…)]»"


def _stripped(run: str, starts: bool) -> str:
    """Remove the titles from a run of capitalised words, and a first word that is capitalised only because it
    starts the sentence ("Yesterday Gregor").
    """
    words = _PART.findall(run)
    while words and words[0].casefold() in _NOT_NAMES:
        del words[0]
        starts = False
    if starts and words:
        lower = words[0].casefold()
        if lower in _BEFORE_NAMES and len(words) > 1:
            return " ".join(words[1:])
        if lower in _ARTICLES:
            return ""
        if lower in _SENTENCE_STARTS or lower in _PLACES:
            del words[0]
    return _POSSESSIVE.sub("", " ".join(words))


def _stands_for_a_person(name: str, run: str, before: str, after: str) -> bool:
    words = _PART.findall(name)
    if name == name.upper() or words[-1].casefold() in _PLACE_WORDS:
        return False
    previous = _last_word(before)
    if previous in _ARTICLES or previous in _PLACES:
        return False
    if previous == "from" and _last_word(before.rstrip(" ")[:-4]) in _ORIGINS:
        return False
    if not _starts_sentence(before) or name != run or " " in name:
        return True
    lower = name.casefold()
    if is_common_word(lower) or "'" in lower or "’" in lower:
        return False
    return _OF_A_PERSON.match(after) is not None


def is_common_word(word: str) -> bool:
    """Return True if a word (in lower case) that starts a sentence is ordinary English, not a name."""
    return (
        not {word, word.removesuffix("s")}.isdisjoint(_ORDINARY) or _NO_NAME_ENDING.search(word) is not None
    )


def _last_word(text: str) -> str:
    match = _LAST_WORD.search(text[-60:])
    return match.group(1).casefold() if match else ""


def _mistakes(left: str, right: str) -> int:
    """Count the letters to change, add, remove or swap (Damerau-Levenshtein distance)."""
    rows = [list(range(len(right) + 1))]
    for i in range(1, len(left) + 1):
        row = [i]
        for j in range(1, len(right) + 1):
            cost = rows[i - 1][j - 1] + (left[i - 1] != right[j - 1])
            cost = min(cost, rows[i - 1][j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                cost = min(cost, rows[i - 2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
