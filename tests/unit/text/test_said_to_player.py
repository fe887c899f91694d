"""Memories of the player in other languages than English, as they are said to the player."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_memory import MemoryConfig, Save
from rag_memory.text.languages.said_to_player import said_to_player
from rag_memory.text.languages.tables import TABLES, recall_words

SAID = {
    "Le joueur m'a offert un collier d'argent.": "Tu m'as offert un collier d'argent.",
    "Le joueur n'a pas tenu parole.": "Tu n'as pas tenu parole.",
    "Le joueur est mon ami.": "Tu es mon ami.",
    "Le joueur habite près du moulin.": "Tu habites près du moulin.",
    "Der Spieler hat mir eine Kette geschenkt.": "Du hast mir eine Kette geschenkt.",
    "Der Spieler rettete meine Tochter.": "Du rettetest meine Tochter.",
    "El jugador me dio un collar.": "Me diste un collar.",
    "El jugador robó una bolsa.": "Robaste una bolsa.",
    "El jugador construyó un puente.": "Construiste un puente.",
    "O jogador me deu um colar.": "Você me deu um colar.",
    "Игрок не пришёл на встречу.": "Ты не пришёл на встречу.",
    "玩家送了我一枚戒指。": "你送了我一枚戒指。",
    "プレイヤーは私に指輪をくれた。": "あなたは私に指輪をくれた。",
}
UNCLEAR = (
    "Le joueur a volé sa bourse.",
    "Le joueur a volé la bourse et a ri.",
    "Le joueur dort dans la grange.",
    "Der Spieler hat sein Pferd verkauft.",
    "Der Spieler hat gestohlen und lachte.",
    "El jugador perdió su caballo.",
    "El jugador me dijo que vendría.",
    "Игрок сказал, что придёт.",
    "Игрок спит в сарае.",
    "玩家偷了他的钱包。",
)


def turned(text: str) -> str:
    player = next(of.player for of in TABLES.values() if text.casefold().startswith(of.player.casefold()))
    return said_to_player(text[: len(player)], text[len(player) :], recall_words(text))


@pytest.mark.parametrize(("stored", "said"), SAID.items())
def test_the_player_is_spoken_to(stored: str, said: str) -> None:
    assert turned(stored) == said


@pytest.mark.parametrize("stored", UNCLEAR)
def test_what_might_come_out_wrong_stays(stored: str) -> None:
    assert turned(stored) == ""


def test_words_in_quotes_are_of_others() -> None:
    stored = "Le joueur m'a dit : « Il a volé sa bourse. »"
    assert turned(stored) == "Tu m'as dit : « Il a volé sa bourse. »"


def test_an_npc_says_to_the_player_what_the_player_did(opened: Callable[..., Save]) -> None:
    npc = opened().npc("odile")
    npc.config = MemoryConfig(wording={"the_player": "le joueur"})
    npc.memories.store("Le joueur m'a offert un collier d'argent.", 7, {"event_type": "gift_received"})
    answer = npc.unaided_answers.answer_from_memory("line", "Qui t'a offert un collier d'argent ?")
    assert answer["response"].endswith("Tu m'as offert un collier d'argent.")
