"""English verbs for what the player did, where a game passes only the thing: "a rose" with "gift_given"."""

from __future__ import annotations

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import BASE_VERBS
from rag_memory.text.second_person import begins_with_deed

_PROMISE = "promised me {a}"
_DEEDS = {
    "apologised for {}": "apology",
    "argued with me about {}": "argument",
    "attacked {a}": "attack",
    "befriended {a}": "friendship",
    "betrayed {}": "betrayal",
    "borrowed {a} from me": "debt",
    "broke a promise: {}": "promise_broken",
    "comforted me with {}": "emotional_support",
    "completed {}": "quest_completed",
    "confessed love: {}": "romance_confession",
    "courted me with {a}": "romance romantic_gesture",
    "failed at {}": "quest_failed",
    "fought {a}": "combat",
    "gave me {a}": "gift gift_given gift_received first_gift item_given",
    "helped with {}": "favor help",
    "insulted me: {}": "insult",
    "kept a promise: {}": "promise_kept",
    "killed {a}": "death kill murder npc_death_status witnessed_kill",
    "lied about {}": "lie",
    "met me: {}": "first_meeting",
    "paid back {a}": "debt_paid",
    _PROMISE: "promise promise_made",
    "received {a}": "item_received",
    "refused to help with {}": "refused_help",
    "refused {}": "quest_refused",
    "saved {a}": "life_saved rescue saved_life",
    "spread a rumor: {}": "rumor_heard",
    "stole {a}": "theft steal robbery",
    "talked about {}": "casual_conversation conversation quest quest_related",
    "threatened me with {}": "threat threat_made",
    "told me a secret: {}": "secret secret_revealed secret_shared",
    "took on {}": "first_quest quest_accepted quest_started",
    "traded {a}": "trade",
}
"""By what was done: event types. A thing without an article gets one in the place of {a}."""
_DEED_OF_TYPE = {type: deed for deed, types in _DEEDS.items() for type in types.split()}
_DETERMINED = lazy_pattern(
    r"(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|some|any|no|another|all|both|every|many"
    r"|several|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|(?:a )?hundred"
    r"|\d[\d,.]*) \w"
)
_NAME = lazy_pattern(r"[A-Z][\w'’-]*(?: (?:of |the )*[A-Z][\w'’-]*)*$")
_THING = lazy_pattern(r"([a-z'’-]+(?: [a-z'’-]+){0,2}?)(?: of [\w '’-]+)?[.!]?$")
_WORDS = {
    "uncounted": """
        ale ammo armor armour beer blood bread butter cash cheese cloth clothing coal corn firewood flour fish
        food fruit gold grain hay help honey information iron jewelry leather meat medicine milk money oil ore
        rice salt silk silver steel sugar tea timber tobacco treasure water wheat wine wood wool
    """,
    "pronoun": "he her him i it me she they them there we you no not yes very",
    "after a verb": """
        about after again against alone always at away back badly before behind by down early for from here in
        into late never now of off often on once out over soon still that then through to today together
        tonight under up well when where while with without yesterday
    """,
    "like a verb": "earring king ring rings rose saw shed sling string wedding wing",
    "of things too": """
        beaten bent bitten broken burnt cast chosen cut drunk fallen felt forbidden forgotten frozen hidden
        left lost shed spilt split spun stolen sunken sworn torn woven worn written
    """,
    "object": "her him it me them us you",
    "within": "a an the my your his her its our their",
}
(_UNCOUNTED, _PRONOUNS, _AFTER_VERBS, _NOUNS_TOO, _OF_THINGS_TOO, _OBJECTS, _ARTICLES) = (
    frozenset(words.split()) for words in _WORDS.values()
)
"""Things that have no "a"; what is no thing; what goes on after a verb; nouns that look like a verb; pasts
that also stand before a thing: "left glove"; to whom something is done; what
stands in no thing.
"""
_CLAUSE = lazy_pattern(r" (?:is|are|was|were|has|had|did)(?:n't)? ")
_ADVERB = lazy_pattern(r"(?!family$)[a-z]{4,}ly$")
_VERB_ALONE = lazy_pattern(r"(?: about| at| for| on| to help with| with)? ?:? ?\{a?\}")
_PLURAL = lazy_pattern(r"[^isu]s$")
_OPEN_SOUND = lazy_pattern(r"(?!uni|use|eu|one\b)[aeiou]|hour|honest|heir")


def deed_of(action_type: str, text: str) -> str:
    """Return what the player did where a text lacks the verb of an action, or "" for any other text."""
    words = action_type.replace("_", " ")
    is_verb = begins_with_deed(action_type)
    deed = f"{words} {{a}}" if is_verb else _DEED_OF_TYPE.get(action_type.casefold(), "")
    first, _, rest = text.partition(" ")
    thing, is_bare = _thing(text)
    is_of_a_thing_too = first in _OF_THINGS_TOO and bool(deed and thing and rest)
    if begins_with_deed(text) and text not in _NOUNS_TOO and not is_of_a_thing_too:
        return ""
    is_talk = first != "of" or deed.startswith("talked") or is_verb
    if deed and is_talk and (first in _AFTER_VERBS or _ADVERB.match(first)) and not begins_with_deed(rest):
        return f"{_VERB_ALONE.sub('', deed)} {text}"
    if not thing and first in _OBJECTS and (is_verb or deed.count(" ") == 1):
        return f"{_VERB_ALONE.sub('', deed)} {text}"
    if not thing and deed == _PROMISE and first not in _PRONOUNS and _is_after_a_verb(first, rest):
        return f"promised to {text}"
    if not thing and (first in _PRONOUNS or not is_talk):
        return f"did this ({words}): {text}"
    deed = deed or f"did this ({words}): {{}}"
    with_article = _with_article(thing) if is_bare else thing
    return deed.replace("{a}", with_article).replace("{}", thing) if thing else ""


def _is_after_a_verb(first: str, rest: str) -> bool:
    """Return True if a first word is a verb, as in "fix the roof" or "bring Mira a rose"."""
    return first.islower() and (
        first in BASE_VERBS or bool(_DETERMINED.match(rest)) or rest.partition(" ")[0] in _OBJECTS
    )


def is_of_a_thing(text: str) -> bool:
    """Return True if a text begins with a thing, and so goes on with no deed of the player."""
    return _DETERMINED.match(text) is not None


def _thing(text: str) -> tuple[str, bool]:
    """The text or id if it names something or somebody and says no more, else ""; and whether it is bare:
    nothing before it says which one.
    """
    if "_" in text and " " not in text:
        return text.replace("_", " ").strip(), True
    lower = text[:1].lower() + text[1:]
    if _DETERMINED.match(lower):
        return "" if _CLAUSE.search(text) else lower, False
    if _NAME.match(text):
        return "" if _is_verb(text.split()[0].lower()) else text, False
    match = _THING.match(text)
    named = match[1].split() if match else []
    if not named or not _ARTICLES.isdisjoint(named) or (named[0] in _OF_THINGS_TOO and len(named) == 1):
        return "", False
    if any(
        (_is_verb(word) and (place or word not in _OF_THINGS_TOO)) or word in _AFTER_VERBS | _PRONOUNS
        for place, word in enumerate(named)
    ):
        return "", False
    return text, True


def _is_verb(word: str) -> bool:
    return word not in _NOUNS_TOO and (word.endswith("ing") or begins_with_deed(word))


def _with_article(thing: str) -> str:
    match = _THING.match(thing)
    head = match[1].split()[-1] if match else ""
    if not head or head in _UNCOUNTED or _PLURAL.search(head):
        return thing
    return f"{'an' if _OPEN_SOUND.match(thing) else 'a'} {thing}"
