"""Stories of promises, debts, plans and the like: what each new memory retires. All by hand."""

from __future__ import annotations

from typing import Any

Step = tuple[str, dict[str, Any], list[int]]
"""A text, its data, and the numbers of the earlier steps that it retires."""

MADE = {"event_type": "promise_made"}
KEPT = {"event_type": "promise_kept"}
BROKEN = {"event_type": "promise_broken"}
DEBT = {"event_type": "debt"}
PAID = {"event_type": "debt_paid"}
PLAN = {"event_type": "plan"}
DONE = {"event_type": "plan_done"}
OFF = {"event_type": "plan_cancelled"}
GIFT = {"event_type": "gift_received"}
GAVE_BACK = {"event_type": "gift_returned"}
TASK = {"event_type": "task_assigned"}
TASK_DONE = {"event_type": "task_completed"}
HIDDEN = {"event_type": "secret_kept"}
OUT = {"event_type": "secret_revealed"}


def of(data: dict[str, Any], *who: str, **more: Any) -> dict[str, Any]:
    return {**data, "participants": list(who), **more}


STORIES: dict[str, list[Step]] = {
    # Promises
    "one of three is kept": [
        ("The player promised to carry my letter to the abbey.", MADE, []),
        ("The player promised to find my runaway goat.", MADE, []),
        ("The player promised to repair the bridge before spring.", MADE, []),
        ("The player brought my goat home.", KEPT, [1]),
    ],
    "one of three is broken": [
        ("The player promised to stand guard at the wedding.", MADE, []),
        ("The player promised never to hunt in the duke's forest.", MADE, []),
        ("The player promised to teach my son to read.", MADE, []),
        ("The player shot a deer in the duke's forest.", BROKEN, [1]),
        ("The player did not come to the wedding.", BROKEN, [0]),
    ],
    "in other words": [
        ("The player promised to mend the fence around the orchard.", MADE, []),
        ("The player swore to bring medicine for my sick mother.", MADE, []),
        ("The player came back with the herbs, and mother is well again.", KEPT, [1]),
        ("The player fixed the orchard's fence.", KEPT, [0]),
    ],
    "nothing is close enough": [
        ("The player promised to carry my letter to the abbey.", MADE, []),
        ("The player promised to find my runaway goat.", MADE, []),
        ("The player chopped wood for the baker as agreed.", KEPT, []),
    ],
    "the only promise, but another matter": [
        ("The player promised to carry my letter to the abbey.", MADE, []),
        ("The player never returned the axe.", BROKEN, []),
    ],
    "a promise that is not named, the only one": [
        ("The player promised to carry my letter to the abbey.", MADE, []),
        ("The player broke a promise.", BROKEN, [0]),
    ],
    "a promise that is not named, one of two": [
        ("The player promised to carry my letter to the abbey.", MADE, []),
        ("The player promised to find my runaway goat.", MADE, []),
        ("The player kept the promise.", KEPT, []),
    ],
    "somebody else's promise": [
        ("Harald promised to deliver ten barrels of herring.", MADE, []),
        ("The player promised to deliver ten barrels of herring.", MADE, []),
        ("Harald delivered the ten barrels of herring.", KEPT, [0]),
        ("The player never delivered the barrels.", BROKEN, [1]),
    ],
    "somebody else's promise, with participants": [
        ("Harald promised to watch my house.", of(MADE, "Harald"), []),
        ("did not watch the house", of(BROKEN, "player"), []),
        ("Harald slept while my house was robbed.", of(BROKEN, "Harald"), [0]),
    ],
    "two players": [
        ("The player promised to bring me a fox fur.", of(MADE, "ida"), []),
        ("The player promised to bring me a fox fur.", of(MADE, "otto"), []),
        ("The player brought the fox fur.", of(KEPT, "otto"), [1]),
    ],
    "two players and a word that fits the other's": [
        ("The player promised to sing at the harvest feast.", of(MADE, "ida"), []),
        ("The player promised to bake bread.", of(MADE, "otto"), []),
        ("The player sang at the harvest feast.", of(KEPT, "otto"), []),
    ],
    "the NPC's own promise": [
        ("I promised the player to forge a sword.", MADE, []),
        ("The player promised to fetch ore for the sword.", MADE, []),
        ("I forged the sword for the player.", KEPT, [0]),
        ("The player fetched the ore.", KEPT, [1]),
    ],
    "for whom": [
        ("The player promised Ulla to repair her boat.", MADE, []),
        ("The player promised Sven to repair his boat.", MADE, []),
        ("The player repaired Sven's boat.", KEPT, [1]),
    ],
    "quoted": [
        ('The player said: "I promise to sharpen your shears."', of(MADE, "player"), []),
        ('The player said: "I promise to shear your sheep."', of(MADE, "player"), []),
        ('The player said: "Your shears are sharp again, as I promised."', of(KEPT, "player"), [0]),
    ],
    "kept twice over": [
        ("The player promised to water the roses.", MADE, []),
        ("The player watered the roses.", KEPT, [0]),
        ("The player promised to water the roses.", MADE, []),
        ("The player forgot to water the roses.", BROKEN, [2]),
    ],
    "fulfilled by name of a thing": [
        ("The player promised to bring back the Sunstone.", MADE, []),
        ("The player promised to bring back the Moonblade.", MADE, []),
        ("I have the Moonblade again.", KEPT, [1]),
    ],
    "a German promise": [
        ("Der Spieler hat versprochen, das Dach zu flicken.", MADE, []),
        ("Der Spieler hat versprochen, meinen Ring zu suchen.", MADE, []),
        ("Der Spieler hat das Dach geflickt.", KEPT, [0]),
    ],
    "a Russian promise": [
        ("Игрок обещал починить мост.", MADE, []),
        ("Игрок обещал найти моё кольцо.", MADE, []),
        ("Игрок нашёл кольцо.", KEPT, [1]),
    ],
    "a Japanese promise": [
        ("プレイヤーは屋根を直すと約束した。", MADE, []),
        ("プレイヤーは指輪を探すと約束した。", MADE, []),
        ("プレイヤーは屋根を直してくれた。", KEPT, [0]),
    ],
    # Debts
    "one of three debts": [
        ("The player owes me 30 silver for the saddle.", DEBT, []),
        ("The player owes me 5 silver for the oats.", DEBT, []),
        ("The player owes me 12 silver for the room.", DEBT, []),
        ("The player paid for the oats.", PAID, [1]),
        ("The player paid the 30 silver.", PAID, [0]),
    ],
    "a debt to somebody else is paid": [
        ("The player owes me 30 silver for the saddle.", DEBT, []),
        ("The player paid Roland the 30 silver.", PAID, []),
    ],
    "somebody else pays": [
        ("The player owes me 30 silver for the saddle.", DEBT, []),
        ("Roland owes me 8 silver.", DEBT, []),
        ("Roland paid me back.", PAID, [1]),
    ],
    "the same goods, other people": [
        ("Roland owes me a sack of flour.", DEBT, []),
        ("Ida owes me a sack of flour.", DEBT, []),
        ("Ida returned the sack of flour.", PAID, [1]),
    ],
    "I owe, the player owes": [
        ("I owe the player 9 copper for the eggs.", {"event_type": "own_debt"}, []),
        ("The player owes me 9 copper for the cheese.", DEBT, []),
        ("I paid the player for the eggs.", {"event_type": "own_debt_paid"}, [0]),
    ],
    # Plans
    "one of two plans": [
        ("The player plans to sail to Westhaven.", PLAN, []),
        ("The player plans to join the militia.", PLAN, []),
        ("The player has joined the militia.", DONE, [1]),
        ("The player does not want to sail to Westhaven any more.", OFF, [0]),
    ],
    # Gifts
    "a gift comes back": [
        ("The player gave me a silver comb.", GIFT, []),
        ("The player gave me a kitten.", GIFT, []),
        ("I gave the comb back to the player.", GAVE_BACK, [0]),
    ],
    # Tasks
    "one of two tasks": [
        ("I asked the player to clear the cellar of rats.", TASK, []),
        ("I asked the player to deliver the wine to the castle.", TASK, []),
        ("The player delivered the wine.", TASK_DONE, [1]),
    ],
    "tasks with ids": [
        ("The player shall clear the cellar.", {**TASK, "task_id": "rats_1"}, []),
        ("The player shall clear the cellar.", {**TASK, "task_id": "rats_2"}, []),
        ("It is done.", {**TASK_DONE, "task_id": "rats_1"}, [0]),
        ("The cellar is clear.", {**TASK_DONE, "task_id": "rats_7"}, []),
    ],
    # Secrets
    "one of two secrets": [
        ("The player keeps it to themselves that I was a pirate.", HIDDEN, []),
        ("The player keeps it to themselves that my daughter is ill.", HIDDEN, []),
        ("The player told the priest that I was a pirate.", OUT, [0]),
    ],
    # Trust and alliances have no matter but a person
    "trust of two people": [
        ("The player returned my purse, and I trust them.", of({"event_type": "trust_gained"}, "player"), []),
        ("Roland told me the truth about the fire.", of({"event_type": "trust_gained"}, "Roland"), []),
        ("The player lied about the map.", of({"event_type": "trust_lost"}, "player"), [0]),
    ],
    "alliances with two clans": [
        ("The player is allied with the Wolf Clan.", {"event_type": "alliance_formed"}, []),
        ("The player is allied with the Bear Clan.", {"event_type": "alliance_formed"}, []),
        ("The player has betrayed the Bear Clan.", {"event_type": "alliance_broken"}, [1]),
    ],
    # Pairs of the game's own
    "gates": [
        ("The north gate was opened.", {"event_type": "gate_opened"}, []),
        ("The south gate was opened.", {"event_type": "gate_opened"}, []),
        ("The south gate was closed.", {"event_type": "gate_closed"}, [1]),
    ],
    # Debts that are paid in parts
    "in two parts": [
        ("The player owes me 50 gold for the horse.", DEBT, []),
        ("The player owes me 8 gold for hay.", DEBT, []),
        ("The player paid 20 gold for the horse.", PAID, []),
        ("The player paid 30 gold for the horse.", PAID, [0]),
    ],
    "a part of the only debt": [
        ("Ida owes me forty crowns.", DEBT, []),
        ("Ida paid fifteen crowns.", PAID, []),
        ("Ida paid the rest.", PAID, [0]),
    ],
    "half of it": [
        ("Ida owes me a cartload of hay.", DEBT, []),
        ("Ida brought half of the hay she owed.", PAID, []),
        ("Ida brought the rest of the hay.", PAID, [0]),
    ],
    "by the amount alone": [
        ("The player owes me 14 silver for the lamp.", DEBT, []),
        ("The player owes me 22 silver for the cloak.", DEBT, []),
        ("The player gave me 22 silver.", PAID, [1]),
    ],
    "fits neither": [
        ("The player owes me 14 silver for the lamp.", DEBT, []),
        ("The player owes me 22 silver for the cloak.", DEBT, []),
        ("The player paid me 5 silver.", PAID, []),
    ],
    # Event types by other names
    "names of a game's own": [
        ("Ida owes me a goose.", {"event_type": "debt_incurred"}, []),
        ("Roland owes me a goose.", {"event_type": "debt_incurred"}, []),
        ("Roland brought the goose.", {"event_type": "debt_settled"}, [1]),
        ("I mean to paint the door.", {"event_type": "plan_formed"}, []),
        ("I painted the door.", {"event_type": "plan_completed"}, [3]),
    ],
    # Slots
    "a slot of two people": [
        ("Roland lives above the bakery.", {"slot_type": "home"}, []),
        ("Ida lives in the lighthouse.", {"slot_type": "home"}, []),
        ("Roland lives in the barracks now.", {"slot_type": "home"}, [0]),
        ("Ida has moved to the bakery.", {"slot_type": "home"}, [1]),
    ],
    "a slot with participants": [
        ("Lives above the bakery.", {"slot_type": "home", "participants": ["roland"]}, []),
        ("Lives in the lighthouse.", {"slot_type": "home", "participants": ["ida"]}, []),
        ("Lives in the mill.", {"slot_type": "home", "participants": ["ida"]}, [1]),
    ],
    "a slot without anybody": [
        ("The market is on Monday.", {"slot_type": "market_day"}, []),
        ("The market is on Friday.", {"slot_type": "market_day"}, [0]),
        ("The market is on Sunday.", {"slot_type": "market_day"}, [1]),
    ],
    "a mood": [
        ("I am cheerful.", {"slot_type": "mood"}, []),
        ("I am worried about the harvest.", {"slot_type": "mood"}, [0]),
    ],
    "two slots": [
        ("The player works at the mill.", {"slot_type": "work"}, []),
        ("The player lives at the mill.", {"slot_type": "home"}, []),
        ("The player works at the docks.", {"slot_type": "work"}, [0]),
    ],
    "whose thing it is": [
        ("Roland's mood is sour.", {"slot_type": "mood"}, []),
        ("Ida's mood is good.", {"slot_type": "mood"}, []),
        ("Roland's mood is better.", {"slot_type": "mood"}, [0]),
    ],
    "a thing that changes hands": [
        ("The grey mare belongs to Roland.", {"slot_type": "mare_owner"}, []),
        ("The white mare belongs to Ida.", {"slot_type": "mare_owner"}, []),
        ("Roland sold the grey mare to Ida; it is hers.", {"slot_type": "mare_owner"}, [0]),
    ],
    "kinds of information": [
        ("Ida's favourite dish is eel.", {"info_type": "dish"}, []),
        ("Roland's favourite dish is cabbage.", {"info_type": "dish"}, []),
        ("Ida's favourite dish is trout now.", {"info_type": "dish"}, [0]),
    ],
    "what two players say of themselves": [
        ("Likes eel.", of({"event_type": "player_info", "info_type": "dish"}, "ida"), []),
        ("Likes cabbage.", of({"event_type": "player_info", "info_type": "dish"}, "otto"), []),
        ("Likes trout.", of({"event_type": "player_info", "info_type": "dish"}, "ida"), [0]),
    ],
}
