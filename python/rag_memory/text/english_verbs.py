"""Base forms of English words: "stole" and "stolen" are "steal", which no rule about endings tells."""

from __future__ import annotations

import functools

from rag_memory.text.terms import stem

_IRREGULAR_VERBS = """
    awake awoke awoken; bear bore borne born; beat beat beaten; become became become; begin began begun;
    bend bent bent; bet bet bet; bind bound bound; bite bit bitten; bleed bled bled; blow blew blown;
    break broke broken; breed bred bred; bring brought brought; build built built; burn burnt burnt;
    burst burst burst; buy bought bought; cast cast cast; catch caught caught; choose chose chosen;
    cling clung clung; come came come; cost cost cost; creep crept crept; cut cut cut; deal dealt dealt;
    dig dug dug; draw drew drawn; dream dreamt dreamt; drink drank drunk; drive drove driven;
    eat ate eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought; find found found;
    flee fled fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
    forgive forgave forgiven; forsake forsook forsaken; freeze froze frozen; get got gotten;
    give gave given; go went gone; grind ground ground; grow grew grown; hang hung hung; hear heard heard;
    hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept; kneel knelt knelt;
    know knew known; lay laid laid; lead led led; leap leapt leapt; learn learnt learnt; leave left left;
    lend lent lent; let let let; lose lost lost; make made made; mean meant meant; meet met met;
    pay paid paid; put put put; quit quit quit; read read read; ride rode ridden; ring rang rung;
    rise rose risen; run ran run; say said said; see saw seen; seek sought sought; sell sold sold;
    send sent sent; set set set; sew sewed sewn; shake shook shaken; shed shed shed; shine shone shone;
    shoot shot shot; show showed shown; shrink shrank shrunk; shut shut shut; sing sang sung;
    sink sank sunk; sit sat sat; slay slew slain; sleep slept slept; slide slid slid; speak spoke spoken;
    spend spent spent; spill spilt spilt; spin spun spun; spit spat spat; split split split;
    spread spread spread; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck;
    sting stung stung; stink stank stunk; strike struck struck; strive strove striven; swear swore sworn;
    sweep swept swept; swell swelled swollen; swim swam swum; swing swung swung; take took taken;
    teach taught taught; tear tore torn; tell told told; think thought thought; throw threw thrown;
    tread trod trodden; wake woke woken; wear wore worn; weave wove woven; weep wept wept; win won won;
    wind wound wound; withdraw withdrew withdrawn; write wrote written
"""
_UNCLEAR = frozenset({"bore", "bound", "found", "ground", "left", "lay", "rose", "saw", "wound"})
"""Pasts that are also words of their own; only those below are read as pasts all the same."""
_MOSTLY_PASTS = frozenset({"found", "left", "rose", "saw"})
_IRREGULAR_NOUNS = {
    "children": "child",
    "feet": "foot",
    "geese": "goose",
    "knives": "knife",
    "loaves": "loaf",
    "men": "man",
    "mice": "mouse",
    "teeth": "tooth",
    "thieves": "thief",
    "wives": "wife",
    "wolves": "wolf",
    "women": "woman",
}


def _forms() -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    bases: dict[str, str] = {}
    pasts: set[str] = set()
    verbs: set[str] = set()
    for entry in _IRREGULAR_VERBS.split(";"):
        base, *forms = entry.split()
        verbs.add(base)
        for form in forms:
            if form in _UNCLEAR and form not in _MOSTLY_PASTS:
                continue
            bases[form] = base
            pasts.add(form)
    return bases, frozenset(pasts), frozenset(verbs)


_BASES, PASTS, BASE_VERBS = _forms()
"""PASTS: pasts and participles of irregular verbs. BASE_VERBS: their base forms."""


@functools.lru_cache(16384)
def base_term(word: str) -> str:
    """The stem of a lower-case word, the same for all forms of an irregular verb or noun."""
    return stem(_BASES.get(word) or _IRREGULAR_NOUNS.get(word) or word)
