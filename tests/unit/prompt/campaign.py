"""A campaign of a whole game: 40 characters of 6 factions, and questions whose answers are known.

What matters is told below by hand. Around it lie as many events, memories and pages of lore as are asked for,
about the same people and places and of the same kinds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.unit.world.test_world_event_visibility import DAY, Oracle, Told

from rag_memory import Save
from rag_memory.text.file_text import FileText

TODAY = 200.5
NAMES = (
    *("Aldous", "Berwin", "Corvin", "Dagny", "Edric", "Freya", "Gorm", "Hesper", "Ivo", "Jorund"),
    *("Kestrel", "Lothar", "Mirelle", "Nadia", "Osric", "Petra", "Quill", "Roswitha", "Sander", "Tilda"),
    *("Ulric", "Vanya", "Wulf", "Xenia", "Yorick", "Zelda", "Ansgar", "Brida", "Conrad", "Dorte"),
    *("Elke", "Folkmar", "Gisela", "Hanno", "Irmgard", "Jasper", "Kunigunde", "Leif", "Marten", "Norea"),
)
FACTIONS = ("Veldra", "River League", "Ashmark", "Thornfolk", "Lantern Order", "Saltguild")
PLACES = (
    *("Hallowmere", "Dunmoor", "Eastwatch", "Cinderford", "Saltquay", "Brackwater", "Highfell"),
    *("Thornwick", "Lanternhill", "Greyabbey", "Oxbow", "Redpass"),
)
CLANS = ("Harrow", "Voss", "Tarn", "Brand", "Ilmen", "Sorrel", "Keld", "Moray")
CULTURES = ("Veldran", "Fenfolk", "Highlander", "Islander")
TRADES = ("lord", "baker", "smith", "healer", "captain", "ferryman", "scribe", "widow", "hunter", "priest")


class Character(NamedTuple):
    """Where somebody lives and to whom she belongs."""

    id: str
    name: str
    location: str
    faction: str


CAST = tuple(
    Character(name.lower(), name, PLACES[place * 5 % len(PLACES)], FACTIONS[place % len(FACTIONS)])
    for place, name in enumerate(NAMES)
)


class Question(NamedTuple):
    """What somebody is asked, and what has to be in a section of her dossier: an id or, where ids are made by
    the addon, words.
    """

    section: str
    asked: str
    npc: str
    right: str


_EVENTS: Sequence[tuple[str, str, dict[str, Any]]] = (
    ("The stone bridge at Cinderford collapsed in the spring flood and two carters drowned.",
     "Can I still cross the river at Cinderford?",
     {"visibility": "local", "location": "Cinderford", "importance": 7, "day": 196}),
    ("The daughter of Aldous will marry the son of the guildmaster of Saltquay at midsummer.",
     "Is there a wedding coming among the great houses?",
     {"visibility": "global", "actor": "aldous", "importance": 6, "day": 180}),
    ("Mirelle put nightshade into the wine of Corvin, who lay sick for nine days.",
     "Did somebody try to poison Corvin?",
     {"visibility": "private", "actor": "mirelle", "target": "corvin", "importance": 9, "day": 150}),
    ("Miners of Ashmark struck a new vein of silver under Highfell and keep it hidden.",
     "How has Ashmark become so rich of late?",
     {"visibility": "faction", "actor_faction": "Ashmark", "importance": 8, "day": 140}),
    ("Wolves took eleven lambs from the fold behind the mill at Oxbow.",
     "What has happened to the sheep here?",
     {"visibility": "local", "location": "Oxbow", "importance": 4, "day": 199}),
    ("The River League closed its tolls to all ships that carry salt.",
     "Why do the merchants complain about the tolls?",
     {"visibility": "global", "actor_faction": "River League", "importance": 6, "day": 188}),
    ("A two-headed calf was born in Thornwick, and the priest had it burned.",
     "Have you heard of any strange omens?",
     {"visibility": "rumor", "location": "Thornwick", "importance": 3, "day": 170,
      "rumor": ("Greyabbey", "River League")}),
    ("The abbot of Greyabbey fled by night with the silver chalice.",
     "What became of the abbot?",
     {"visibility": "rumor", "location": "Greyabbey", "importance": 6, "day": 175,
     "rumor": ("Lantern Order",)}),
    ("Yorick and Zelda were married in secret at the old shrine.",
     "Is Zelda married?",
     {"visibility": "private", "actor": "yorick", "target": "zelda", "known_by": ["brida"], "importance": 6,
      "day": 120}),
    ("Captain Osric lost forty men in an ambush at Redpass.",
     "How did the fighting in the mountains go?",
     {"visibility": "global", "actor": "osric", "location": "Redpass", "importance": 8, "day": 130}),
    ("A plague of boils closed the harbour of Brackwater for a month.",
     "Is there a sickness in Brackwater?",
     {"visibility": "global", "location": "Brackwater", "importance": 7, "day": 110}),
    ("The Lantern Order decided to let the beacon on Lanternhill go dark on the first of autumn.",
     "What will become of the beacon?",
     {"visibility": "faction", "actor_faction": "Lantern Order", "importance": 7, "day": 193}),
    ("Gorm pawned his father's sword to the Saltguild to pay his gambling debts.",
     "Where is the sword that Gorm used to wear?",
     {"visibility": "private", "actor": "gorm", "known_by": ["sander", "tilda"], "importance": 5,
     "day": 160}),
    ("A merchant from over the sea opened a shop for spices in Saltquay.",
     "Where can I buy pepper and cinnamon?",
     {"visibility": "local", "location": "Saltquay", "importance": 3, "day": 100}),
    ("The granary of Dunmoor burned down, and with it the seed for the next year.",
     "Why is bread so dear in Dunmoor?",
     {"visibility": "local", "location": "Dunmoor", "importance": 8, "day": 185}),
    ("Thornfolk scouts counted the guards on the walls of Eastwatch and plan to climb them at new moon.",
     "What do the Thornfolk intend at Eastwatch?",
     {"visibility": "faction", "actor_faction": "Thornfolk", "importance": 9, "day": 198}),
    ("Petra found the lost hymnal of Saint Orla below the altar.",
     "Has anybody ever found the book of Saint Orla?",
     {"visibility": "private", "actor": "petra", "known_by": ["quill", "ivo"], "importance": 7, "day": 90}),
    ("The queen mother died in her sleep, and the bells rang for three days.",
     "Why did the bells ring for so long?",
     {"visibility": "global", "importance": 9, "day": 60}),
    ("A bear has moved into the cave above Hallowmere.",
     "Is it safe to walk in the hills above Hallowmere?",
     {"visibility": "local", "location": "Hallowmere", "importance": 4, "day": 199}),
    ("The Saltguild hired Leif to forge the seal of the River League.",
     "Who makes false seals?",
     {"visibility": "private", "actor": "leif", "actor_faction": "Saltguild", "known_by": ["marten"],
      "importance": 8, "day": 145}),
    ("Ships with black sails were seen off Brackwater.",
     "Have you heard of pirates?",
     {"visibility": "rumor", "location": "Brackwater", "importance": 6, "day": 190,
      "rumor": ("Saltquay", "Saltguild")}),
    ("Hesper won the archery contest at Lanternhill with a borrowed bow.",
     "Who is the best archer?",
     {"visibility": "global", "actor": "hesper", "location": "Lanternhill", "importance": 4, "day": 165}),
)  # fmt: skip
_EXPIRED: Sequence[tuple[str, str]] = (
    ("A market with half prices is held in Hallowmere.", "Where is a market with good prices?"),
    ("The pass at Redpass is closed by snow.", "Is the pass at Redpass open?"),
    ("A curfew holds in Saltquay after dark.", "May I walk in Saltquay at night?"),
)
_MEMORIES: Sequence[tuple[str, str, int, str]] = (
    ("dagny", "The player pulled my little brother out of the frozen lake.", 9,
     "Do you remember your brother?"),
    ("edric", "I am afraid of deep water since my boat turned over.", 6, "Would you come with me on a ship?"),
    ("freya", "The player broke my grandmother's loom and laughed.", 7, "Are you still angry with me?"),
    ("ivo", "I hid the spare key of the crypt under the third step.", 7, "How do I get into the crypt?"),
    ("jorund", "My knee hurts whenever rain comes.", 3, "Will the weather change?"),
    ("kestrel", "The player prefers white wine to ale.", 4, "What would you pour me to drink?"),
    ("lothar", "Nadia beats me at chess every winter.", 4, "Do you play any games?"),
    ("nadia", "The player asked me to teach them to read.", 6, "When do we begin with the lessons?"),
    ("quill", "A stranger paid me gold for a map of the sewers.", 8,
     "Has anybody asked for plans of the city?"),
    ("sander", "Tilda owes me six barrels of herring.", 5, "Does anybody owe you something?"),
    ("tilda", "I saw Wulf bury a chest behind the tannery.", 8, "Is there treasure somewhere?"),
    ("ulric", "The healer told me to eat no salt.", 4, "Shall we share this salted ham?"),
    ("wulf", "The player knows that I deserted from the army.", 9, "Were you ever a soldier?"),
    ("xenia", "My twins were born on the night of the great storm.", 8, "Do you have children?"),
)  # fmt: skip
_TASKS: Sequence[tuple[str, str, str, str]] = (
    ("osric", "player", "Escort the grain wagons from Oxbow to Dunmoor.", "What about the wagons?"),
    ("petra", "aldous", "Copy the treaty with the River League in three languages.",
     "What are you working on?"),
    ("gorm", "hesper", "Find out who sells arrows to the Thornfolk.", "Where do the Thornfolk get arrows?"),
    ("roswitha", "player", "Brew a cure for the boils of Brackwater.", "Is the medicine ready?"),
    ("conrad", "dorte", "Carve a cradle from the old oak.", "What do you do with that wood?"),
)  # fmt: skip
_DEBATES: Sequence[tuple[str, Sequence[str], str, str, str]] = (
    ("a tax on hearths", ("aldous", "gorm", "marten"), "Gorm said that the poor would freeze.",
     "The hearth tax was put off until spring.", "Will we have to pay more taxes?"),
    ("whether to let the fen people settle at Oxbow", ("ivo", "ulric"), "Ulric fears for the grazing rights.",
     "They may settle for one summer.", "May strangers build houses at Oxbow?"),
    ("the heir of Highfell", ("corvin", "irmgard", "elke"), "Two cousins claim the seat.",
     "The elder cousin takes the seat, the younger the mines.", "Who inherits Highfell?"),
    ("burning the witch books", ("petra", "hanno"), "Hanno called them dangerous.",
     "The books are kept, in chains.", "Do you still have those forbidden writings?"),
)  # fmt: skip
_SAID: Sequence[tuple[str, str, str, str, str]] = (
    ("vanya", "I promise to bring you the eye of the basilisk.", "We shall see.", "eye of the basilisk",
     "I have come back from the hunt. Did I owe you something?"),
    ("yorick", "My name is Theron.", "Well met.", "Theron", "Do you know who I am?"),
    ("zelda", "I will travel to Redpass next week.", "Safe travels.", "Redpass", "Where did I want to go?"),
    ("ansgar", "Here, take this silver comb as a gift.", "How kind!", "silver comb",
     "Did I ever give you anything?"),
    ("brida", "I live near the old mill.", "Good to know.", "old mill", "Do you know where to find me?"),
)  # fmt: skip
_LORE: Sequence[tuple[str, str, str]] = (
    ("The Oath of the Ford",
     "Every lord of Ashmark swears on a river stone. Whoever breaks the oath loses his "
     "land to the nearest widow.", "What happens to a lord who breaks his word?"),
    ("Fen burials", "The Fenfolk sink their dead in the bog with a stone in each hand, so they stay.",
     "How do people in the marshes treat their dead?"),
    ("The coin of Veldra", "Sixteen copper bits make one silver crown. Gold is struck only at a coronation.",
     "How much is a silver crown worth?"),
    ("The founding of Saltquay",
     "Seven exiled sisters founded Saltquay after the great drought. Their statues "
     "look out to sea.", "Who founded Saltquay?"),
    ("Lantern vows", "A brother of the Lantern Order may own nothing but a lamp, a knife and a cup.",
     "What may a monk of the Lantern Order own?"),
    ("The beast of Highfell", "The beast fears the smell of burnt juniper and never crosses running water.",
     "How can I drive off the monster in the hills?"),
    ("Highland hospitality", "Who has eaten bread and salt under a roof of the Highlanders may not be harmed "
     "until the third sunrise.", "Am I safe as a guest with the Highlanders?"),
    ("The Thorn War",
     "The war began over a stolen bride and ended when both kings drowned in the same ferry.",
     "Why was there a war with the Thornfolk?"),
    ("Moonwort", "Moonwort grows only on graves, and stills bleeding within an hour.",
     "Which herb helps against bleeding?"),
    ("The blind judges", "The judges of Greyabbey wear blindfolds, so that they do not see who is rich.",
     "Who speaks justice here, and how?"),
    ("The tide bells", "At Brackwater a bell of glass rings by itself when the tide turns.",
     "How do sailors know when the water turns?"),
    ("The winter king",
     "On the longest night the youngest child of a village is king and may free one prisoner.",
     "Can a prisoner be freed at the winter feast?"),
)  # fmt: skip
_HAPPENINGS = (
    "{who} quarrelled with {other} about {thing} at {place}.", "{who} came back to {place} with {thing}.",
    "Raiders from {place} stole {thing} from {who}.", "{who} sold {thing} to {other} in {place}.",
    "The council of {place} fined {who} because of {thing}.", "{who} was seen with {thing} near {place}.",
    "A fire in {place} destroyed {thing} of {who}.", "{who} fell ill in {place} and left {thing} to {other}.",
    "{who} promised {other} {thing} before the harvest.", "The guards of {place} searched {who} for {thing}.",
    "Heavy rain flooded {place} and carried away {thing}.",
    "{who} and {other} hunted for {thing} around {place}.",
    "The price of {thing} has doubled in {place}.", "{who} married a cousin of {other} in {place}.",
)  # fmt: skip
_THINGS = (
    "a lame mare", "forty crowns", "a bronze bell", "the tithe", "a sealed letter", "six oxen",
    "a fishing boat",
    "a bag of seed", "the mill wheel", "two hounds", "a barrel of tar", "an old map", "the guild banner",
    "a wedding ring", "the best wine", "a load of timber", "a stolen chalice", "a book of songs",
    "salted meat",
    "the ferry rope", "a bow of yew", "a chest of silver", "arrows", "a cloak of wolf fur", "herbs",
    "a cradle",
)  # fmt: skip
_SCHOLARS = (
    "In the {number} year {place} was ruled by {who} the {word}, who raised {thing} above all else.",
    "The people of {place} say that {thing} brings {word} luck, and {who} believed it.",
    "{who} of {place} wrote {number} letters about {thing}, of which a {word} one remains.",
    "Old songs of {place} praise {who} for {thing} and for a {word} death.",
    "Since then no {word} guest has left {place} without {thing}, as {who} ordained.",
    "A {word} stone near {place} shows {who} with {thing}, carved {number} winters ago.",
)
_WORDS = (
    "grim",
    "silent",
    "merry",
    "bitter",
    "golden",
    "lonely",
    "proud",
    "humble",
    "crooked",
    "pale",
    "third",
)


class Campaign:
    """A save that was told of the campaign, the oracle of its events, and the questions.

    Args:
        events, memories: how many of either, besides those that are asked for; memories of each NPC.
        lore: of as many words is made, unless `book` is a text with headings of the second level.
    """

    def __init__(self, save: Save, events: int, memories: int, lore: int, book: str = "") -> None:
        self.save = save
        self.oracle = Oracle()
        self.secrets: dict[str, str] = {}
        """Texts of events that a character may not know, by ID."""
        self.parties: dict[str, tuple[str, str]] = {}
        """Participants of tasks, by ID."""
        self.questions: list[Question] = []
        self._dice = random.Random(20)
        for place, each in enumerate(CAST):
            save.world.characters.register_character(
                each.id,
                {
                    "name": each.name,
                    "location": each.location,
                    "faction": each.faction,
                    "clan": CLANS[place % len(CLANS)],
                    "culture": CULTURES[place % len(CULTURES)],
                    "occupation": TRADES[place % len(TRADES)],
                },
            )
            self.oracle.moves.append(Told(0.0, each.id, each.location))
            self.oracle.oaths.append(Told(0.0, each.id, each.faction))
        self._tell_events(events)
        self._tell_memories(memories)
        self._tell_people()
        save.world.lore.import_lore(FileText(self._lore(lore, book)), {"key": "chronicle"})

    def known(self, npc_id: str) -> set[str]:
        """The events that an NPC can know of."""
        return self.oracle.known(npc_id, TODAY * DAY)

    def _tell_events(self, count: int) -> None:
        told = [
            {"id": f"key_{number}", "summary": summary, **event}
            for number, (summary, _, event) in enumerate(_EVENTS)
        ]
        told += [
            {"id": f"over_{number}", "summary": summary, "day": 150, "expires_day": 190, "importance": 8}
            for number, (summary, _) in enumerate(_EXPIRED)
        ]
        told += [self._filler(number) for number in range(count)]
        self._dice.shuffle(told)
        rumors = {event["id"]: event.pop("rumor", ()) for event in told}
        self.save.world.events.record_events(told)
        for event in told:
            for role in ("actor", "target"):
                faction = next((each.faction for each in CAST if each.id == event.get(role)), "")
                event.setdefault(f"{role}_faction", faction)
            self.oracle.events[event["id"]] = [(event["day"] * DAY, event["day"] * DAY, event)]
            self.secrets[event["id"]] = event["summary"]
        for id, heard in rumors.items():
            for to in heard:
                self.save.world.rumors.spread_rumor(id, to)
                for each in CAST:
                    if to in (each.id, each.location, each.faction):
                        self.oracle.heard[each.id, id].append((0.0, 0.5))
        for number, (_, asked, _) in enumerate(_EVENTS):
            id = f"key_{number}"
            able = [each.id for each in CAST if id in self.known(each.id)]
            for npc in self._dice.sample(able, min(2, len(able))):
                self.questions.append(Question("events", asked, npc, id))

    def _filler(self, number: int) -> dict[str, Any]:
        dice = self._dice
        who, other = dice.sample(CAST, 2)
        place = dice.choice(PLACES)
        visibility = dice.choice(("private", "local", "faction", "global", "global", "rumor"))
        event: dict[str, Any] = {
            "id": f"event_{number}",
            "summary": self._told(_HAPPENINGS, who.name, other.name, place),
            "actor": who.id,
            "location": place,
            "visibility": visibility,
            "importance": dice.randint(1, 8),
            "day": round(dice.random() * 199, 2),
            "known_by": [each.id for each in dice.sample(CAST, dice.choice((0, 0, 0, 2)))],
        }
        if dice.random() < 0.1:
            event["expires_day"] = event["day"] + dice.randint(1, 60)
        if visibility == "rumor" and event.get("expires_day", 999) > TODAY and dice.random() < 0.5:
            event["rumor"] = (dice.choice((other.id, place)),)
        return event

    def _told(self, templates: Sequence[str], who: str, other: str, place: str) -> str:
        dice = self._dice
        return dice.choice(templates).format(
            who=who,
            other=other,
            place=place,
            thing=dice.choice(_THINGS),
            word=dice.choice(_WORDS),
            number=dice.randint(3, 900),
        )

    def _tell_memories(self, count: int) -> None:
        for each in CAST:
            others = [
                {
                    "text": self._told(
                        _HAPPENINGS, self._dice.choice(NAMES), "the player", f"old {each.location}"
                    ),
                    "importance": self._dice.randint(1, 7),
                    "timestamp": self._dice.random() * 199 * DAY,
                }
                for _ in range(count)
            ]
            self.save.npc(each.id).memories.store_batch(others)
        for npc, text, importance, asked in _MEMORIES:
            id = self.save.npc(npc).memories.store(
                text, importance, {"timestamp": self._dice.random() * 150 * DAY}
            )
            self.questions.append(Question("memories", asked, npc, id))

    def _tell_people(self) -> None:
        world = self.save.world
        for assignee, issuer, summary, asked in _TASKS:
            id = world.tasks.add_task(
                {"assignee": assignee, "issuer": issuer, "summary": summary, "status": "active", "day": 195}
            )
            self.parties[id] = (assignee, issuer)
            self.questions.append(Question("tasks", asked, assignee, id))
            for place in range(8):
                other = assignee if place % 2 else CAST[place * 5 + 1].id
                text = self._told(_HAPPENINGS, "Somebody", "a friend", f"little {PLACES[place]}")
                id = world.tasks.add_task(
                    {"assignee": other, "issuer": issuer, "status": "active", "summary": text}
                )
                self.parties[id] = (other, issuer)
        for topic, who, summary, outcome, asked in _DEBATES:
            id = world.debates.record_debate(
                {"topic": topic, "participants": who, "summary": summary, "outcome": outcome, "day": 180}
            )
            event = next(each for each in world.events.get_events() if each.get("debate_id") == id)
            self.oracle.events[event["id"]] = [(180 * DAY, 180 * DAY, event)]
            self.secrets[event["id"]] = outcome
            self.questions.append(Question("debates", asked, who[-1], id))
        for npc, player, answer, right, asked in _SAID:
            self.save.npc(npc).conversation.store_turn(player, answer, {"day": 190})
            for number in range(8):
                chat = self._told(_HAPPENINGS, "the baker", "the smith", f"upper {PLACES[number]}")
                self.save.npc(npc).conversation.store_turn(
                    f"They say {chat}", "Is that so?", {"memories": [], "day": 191}
                )
            self.questions.append(Question("memories", asked, npc, right))
        world.profiles.set_profile("corvin", {"backstory": "He grew up among thieves.", "fears": ["poison"]})
        self.questions.append(Question("profile", "Who are you?", "corvin", "poison"))
        self.questions.append(Question("backstory", "Who are you?", "corvin", "among thieves"))

    def _lore(self, count: int, book: str) -> str:
        key = [f"## {title}\n\n{text}" for title, text, _ in _LORE]
        parts = ["# Chronicle of the Reach"]
        parts += [f"## {each}" for each in book.split("\n## ")[1:]]
        words = 0
        while words < count and not book:
            place = self._dice.choice(PLACES)
            told = " ".join(self._told(_SCHOLARS, self._dice.choice(NAMES), "", place) for _ in range(12))
            parts.append(f"## Of {place}, leaf {len(parts)}\n\n{told}")
            words += len(told.split())
        for number, text in enumerate(key):
            parts.insert(1 + number * max(1, len(parts) // len(key)), text)
        for _, text, asked in _LORE:
            self.questions.append(Question("lore", asked, self._dice.choice(CAST).id, text.split(".")[0]))
        return "\n\n".join(parts)


def unanswerable(campaign: Campaign) -> list[tuple[str, str, str]]:
    """Questions to NPCs who cannot know of the event: question, npc_id, the event's id."""
    asked = {f"key_{number}": asked for number, (_, asked, _) in enumerate(_EVENTS)}
    asked |= {f"over_{number}": asked for number, (_, asked) in enumerate(_EXPIRED)}
    return [
        (question, each.id, id)
        for id, question in asked.items()
        for each in CAST
        if id not in campaign.known(each.id)
    ]
