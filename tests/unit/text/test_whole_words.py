"""Words and names as a whole, in scripts with spaces between words and without."""

from __future__ import annotations

import re

import pytest

from rag_memory.text.name_mentions import NameMentions
from rag_memory.text.whole_words import whole_words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Mira", "Mira's hat"),
        ("Ayşe", "Ayşe'nin kılıcı"),
        ("花子", "花子さんが来た"),
        ("花子", "昨日は花子と話した"),
        ("アン", "アンは歌った"),
        ("小明", "我看见小明偷了鸡"),
        ("민수", "민수가 왔다"),
        ("민수", "어제 민수에게는 말했다"),
        ("민수", "민수 씨"),
        ("สมชาย", "เมื่อวานสมชายมา"),
    ],
)
def test_a_name_is_found_with_what_its_language_hangs_on_it(name: str, text: str) -> None:
    assert re.search(whole_words([name]), text)
    assert NameMentions([], [name]).are_in(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "Anna sang."),
        ("アン", "アンナは歌った"),
        ("アン", "ジョアンは歌った"),
        ("민수", "민수정이 왔다"),
        ("수민", "김수민이 왔다"),
        ("花子", "花が咲いた"),
    ],
)
def test_a_name_is_not_found_in_a_longer_one(name: str, text: str) -> None:
    assert not re.search(whole_words([name]), text)
    assert not NameMentions([], [name]).are_in(text)


def test_a_name_of_one_character_is_no_part_of_a_word() -> None:
    assert not NameMentions([], ["王"]).are_in("国王死了")
    assert NameMentions([], ["王"]).are_in("王")


def test_no_words_are_found_nowhere() -> None:
    assert not re.search(whole_words([]), "anything")
