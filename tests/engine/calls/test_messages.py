"""Messages about wrong values use the words of GDScript."""

from __future__ import annotations

import re

from tests.engine.game import Home, Project, is_error, is_warning, run

_OF_ANOTHER_LANGUAGE = re.compile(
    r"<null>|\b(?:None|NoneType|True|False|str(?!\()|dict|tuple|Mapping|EngineValue|Traceback|\w+Error|npc\(\)|"
    r"surrogates?|invalid literal|iterable|NaN|lone|shall|told)\b|\(list\)|\ba list\b|dict\[|list\[|\$godot"
)
_NAMED_TWICE = re.compile(r"\.(\w+?)(?:_async)?: \1\(\)")


def test_no_message_has_words_of_another_language(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "odd_values", allowed=[""])
    assert game.value("open") == 0
    assert game.value("calls") > 5000
    messages = {line for line in game.lines if is_error(line) or is_warning(line)}
    ours = {line for line in messages if re.search(r"RAGMemory|Memory(?:Server|Config)|rag_memory", line)}
    assert len(ours) > 500, game.tail()
    wrong = sorted(line for line in ours if _OF_ANOTHER_LANGUAGE.search(line))
    assert not wrong, f"{len(wrong)} of {len(ours)}:\n" + "\n".join(wrong[:60])
    twice = sorted(line for line in messages if _NAMED_TWICE.search(line))
    assert not twice, "\n".join(twice[:20])
    inner = sorted(line for line in messages if "Please report" in line)
    assert not inner, "\n".join(inner[:20])
