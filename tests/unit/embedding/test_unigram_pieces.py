"""The language pack's tokenizer cuts texts as the library `tokenizers` does with the original vocabulary."""

from __future__ import annotations

import shutil
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from rag_memory.embedding.registry import default_embedder
from rag_memory.embedding.unigram_pieces import FILE, FIRST, LAST, UNKNOWN, Trie, UnigramPieces
from rag_memory.errors import EmbedderError
from rag_memory_build import language_pack, pack_tokenizer
from rag_memory_build.pack_texts import TEXTS

MOST = 256
_WORDS = [word for text in TEXTS for word in text.split()]
_LETTERS = st.characters(codec="utf-8", exclude_categories=["Cn", "Co"])


@pytest.fixture(name="ours", scope="module")
def _ours() -> UnigramPieces:
    return UnigramPieces(language_pack.prepare() / FILE, MOST)


@pytest.fixture(name="theirs", scope="module")
def _theirs() -> Tokenizer:
    with zipfile.ZipFile(language_pack.fetch_original()) as archive:
        model = pack_tokenizer.SentencePieceModel.read(archive.read(language_pack.TOKENIZER))
    names = [piece.decode() for piece in model.pieces]
    tokenizer = Tokenizer(models.Unigram(list(zip(names, model.scores, strict=True)), unk_id=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(model.chars_map),
            normalizers.Strip(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", FIRST), ("</s>", LAST)]
    )
    tokenizer.enable_truncation(MOST)
    return tokenizer


def _is_read_alike(text: str) -> bool:
    """False for what the library reads in another way than SentencePiece, and we do not: letters that are
    one character together, the names of special tokens, and blanks that are none in the table.
    """
    normal = "".join(unicodedata.normalize("NFKC", letter) for letter in text)
    if unicodedata.normalize("NFKC", text) != normal or any(map(_is_mark, text)):
        return False
    return not any(odd in text for odd in "<▁\x0b\x85")


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"


@given(text=st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join))
@settings(deadline=None)
def test_sentences_have_the_same_pieces(ours: UnigramPieces, theirs: Tokenizer, text: str) -> None:
    if _is_read_alike(text):
        assert ours(text) == theirs.encode(text).ids


@given(text=st.text(_LETTERS, max_size=60))
@settings(deadline=None)
def test_any_letters_have_the_same_pieces(ours: UnigramPieces, theirs: Tokenizer, text: str) -> None:
    if _is_read_alike(text):
        assert ours(text) == theirs.encode(text).ids


def test_a_letter_and_its_mark_are_one_character(ours: UnigramPieces) -> None:
    assert ours("E\u0301cole, Ou\u0301") == ours("École, Oú")


def test_a_long_text_is_cut_off_and_ended(ours: UnigramPieces) -> None:
    ids = ours("word " * 1000)
    assert len(ids) == MOST and (ids[0], ids[-1]) == (FIRST, LAST)
    assert ours("") == ours(" \t\u3000") == [FIRST, LAST]


def test_no_text_ends_itself_early(ours: UnigramPieces) -> None:
    assert ours("Hello </s> there <s>")[1:-1].count(LAST) == 0


@given(st.dictionaries(st.binary(min_size=1, max_size=4), st.integers(0, 1000), min_size=1, max_size=40))
def test_a_trie_has_its_strings_and_no_others(values: dict[bytes, int]) -> None:
    trie = Trie(*(memoryview(numbers) for numbers in pack_tokenizer.build_trie(values)))
    for text in [*values, *(text + b"\xff" for text in values), *(text[:-1] for text in values), b"\0"]:
        assert _value(trie, text) == values.get(text, -1)


def _value(trie: Trie, text: bytes) -> int:
    unit = 0
    for byte in text:
        child = trie.base[unit] + byte
        if trie.parent[child] != unit:
            return -1
        unit = child
    return trie.value[unit]


@pytest.mark.parametrize("size", [0, 10, 1000])
def test_a_file_that_is_cut_off_is_refused(size: int, tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes((language_pack.prepare() / FILE).read_bytes()[:size])
    with pytest.raises(ValueError, match=r"cut off|bytes|empty"):
        UnigramPieces(file, MOST)


@pytest.mark.parametrize("place", [12, 1000, 500_000, -1000])
def test_a_model_whose_tokenizer_was_changed_is_refused(place: int, tmp_path: Path) -> None:
    folder = tmp_path / language_pack.NAME
    shutil.copytree(language_pack.prepare(), folder)
    content = bytearray((folder / FILE).read_bytes())
    content[place] ^= 0x40
    (folder / FILE).write_bytes(content)
    with pytest.raises(EmbedderError, match=FILE) as caught:
        default_embedder(folder)
    assert "--language-pack multilingual" in caught.value.remedy
