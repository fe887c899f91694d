"""Words around the names of people: titles, family, what people do, and where only places stand."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    "lord lady sir madam mister mr mrs ms miss master mistress captain elder chief chieftain king "
    "queen prince princess father mother brother sister aunt uncle grandfather grandmother mayor "
    "lieutenant sergeant colonel doctor professor duke duchess baron baroness count countess earl "
    "jarl emperor empress saint dame nurse commander dr herr frau fräulein pfarrer bruder schwester "
    "onkel tante meister monsieur madame père mère frère sœur дядя тётя дед бабушка old young poor "
    "dear"
)
"""Words before a person's name."""
KIN = _words(
    "wife husband son daughter father mother brother sister uncle aunt nephew niece cousin "
    "grandmother grandfather friend lover fiance fiancee twin widow fiancé fiancée partner bruder "
    "schwester onkel tante vater mutter tochter sohn mann frère sœur oncle père mère fils fille mari "
    "femme cousine брат сестра дядя тётя отец мать дочь сын муж жена"
)
ROLES = KIN | _words(
    "apprentice neighbour neighbor smith blacksmith miller baker butcher tailor weaver carpenter "
    "innkeeper barkeep barman merchant trader farmer hunter fisherman shepherd priest priestess monk "
    "nun healer midwife guard soldier sailor mayor captain servant knight thief witch wizard man "
    "woman boy girl stranger bard inspector inspecteur docteur capitaine marchand forgeron händler "
    "schmied müller hauptmann купец кузнец"
)
"""What people are to others, and what they do. A person stands after one of them."""
PLACE_WORDS = _words(
    "farm mill crossing road river street lane inn tavern bridge forest wood woods hill hills hollow "
    "castle tower gate lake mountain mountains valley village town city bay port harbour harbor sea "
    "coast keep hall square market mine ford temple chapel church pass peak marsh moor field fields "
    "guild legion company order house brotherhood clan tribe era empire kingdom college school fort "
    "island isle islands station park mansion war army council court day festival kettle anchor"
)
"""Last words of the names of places, groups and times."""
ARTICLES = _words("the a an my your his her our their its this these those some any no every each new")
PLACES = _words("in at near into onto towards toward inside outside beyond across around above of throughout")
PERSONS_DO = _words(
    "accuse admire adore apologise apologize argue bake bargain beg betray blame brew cheat complain "
    "confess court curse dance despise dislike drink envy flirt flee forge forgive fear gamble gossip "
    "greet grumble hate insult invite joke kiss laugh lie like love marry mock murder owe paint pray "
    "promise quarrel rant rob scold sew shout sing smile smuggle speak steal swear talk teach tease "
    "thank threaten trust vow warn weep whisper wink worry write tell say ask give drag own"
)
"""Verbs that hardly anything but a person does; all their forms are made from them."""
PERSONS_MEET = _words(
    "accuse admire adore ask assure beat blame bribe console court envy forgive greet hug insult "
    "invite kill kiss marry meet mock murder owe rescue rob see tell thank threaten trust warn find "
    "help heal wake protect"
)
"""Verbs whose object is hardly anything but a person."""
BEFORE_NAMES = _words(
    "avoid bring call find follow get give guard heal hear help hide join leave pay protect save seek "
    "send show spare stop take wake watch"
)
"""More words that open a sentence before a name: "Bring Gregor the ale"."""
_PASTS = {
    "beat": "beat",
    "beg": "begged",
    "drag": "dragged",
    "drink": "drank",
    "flee": "fled",
    "forgive": "forgave",
    "give": "gave",
    "hug": "hugged",
    "lie": "lied",
    "meet": "met",
    "rob": "robbed",
    "say": "said",
    "see": "saw",
    "sing": "sang",
    "speak": "spoke",
    "steal": "stole",
    "swear": "swore",
    "teach": "taught",
    "tell": "told",
    "weep": "wept",
    "write": "wrote",
}


def forms_of(verb: str) -> tuple[str, str]:
    """A verb as it stands after a name: sings, sang."""
    stem = verb[:-1] if verb.endswith("y") and verb[-2] not in "aeiou" else verb
    ends_in_y = stem != verb
    third = stem + ("ies" if ends_in_y else "es" if verb.endswith(("s", "x", "sh", "ch")) else "s")
    past = stem + ("ied" if ends_in_y else "d" if verb.endswith("e") else "ed")
    return third, _PASTS.get(verb, past)
