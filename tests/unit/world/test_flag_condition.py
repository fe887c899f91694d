"""Expressions on the flags of the story: what they mean, and what is said of a wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from rag_memory.errors import InvalidArgumentError
from rag_memory.world.flag_condition import parsed_condition

FLAGS: dict[str, Any] = {"quest.mill": 2, "burned": False, "miller": "dead", "share": 1.5}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("quest.mill >= 2", True),
        ("quest.mill>=2 and not burned", True),
        ("quest.mill > 2 or miller == 'dead'", True),
        ('burned or quest.mill == 2 and miller != "dead"', False),
        ("(burned or quest.mill == 2) and miller == 'dead'", True),
        ("!(burned || share<1) && true", True),
        ("not not share == 1.5", True),
        ("2 <= quest.mill", True),
        ("share > -2", True),
        ("miller > 3", False),
        ("miller != 3", True),
        ("NOT burned AND share > 1", True),
        ("unset", False),
        ("unset >= 1", False),
        ("unset == 0 and unset == '' and unset == false", True),
        ("unset == other_unset", True),
        ("unset < other_unset", False),
        ("not " * 120 + "burned", False),
    ],
)
def test_an_expression_is_read_as_a_game_developer_means_it(text: str, holds: bool) -> None:
    assert parsed_condition("when", text)(FLAGS) is holds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("quest.mill = 2", '"=" stands after "quest.mill", where and, or, =='),
        ("quest.mill >=", 'it ends after ">=", where a flag, a number or a text in quotes belongs'),
        ("quest.mill 2", '"2" stands after "quest.mill"'),
        ("(share", "a closing parenthesis belongs"),
        ("share)", '")" stands after "share"'),
        ("and share", '"and" stands at its beginning'),
        ("1 < share < 3", '"<" stands after "share"'),
        ("share @ 2", '"@" stands after "share"'),
        ("miller == 'dead", "stands after"),
        ("__import__('os')", '"(" stands after "__import__"'),
        ("(" * 50 + "share" + ")" * 50, "more than 20 parentheses"),
        ("a" * 501, "501 characters"),
        ("2nd > 1", "stands at its beginning"),
    ],
)
def test_a_wrong_expression_is_an_error_that_names_the_part(text: str, why: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"quest\.mill >= 2") as error:
        parsed_condition("set_facts(): known_by.when", text)
    assert why in str(error.value)
