"""What happens in a simulated play: whom the player meets, what is said and done, when the game is saved and
loaded, and what is asked about it later. The same story for the same seed.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

SECONDS_PER_HOUR = 3600.0
VILLAGERS = ("gregor", "elena", "mira", "bjorn", "aldric", "mathias", "varn")
PEOPLE = (
    *(
        "Agnes",
        "Bertram",
        "Corwin",
        "Dagny",
        "Edric",
        "Frida",
        "Gunther",
        "Hedda",
        "Ivo",
        "Jolanda",
        "Kasimir",
    ),
    *(
        "Liselotte",
        "Magnus",
        "Nerys",
        "Oswin",
        "Petra",
        "Quentin",
        "Ragna",
        "Sven",
        "Thora",
        "Ulric",
        "Vesna",
    ),
    *("Wendel", "Xenia", "Yorick", "Zelda", "Anselm", "Brunhild", "Clemens", "Dorothea", "Emeric", "Fenja"),
    *("Gerlinde", "Hartmut", "Irmgard", "Jasper", "Klothilde", "Lothar", "Melisande", "Norbert"),
)
PLACES = (
    *("the mill", "the harbour", "the chapel", "the north gate", "the apiary", "the ferry landing"),
    *("the orchard", "the tithe barn", "the watchtower", "the tannery", "the quarry", "the herb garden"),
    *("the gallows hill", "the charcoal huts", "the sunken road", "the salt cellar", "the fish market"),
    *("the old graveyard", "the vineyard", "the smugglers' cave", "the toll bridge", "the brewery"),
    *("the flooded mine", "the sheep pasture", "the ruined abbey", "the lime kiln", "the ropewalk"),
    *("the windmill ridge", "the leper house", "the beacon tower"),
)
THINGS = (
    *(
        "a silver ring",
        "a sack of barley",
        "a sealed letter",
        "a lame mare",
        "a brass lantern",
        "a rusted key",
    ),
    *("three jars of honey", "a map of the marshes", "a wedding dress", "a keg of cider", "a broken oar"),
    *(
        "a hunting horn",
        "a wooden knight",
        "forty crowns",
        "a fishing net",
        "a book of hymns",
        "a bag of seed",
    ),
    *("a bone-handled dagger", "a cracked bell", "a blue cloak", "a bundle of furs", "a clay pipe"),
    *("a cask of nails", "a velvet purse", "a whetstone", "a copper kettle", "a falcon's hood", "a loom"),
)


class _Kind(NamedTuple):
    """One kind of event: what the player says, what the answer reports, and what is asked about it later."""

    weight: int
    line: str
    analysis: dict[str, Any]
    question: str


_TALK = "casual_conversation"
_KINDS = {
    "talk": _Kind(
        50,
        "{person} told me about {thing} that turned up near {place}. What do you make of it?",
        {"interaction_type": _TALK, "trust_change": 1, "player_tone": "curious"},
        "What was it that {person} said had been found close to {place}?",
    ),
    "gift": _Kind(
        8,
        "I brought you {thing} from {place}. {person} helped me carry it.",
        {
            "interaction_type": "gift_given",
            "affection_change": 4,
            "gift": "{thing}, carried from {place} with {person}",
        },
        "Do you still have what {person} and I carried to you from {place}?",
    ),
    "promise_made": _Kind(
        10,
        "I promise you that I will bring {thing} to {person} at {place}.",
        {
            "interaction_type": _TALK,
            "trust_change": 3,
            "promise_made": "to bring {thing} to {person} at {place}",
        },
        "What did I swear to do for {person} at {place}?",
    ),
    "promise_kept": _Kind(
        5,
        "I kept my word: {person} has {thing} now, I left it at {place}.",
        {"interaction_type": "quest_related", "trust_change": 6, "emotional_impact": "grateful"},
        "Did {person} ever get what I had to leave at {place}?",
    ),
    "promise_broken": _Kind(
        4,
        "I did not bring {thing} to {person}. I sold it at {place}.",
        {
            "interaction_type": "betrayal",
            "trust_change": -15,
            "promise_broken": "{thing} for {person} was sold at {place}",
        },
        "Why are you angry about {person} and what I sold at {place}?",
    ),
    "betrayal": _Kind(
        2,
        "The player told the bandits that {person} keeps {thing} at {place}.",
        {},
        "Who betrayed {person}, and what was hidden at {place}?",
    ),
    "witness": _Kind(
        15,
        "{person} dragged {thing} behind {place} and buried it there.",
        {},
        "What did you see {person} do behind {place}?",
    ),
    "rumor": _Kind(
        6,
        "{villager} owes {person} a favour for {thing}, since the night at {place}.",
        {},
        "What happened between {person} and one of the village, that night at {place}?",
    ),
}
_REPLIES = (
    *(
        "[thoughtful] I would not trust that too far.",
        "[warmly] You did well to tell me.",
        "[curtly] I have work.",
    ),
    *("[quietly] Not here. Somebody may listen.", "[amused] Stranger things have happened here."),
)


class _Event(NamedTuple):
    """An event that a question may be about."""

    tag: int
    npc: str
    kind: str
    person: str
    place: str


class Story:
    """The steps of a play in order, dictionaries that bench/measurement/play.gd carries out.

    Saves are loaded again now and then: what was played since then is undone, and something else happens.
    """

    def __init__(self, seed: int, interactions: int, hours: float, questions: int) -> None:
        self._source = random.Random(f"story {seed}")
        self._seconds = hours * 24 * SECONDS_PER_HOUR / interactions  # a day in the game for an hour of play
        self._now = 0.0
        self._past: list[_Event] = []
        self.counts: Counter[str] = Counter()
        self.steps: list[dict[str, Any]] = []
        self._play(interactions, questions)

    def _play(self, interactions: int, questions: int) -> None:
        between_saves = max(20, interactions // 25)
        ask_at = {interactions * (number + 1) // questions for number in range(questions)}
        undone_at, saved, saved_at = 0, list[_Event](), 0.0
        for number in range(1, interactions + 1):
            self._now += self._seconds * self._source.uniform(0.5, 1.5)
            self._interact(number)
            if number % between_saves == 0:
                saved, saved_at = list(self._past), self._now
                self._step("save", slot=f"slot {number}")
                if self._source.random() < 0.6:
                    undone_at = number + self._source.randint(5, between_saves - 1)
            elif number == undone_at:
                # What the player asks now must know nothing of what happens after the save.
                how = self._source.choice(("restore", "rollback"))
                self._past, self._now = saved, saved_at
                self._step("load", how=how)
            if number in ask_at:
                self._ask()

    def _interact(self, tag: int) -> None:
        source = self._source
        name = source.choices(list(_KINDS), [kind.weight for kind in _KINDS.values()])[0]
        kind = _KINDS[name]
        npc, villager = source.sample(VILLAGERS, 2)
        words = {
            "person": source.choice(PEOPLE),
            "place": source.choice(PLACES),
            "thing": source.choice(THINGS),
            "villager": villager.capitalize(),
        }
        line = kind.line.format(**words)
        line = line[0].upper() + line[1:]
        step: dict[str, Any] = {"npc": npc, "tag": tag, "line": line, "kind": name}
        if kind.analysis:
            analysis = {
                key: value.format(**words) if isinstance(value, str) else value
                for key, value in kind.analysis.items()
            }
            step["answer"] = {"response": source.choice(_REPLIES), "analysis": analysis}
        if name == "rumor":
            step["about"] = villager
        self._step("interact", **step)
        self._past.append(_Event(tag, npc, name, words["person"], words["place"]))

    def _ask(self) -> None:
        """Ask for something that only one memory of this NPC can answer."""
        occurrences = Counter((event.npc, event.person, event.place) for event in self._past)
        clear = [event for event in self._past if occurrences[event.npc, event.person, event.place] == 1]
        event = self._source.choice(clear)
        question = _KINDS[event.kind].question.format(person=event.person, place=event.place)
        self._step("ask", npc=event.npc, tag=event.tag, kind=event.kind, question=question)

    def _step(self, do: str, **values: Any) -> None:
        self.counts[values.get("kind", do) if do == "interact" else do] += 1
        self.steps.append({"do": do, "time": self._now, **values})
