"""Who is there when something is said: the speaker, those spoken to, those who overhear it, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.ids import normal_id
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER, PLAYER_SPEAKERS
from rag_memory.validation import shown, validate_number, validate_text, validate_texts, wrong_type

OVERHEARD = "overheard"
"""The event type of words that were meant for others."""
SAY, WHISPER, SHOUT, LETTER = "say", "whisper", "shout", "letter"
MANNERS = (SAY, WHISPER, SHOUT, LETTER)
HEARING, SIGHT = 1, 2
EVERY_SENSE = HEARING | SIGHT
"""What somebody perceives, as a sum; 0 for one who sleeps."""
ELSEWHERE = -1
"""Stands for the senses of one whose memories are in another save."""
COMPANY_KEYS = ("speaker", "addressees", "bystanders", "manner")
STORED_SPEAKER = "player_id"
"""The key under which a turn of a save has its speaker."""
UNHEARD = (WHISPER, LETTER)
"""Manners in which only those who are spoken to learn of it."""
_MANNER_OF = {
    **dict.fromkeys(("whisper", "whispers", "whispered", "murmured", "muttered"), WHISPER),
    **dict.fromkeys(("write", "writes", "wrote", "written"), LETTER),
    **dict.fromkeys(("shout", "shouts", "shouted", "yell", "yells", "yelled", "screamed"), SHOUT),
}


class Company(NamedTuple):
    """Who speaks, to whom besides the NPC, who overhears it, and how."""

    speaker: str = PLAYER
    addressees: Sequence[str] = ()
    """Those who are spoken to besides the NPC."""
    bystanders: Mapping[str, float] = {}
    """Those who overhear it, each with the share of the words that reaches them, above 0 and at most 1."""
    manner: str = SAY

    @property
    def everybody(self) -> list[str]:
        """All of them, once."""
        return list(dict.fromkeys([self.speaker, *self.addressees, *self.bystanders]))

    @property
    def others(self) -> list[str]:
        """All of them but the speaker."""
        return self.everybody[1:]

    @property
    def hearing_all(self) -> list[str]:
        """The bystanders whom every word reaches."""
        return [id for id, share in self.bystanders.items() if share == 1.0]

    def fields(self) -> dict[str, Any]:
        """Return the manner and the others spoken to, as a turn keeps them; nothing for what is usual."""
        usual = {"addressees": list(self.addressees)} if self.addressees else {}
        return usual | ({"manner": self.manner} if self.manner != SAY else {})

    def secrecy(self, npc_id: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what makes a secret of words in a low voice or in writing, unless the data says if it is."""
        if self.manner not in UNHEARD or data.get("secret") is not None:
            return {}
        heard_by = [id for id in dict.fromkeys([*self.everybody, npc_id]) if id]
        return {"secret": True, "known_to": data.get("known_to", heard_by)}


def manner_of(action: str) -> str:
    """Return how something is said when an action tells it, such as "whispered"; "" for other actions."""
    return _MANNER_OF.get(action.strip().casefold().replace("_", " ").partition(" ")[0], "")


def read_company(call: str, npc_id: str, fields: Mapping[str, Any], speaker: Any = PLAYER) -> Company:
    """Read who is there from the keys of a call; they are the same everywhere.

    Args:
        npc_id: the NPC that is spoken to.
        speaker: who speaks when the fields do not say so.

    Raises:
        InvalidArgumentError: a value has the wrong type, there is no such manner, or the NPC itself speaks.
    """
    manner = validate_text(call, "manner", fields.get("manner", SAY))
    if manner not in MANNERS:
        raise InvalidArgumentError(
            f"{call}: manner is {shown(manner)}",
            "nothing can be said like that",
            f"Use one of {', '.join(MANNERS)}",
        )
    speaker = normal_id(validate_text(call, "speaker", fields.get("speaker", speaker)))
    if not speaker or (npc_id and speaker.casefold() in (npc_id.casefold(), *NPC_SPEAKERS)):
        raise InvalidArgumentError(
            f"{call}: speaker is {shown(speaker)}",
            "somebody else has to speak to the NPC",
            'Leave it out for the player, or pass an id such as "bjorn"',
        )
    if speaker.casefold() in PLAYER_SPEAKERS:
        speaker = PLAYER
    named = map(normal_id, validate_texts(call, "addressees", fields.get("addressees", [])))
    bystanders = _shares(call, fields.get("bystanders", []))
    if manner in UNHEARD:
        bystanders = {}
    taken = {speaker, npc_id, ""}
    addressees = [id for id in dict.fromkeys(named) if id not in taken]
    taken.update(addressees)
    overhear = {id: share for id, share in bystanders.items() if id not in taken and share > 0}
    return Company(speaker, addressees, overhear, manner)


def _shares(call: str, value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        if not isinstance(value, list | tuple):
            raise wrong_type(call, "bystanders", value, "an Array of ids, or a Dictionary of shares by id")
        return {normal_id(id): 1.0 for id in validate_texts(call, "bystanders", value)}
    shares: dict[str, float] = {}
    for id, share in value.items():
        heard = validate_number(call, f"bystanders[{shown(id)}]", share)
        if not 0.0 <= heard <= 1.0:
            raise InvalidArgumentError(
                f"{call}: bystanders[{shown(id)}] is {heard:g}",
                "it is the share of the words that somebody hears",
                "Pass a number from 0 to 1",
            )
        shares[normal_id(validate_text(call, "bystanders", id))] = heard
    return shares


def turn_fields(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stored turn holds, as the game knows it."""
    names = {STORED_SPEAKER: "speaker"}
    return {names.get(name, name): value for name, value in turn.items() if name != "number"}
