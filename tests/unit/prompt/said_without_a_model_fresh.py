"""Three other NPCs and 30 other lines, written before the code and read only when it was done."""

from __future__ import annotations

from tests.unit.prompt.said_without_a_model import DAY, Character, Line

from rag_memory import Npc


def friend(npc: Npc, now: float) -> None:
    """A librarian who has come to like the player."""
    memories = npc.memories
    memories.store(
        "Theron brought me the lost pages of the Almanac.",
        8,
        {"event_type": "gift_received", "participants": ["player"], "timestamp": now - 12 * DAY},
    )
    memories.store("The player's name is Theron.", 9, {"slot_type": "player_name"})
    memories.store_conversation("player", "I will come back before the lamps are lit.")
    memories.store_player_action("helped", "carried the heavy books up the tower for me")
    memories.store("I promised the player a look at the locked archive.", 7, {"event_type": "own_promise"})
    memories.store("The astronomer Ilse says that the comet returns in nine years.", 6)
    memories.store("Someone cut the last page out of the harbour register.", 7)
    memories.store_batch(
        [
            {"text": "I sleep badly since the fire in the east wing.", "importance": 5},
            {"text": "Master Corvin forbade me to lend the red book.", "importance": 6},
        ]
    )
    npc.conversation.store_turn("I live in the boathouse by the weir.", "So near the water!")
    npc.mind.perceive(
        {
            "action": "helped",
            "description": "The player found my spectacles in the well house.",
            "source_id": "player",
            "source_name": "Theron",
            "importance": 7,
        }
    )
    npc.relationship.store_relationship("player", {"trust": 62, "affection": 55, "familiarity": 45})


def stranger(npc: Npc, now: float) -> None:
    """A gate guard who knows the town, and not the player."""
    memories = npc.memories
    memories.store("The captain ordered the north gate shut at sunset.", 7)
    memories.store("I found a dead pigeon with a letter on its leg by the wall.", 6)
    memories.store_witnessed_event("Two carters fought over a wheel at the gate.")
    memories.store_npc_awareness("Bela", "Bela sells the best onions on the square.", 5)
    memories.store("I earn four coppers a day, and boots once a year.", 4)


def hurt(npc: Npc, now: float) -> None:
    """A widow whose trust the player has broken."""
    memories = npc.memories
    memories.store("The player told the reeve where my son was hiding.", 10, {"event_type": "betrayal"})
    memories.store_player_action("promise_made", "swore to keep my son safe")
    memories.store_player_action("promise_broken", "gave up my son for a purse of gold")
    npc.mind.perceive(
        {"action": "threatened", "content": "Say a word and your barn burns.", "source_id": "player"}
    )
    memories.store("I have not slept in my own bed since the soldiers came.", 6)
    memories.store("The reeve keeps my son in the tower at Wick.", 8)
    npc.conversation.store_turn("You owe me a cow, widow.", "I owe you nothing.")
    memories.store("My neighbour Ansel brings me bread.", 4)
    npc.relationship.store_relationship("player", {"trust": -80, "affection": -70, "fear": 30})


CHARACTERS = (
    Character(
        "quill",
        friend,
        (
            Line("hi Quill", "greeting", forbidden=("not met",)),
            Line("how are you today?", "how_are_you memory unknown heard", forbidden=("comet", "register")),
            Line("What have I done for you?", "memory memories", ("Almanac", "heavy books", "spectacles")),
            Line(
                "Tell me what you know about me",
                "memories",
                ("Almanac", "spectacles", "heavy", "boathouse", "archive"),
                least=2,
            ),
            Line("Where do I live?", "memory", ("boathouse",)),
            Line("What did you promise me?", "memory", ("locked archive",)),
            Line("When does the comet return?", "memory", ("nine years",)),
            Line("Who cut the page out of the register?", "memory unknown", ("register",)),
            Line("What is the king's favourite dish?", "unknown"),
            Line("thanks a lot, goodbye", "farewell thanks"),
        ),
    ),
    Character(
        "gate_guard",
        stranger,
        (
            Line("Good day, guard.", "greeting", forbidden=("again",)),
            Line("Do you remember me?", "stranger unknown"),
            Line("Open the gate!", "order memory", ("north gate",)),
            Line("What do you know about Bela?", "memory", ("onions",)),
            Line("Tell me about the pigeon.", "memory", ("letter",)),
            Line("Have you seen my sister Roswitha?", "unknown", forbidden=("pigeon", "carters")),
            Line("What did I promise you yesterday?", "unknown", forbidden=("captain",)),
            Line(
                "Nice weather today, isn't it?",
                "unknown heard",
                forbidden=("pigeon", "captain", "Bela"),
            ),
            Line("Get out of my way, you filthy pig.", "insult order"),
            Line("See you later.", "farewell"),
        ),
    ),
    Character(
        "widow_marta",
        hurt,
        (
            Line("Hello Marta", "greeting", forbidden=("glad", "good to see")),
            Line("Do you know who I am?", "memory memories unknown stranger", forbidden=("Ansel",)),
            Line("Where is your son?", "memory", ("tower at Wick",)),
            Line("What did I do to your son?", "memory", ("reeve where my son", "gave up my son")),
            Line(
                "Do I still have your trust?",
                "opinion memory unknown heard",
                forbidden=("Ansel", "of course"),
            ),
            Line("Please forgive me.", "apology"),
            Line("Do you owe me anything?", "unknown memory", forbidden=("I owe you a cow",)),
            Line("Who brings you bread?", "memory", ("Ansel",)),
            Line("I'll kill you if you talk.", "threat"),
            Line("I bought a new hat in Wick.", "heard", forbidden=("tower", "reeve")),
        ),
    ),
)
