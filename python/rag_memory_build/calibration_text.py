"""Sentences of the kinds a game keeps and players ask: what a model sees while its ranges are measured.

The ranges have to hold for texts nobody has written yet: short and long ones, talk, deeds, questions, lists,
numbers and several scripts take part.
"""

from __future__ import annotations

_PEOPLE = (
    "Mira",
    "old Tomas",
    "the ferryman's daughter",
    "Captain Ferro",
    "Jun",
    "a stranger in a grey hood",
)
_THINGS = (
    "the brass compass",
    "forty silver pieces",
    "a letter nobody could read",
    "her father's sword",
    "two goats",
)
_PLACES = (
    "behind the chapel",
    "at the north gate",
    "on the road to Vell",
    "in the flooded cellar",
    "aboard the Heron",
)
_FRAMES = (
    "{person} gave me {thing} {place} and would not say why.",
    'The player said, "I will bring {thing} back before winter," and shook hands with {person} {place}.',
    "Have you seen {person}? Somebody left {thing} {place}.",
    "{person} was killed {place}; I blame myself, and I blame the player more.",
    "What did {person} promise you about {thing}?",
    "I saw {person} {place}, drunk, shouting that {thing} had been stolen from the guild during the night.",
    "{person} said, \"Wow, that's great! I'm so proud of you, {place} is where we should celebrate :)\"",
    "Where is {thing} now?",
    "We have hated each other since {person} lost {thing} in a game of dice {place}, eleven years ago, "
    "on the night of the great fire, when the whole town stood in the square and nobody lifted a bucket.",
    "The player completed the quest 'A debt of honour': {thing} went to {person} {place} (reward: 250 XP).",
    "Never tell {person} that {thing} lies hidden {place}.",
    "My sister thinks {person} is kind. I do not; nobody who sells {thing} {place} is kind.",
)
_SINGLE = (
    "Hi",
    "Yes.",
    "No, thanks!",
    "Who are you?",
    "Dragon",
    "...",
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10; 3.14159; 2024-05-08 13:56; 50 %; $19.99; #42",
    "HELP!!! THE MILL IS ON FIRE, RUN FOR YOUR LIVES!!!",
    "if (door.is_locked()) { key.use(door); } // see https://example.org/doors?id=7",
    "lol u rly think that works?? nah bro 😂🔥",
    "A woman is slicing an onion in a small kitchen while a dog sleeps under the table.",
    "Shares of the company fell 4.2 percent on Tuesday after an inquiry into its accounts was opened.",
    "Researchers at the university found that mice which slept longer remembered the maze better.",
    "We spent Sunday repairing the fence with my uncle, and afterwards everybody was too tired to cook.",
    "What kind of soup does your grandmother cook when somebody in the house is ill?",
    "When did Anselm learn to sail, and who taught him to read the stars?",
    "Die alte Müllerin hat mir gestern erzählt, dass der Spieler ihr drei Münzen schuldet.",
    "Où est passée la clé de l'écurie ? Personne ne le sait.",
    "El capitán prometió volver antes del invierno, pero nunca volvió.",
    "O velho ferreiro trabalhou a noite inteira por causa da espada do barão.",
    "Старый кузнец всю ночь ковал меч для барона.",
    "老铁匠整夜都在为男爵打造一把新剑。",
    "昨日、村の井戸のそばで知らない旅人に会いました。",
    "어제 우물가에서 낯선 여행자를 만났어요.",
    "وعدني اللاعب بأن يعيد الخاتم قبل الشتاء.",
    "खिलाड़ी ने सर्दियों से पहले अंगूठी लौटाने का वादा किया।",
    "Ο παλιός σιδεράς δούλευε όλη τη νύχτα.",
)
_SENTENCES_IN_A_STORY = 9


def calibration_texts() -> list[str]:
    """About a hundred texts, always the same."""
    sentences = [
        frame.format(
            person=_PEOPLE[number % len(_PEOPLE)],
            thing=_THINGS[(number + turn) % len(_THINGS)],
            place=_PLACES[(number + 2 * turn) % len(_PLACES)],
        )
        for turn in range(5)
        for number, frame in enumerate(_FRAMES, start=turn)
    ]
    stories = [
        " ".join(sentences[start : start + _SENTENCES_IN_A_STORY])
        for start in range(0, len(sentences), _SENTENCES_IN_A_STORY)
    ]
    return [*_SINGLE, *sentences, *stories]
