"""Texts are cut into the same pieces as by Hugging Face's tokenizers."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from rag_memory.embedding.word_pieces import WordPieces, words_of
from rag_memory_build.paths import MODELS

_FILE = MODELS / "default" / "tokenizer.json"
_MOST = 256
_SPECIAL = ("[SEP]", "[CLS]", "[PAD]", "[MASK]", "[UNK]")
_TEXTS = (
    "",
    " \t\n",
    "The old smith hammered all night, because the baron wanted his sword by dawn.",
    "It's 40% - or $12.50; isn't it? (See [here] <there> & `x^2 = y~z|w`.)",
    "Ou\u0301 est passée la clé de l'écurie ? ÉCOLE, Straße, naïve, Ǆ, İstanbul, ıssız",
    "ΟΔΥΣΣΕΥΣ ΚΑΙ ΠΗΝΕΛΟΠΗ. Никто не знает. 誰も知らない。한국어 문장 हिन्दी ไทย עִבְרִית العَرَبِيَّة",
    "a\u0000b\ufffdc\u200bd\u00ade\u2028f\u00a0g\u3000h\u0085i\x1fj\u0378k",
    "🙂 👩‍👩‍👧 ✨ — … “quotes” «guillemets» ¿qué? ¡sí! №5 §3 ©",
    "x" * 100,
    "x" * 101,
    "unbelievably antidisestablishmentarianism zzyzx qwrtpsdfg",
    "word " * 400,
    "antidisestablishmentarianism " * 60,
)
_LETTERS = st.characters(max_codepoint=0x4FF)
_ODD = st.sampled_from("aeiou ing.,'-ßΣİ中文字한\u0301\u200b")


def _description() -> dict[str, Any]:
    description: dict[str, Any] = json.loads(_FILE.read_bytes())
    return description


@pytest.fixture(name="theirs", scope="module")
def _theirs() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(_FILE))
    tokenizer.enable_truncation(_MOST)
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(name="ours", scope="module")
def _ours() -> WordPieces:
    tokenizer = WordPieces.of(_description(), _MOST)
    assert tokenizer is not None
    return tokenizer


@pytest.mark.parametrize("text", _TEXTS)
def test_a_text_has_the_same_pieces(text: str, ours: WordPieces, theirs: Tokenizer) -> None:
    assert ours(text) == theirs.encode(text).ids


@given(text=st.text(_LETTERS | _ODD, max_size=80))
def test_any_text_has_the_same_pieces(ours: WordPieces, theirs: Tokenizer, text: str) -> None:
    if not any(name in text for name in _SPECIAL):
        assert ours(text) == theirs.encode(text).ids


def test_no_text_ends_itself_early(ours: WordPieces) -> None:
    end = ours("")[-1]
    assert ours("Hello [SEP] there").count(end) == 1
    assert words_of("[SEP]") == ["[", "sep", "]"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("model", "type"), "Unigram"),
        (("model", "continuing_subword_prefix"), ""),
        (("normalizer",), None),
        (("normalizer", "lowercase"), False),
        (("normalizer", "strip_accents"), False),
        (("pre_tokenizer", "type"), "Whitespace"),
        (("post_processor",), None),
        (("post_processor", "single"), [{"Sequence": {"id": "A", "type_id": 0}}]),
    ],
)
def test_tokenizers_of_other_kinds_are_left_to_their_library(place: tuple[str, ...], value: Any) -> None:
    description = copy.deepcopy(_description())
    table = description
    for name in place[:-1]:
        table = table[name]
    table[place[-1]] = value
    assert WordPieces.of(description, _MOST) is None
