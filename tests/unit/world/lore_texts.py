"""Lore that the tests write."""

from __future__ import annotations

import random

_WORDS = ("river", "castle", "village", "market", "winter", "oath", "lord", "trade", "salt", "grain", "horse")


def sentence(dice: random.Random, words: int) -> str:
    """A sentence of this many words."""
    return " ".join(dice.choice(_WORDS) for _ in range(words)).capitalize() + "."


def paragraph(seed: int, words: int) -> str:
    """A paragraph of sentences of ten words."""
    dice = random.Random(seed)
    return " ".join(sentence(dice, 10) for _ in range(words // 10))


REALM = f"""---
title: The Realm
tags: [canon, "north"]
---
# Norhold

{paragraph(1, 120)} Aldwin rules Norhold from the castle of Greywater.

## Nobles

{paragraph(2, 150)} Nobles value feudal oaths and cavalry above gold. #nobility

# Carrow

{paragraph(3, 130)} Brannoc hates every king but himself.

# Trade

{paragraph(4, 110)} Amber is sold in Ostican for twice its price. #trade
"""
