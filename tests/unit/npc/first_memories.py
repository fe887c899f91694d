"""Small sets of memories, each stored at once, as a game does that gives an NPC her first ones."""

from __future__ import annotations

from typing import NamedTuple


class FirstMemories(NamedTuple):
    """Memories of an NPC, and questions with the place of the memory that answers them."""

    texts: tuple[str, ...]
    questions: dict[str, int]


INNKEEPER = FirstMemories(
    (
        "The player arrived at the inn in heavy rain and asked for a room.",
        "I gave the player the small room under the stairs.",
        "The player promised to mend the roof of the inn before winter.",
        "The player paid for the room with a silver coin from Iron Hollow.",
        "The player broke the promise and left for the capital.",
        "A merchant told me that wolves were seen on the north road.",
        "My brother Tobin has not come home from the mine.",
    ),
    {
        "Did I keep my promise about the roof?": 4,
        "What did I say I would mend?": 2,
        "Which room did you give me?": 1,
        "How did I pay for my room?": 3,
        "Is the north road safe?": 5,
        "Where is your brother?": 6,
        "What was the weather like when I came?": 0,
    },
)
SMITH = FirstMemories(
    (
        "The player brought me ore from the old quarry.",
        "I forged a sword with a blue hilt for the player.",
        "My apprentice Wren burned her hand at the forge.",
        "The captain of the guard ordered forty spear heads.",
        "The player still owes me thirty coins for the sword.",
        "I learned my trade from a dwarf named Durik.",
    ),
    {
        "How much money do I owe you?": 4,
        "Who taught you your trade?": 5,
        "What happened to Wren?": 2,
        "What did the captain order?": 3,
        "Where did the ore come from?": 0,
        "What colour is the hilt of my sword?": 1,
    },
)
HEALER = FirstMemories(
    (
        "The player came to me with a wolf bite on the left arm.",
        "I cleaned the wound with vinegar and sewed it with silk.",
        "The player asked whether the fever in the village is the plague.",
        "I said that it is only marsh fever and passes in a week.",
        "The miller's daughter is expecting a child in spring.",
        "I need moonwort from the cliffs for my potions.",
        "The player promised to bring me moonwort.",
        "The old priest refuses to take his medicine.",
        "Somebody stole a bottle of poppy milk from my shelf.",
        "The player gave me a warm blanket for the sick children.",
    ),
    {
        "What did somebody steal from you?": 8,
        "Which animal bit me?": 0,
        "What did I promise to bring you?": 6,
        "Is it the plague?": 3,
        "Who will have a baby?": 4,
        "Does the priest take his medicine?": 7,
        "What present did I give you?": 9,
        "How did you treat the wound?": 1,
    },
)
GUARD = FirstMemories(
    (
        "The player was stopped at the gate without papers.",
        "The player offered me five gold coins to look away.",
        "I took the bribe and let the player in.",
        "Captain Varn asked me who had come through the gate that night.",
        "I lied to Captain Varn and said that nobody had come.",
        "The player told me about a tunnel under the old brewery.",
        "My wife Hanna is ill and the medicine is expensive.",
        "A thief with a red scarf was seen near the market.",
        "The bell of the tower rings twice when the gate closes.",
        "Sergeant Odo sleeps during his watch.",
        "The prisoner in the third cell says that he is a prince.",
        "The player won a drinking contest against Sergeant Odo.",
    ),
    {
        "Who sleeps on duty?": 9,
        "What did you tell Captain Varn?": 4,
        "What is wrong with your wife?": 6,
        "What does the thief look like?": 7,
        "What is under the brewery?": 5,
        "Who says he is a prince?": 10,
        "How often does the bell ring?": 8,
        "How much gold did I offer you?": 1,
        "Whom did I beat at drinking?": 11,
    },
)
FARMER = FirstMemories(
    (
        "The player helped me to bring in the hay before the storm.",
        "My cow Bella has a sick calf.",
        "The river took the lower fence in the flood.",
        "The tax collector wants a fifth of the barley.",
        "The player hid in my barn from the soldiers.",
    ),
    {
        "Who helped you with the hay?": 0,
        "How is Bella?": 1,
        "What happened to your fence?": 2,
        "How high are the taxes?": 3,
        "Where did I hide?": 4,
    },
)
SCHOLAR = FirstMemories(
    (
        "The player brought me a scroll written in the tongue of the river kings.",
        "I could read only the first line of the scroll: it names a drowned city.",
        "The library burned down in the year of the two comets.",
        "My rival Aldous published my map under his own name.",
        "The player asked me about the silver mask in the museum.",
        "The silver mask was worn by the last queen of the river kings.",
        "I am allergic to cats, but the library has three of them.",
        "The player returned a book two years too late.",
        "The dean wants to close the college for lack of money.",
        "I taught the player the first ten letters of the old alphabet.",
        "Aldous was found dead at the bottom of the tower.",
        "The key of the archive hangs behind the portrait of the founder.",
        "The player swore not to tell anybody about the key.",
        "A comet will be seen again in four years.",
        "The best tea in town is sold by the widow Marlow.",
        "The player carried my books up to the tower when my knee hurt.",
    ),
    {
        "Who wore the silver mask?": 5,
        "How did Aldous die?": 10,
        "Where is the key of the archive?": 11,
        "When does the comet come back?": 13,
        "Who sells good tea?": 14,
        "Why did you not like Aldous?": 3,
        "What does the scroll say?": 1,
        "What did I swear?": 12,
        "Which animals can you not stand?": 6,
        "Why may the college close?": 8,
        "What did you teach me?": 9,
        "What did I carry for you?": 15,
    },
)
FERRYMAN = FirstMemories(
    (
        "The player crossed the river at night and paid double.",
        'The player told me: "I am looking for my sister Elin."',
        "A woman with a lute crossed the river two days before.",
        "The ferry has a leak that I stop with tar.",
        "The player sang an old song about the sea.",
        "My father drowned at the bend below the mill.",
        "The player gave me a silver ring as a pledge.",
        "The player came back and took the ring again.",
        "I do not ferry soldiers since they beat my son.",
    ),
    {
        "Whom am I looking for?": 1,
        "How did your father die?": 5,
        "Why do you not take soldiers?": 8,
        "What is wrong with the ferry?": 3,
        "What did I sing?": 4,
        "Did you see a woman with a lute?": 2,
        "What did I give you as a pledge?": 6,
    },
)
EVERY_SET = {
    "innkeeper": INNKEEPER,
    "smith": SMITH,
    "healer": HEALER,
    "guard": GUARD,
    "farmer": FARMER,
    "scholar": SCHOLAR,
    "ferryman": FERRYMAN,
}
