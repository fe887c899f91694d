"""The demo, as `build.py demo` starts it: this project's own scene in the real engine."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.engine.game import ROOT, START_LIMIT_SECONDS, Home, engine_path

from rag_memory_build import language_pack

TRANSCRIPT = {
    "sample_id": "inn",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Brom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "My sister Nell moved to the lighthouse."},
            {"speaker": "Brom", "dia_id": "D1:2", "text": "I planted forty apple trees behind the mill."},
        ],
        "session_2_date_time": "9:05 am on 2 June, 2023",
        "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "The bridge was washed away last night."}],
    },
    "qa": [
        {"question": "Where did Nell move?", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Brom plant?", "evidence": ["D1:2"], "category": 4},
        {"question": "What happened to the bridge?", "evidence": ["D2:1", "D9:9"], "category": 1},
    ],
}
"""Three turns; one of the four pieces of evidence names no turn, so that it can never be recalled."""


def play(
    home: Home, *arguments: str, scene: str = "res://demo/demo.tscn"
) -> subprocess.CompletedProcess[str]:
    command = [
        str(engine_path()),
        "--headless",
        "--path",
        str(ROOT),
        scene,
        "--",
        *arguments,
    ]
    return subprocess.run(
        command,
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2 * START_LIMIT_SECONDS,
        check=False,
    )


def recall_of(played: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    """How many of the expected memories came, and how many there are."""
    found = re.search(r"Expected memories recalled: (\d+) of (\d+)", played.stdout)
    assert found is not None, played.stdout
    return int(found[1]), int(found[2])


def test_the_village_is_stored_once_and_recalled_each_time(home: Home) -> None:
    first = play(home)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "224 memories stored" in first.stdout
    assert len(re.findall(r"^== \d+ of 10 ", first.stdout, re.MULTILINE)) == 10
    assert re.search(r": tier \d.*, importance .*, recency .*, relevance .*, supersession", first.stdout)
    assert [save.name for save in home.folder.rglob("demo.sqlite3")] == ["demo.sqlite3"]
    second = play(home)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "already remembers 224 memories; nothing is stored again" in second.stdout
    recalled, expected = recall_of(first)
    assert recall_of(second) == (recalled, expected)
    assert expected == 41
    assert recalled >= 30, "three of four memories that a person would expect"


@pytest.mark.parametrize(("language", "expected"), [("de", 21), ("zh", 21)])
def test_an_innkeeper_recalls_in_her_language(language: str, expected: int, home: Home) -> None:
    language_pack.prepare()
    played = play(home, language, scene="res://demo/language_demo.tscn")
    assert played.returncode == 0, played.stdout + played.stderr
    assert "universal-sentence-encoder-multilingual-3" in played.stdout
    recalled, asked_for = recall_of(played)
    assert asked_for == expected
    assert recalled >= 16, "three of four memories that a person would expect"


def test_a_save_of_an_unreleased_version_is_made_anew(home: Home) -> None:
    assert play(home).returncode == 0
    (save,) = home.folder.rglob("demo.sqlite3")
    save.write_bytes((ROOT / "tests/unit/storage/data/save_unreleased.sqlite3").read_bytes())
    again = play(home)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "224 memories stored" in again.stdout


def test_the_share_of_recalled_evidence_of_a_transcript_is_printed(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "a conversation.json"
    file.write_text(json.dumps([TRANSCRIPT]), encoding="utf-8")
    for _ in range(2):
        result = play(home, "--transcript", str(file))
        assert result.returncode == 0, result.stdout + result.stderr
        # Every turn fits the budget; the question with a turn that does not exist counts one half.
        assert re.search(r"\b83\.3 ?%", result.stdout), result.stdout


def test_a_transcript_that_is_not_there_is_an_error_that_says_so(home: Home, tmp_path: Path) -> None:
    result = play(home, "--transcript", str(tmp_path / "absent.json"))
    assert result.returncode == 1
    assert "absent.json" in result.stdout + result.stderr


def test_a_week_of_feelings(home: Home) -> None:
    played = play(home, scene="res://demo/mind_demo.tscn")
    assert played.returncode == 0, played.stdout + played.stderr
    told = played.stdout
    assert re.search(r"Bjorn +feels hostile towards Rowan \(0 of 100\)", told)
    assert re.search(r"Greta +feels friendly towards Rowan \(100 of 100\)", told)
    assert re.search(r"Varn +feels hostile towards Rowan", told)
    assert "Greta concludes: I owe Rowan a favour" in told
    assert "Bjorn concludes: Rowan has treated me badly" in told
    alone, both = told.split("== Greta speaks to")[1:]
    assert "he took Varn's silver" in alone
    assert "silver" not in both.replace("who stole the silver", "")
    assert "towards whom you feel very friendly" in both
    assert "warmer to friends, colder to enemies" in both
    assert play(home, scene="res://demo/mind_demo.tscn").stdout == told, "the same each time"


def test_the_dossier_of_a_lord(home: Home) -> None:
    played = play(home, scene="res://demo/dossier_demo.tscn")
    assert played.returncode == 0, played.stdout + played.stderr
    told = played.stdout
    for part in (
        "- The player promised me to stand at the ford if raiders come. (1 week ago)",
        "Raiders of Iron Hollow burned three farms north of the Aren",
        "- I heard from Varn that this happened: The raiders want to cross the ford",
        "Bring forty sacks of grain from the southern farms. The player is to do this for you.",
        "swears the oath of the ford",
        "The outcome: They wait for one more raid.",
        "Troops: riders 24, archers 40.",
    ):
        assert told.count(part) == 1, told
    assert "stolen grain" not in told and "flour" not in told
    for line in ("events +unknown_to_npc +hidden_store", "events +expired +old_truce", "memories +secret"):
        assert re.search(line, told), told
    budgets = re.findall(r"^\w+ +(\d+) of +(\d+)$", told, re.MULTILINE)
    assert len(budgets) >= 14
    assert all(int(tokens) <= int(budget) for tokens, budget in budgets)
    large, small = (int(each) for each in re.findall(r"^together +(\d+)$", told, re.MULTILINE))
    assert small < large


def test_ten_lines_without_a_language_model(home: Home) -> None:
    played = play(home, scene="res://demo/talk_demo.tscn")
    assert played.returncode == 0, played.stdout + played.stderr
    told = played.stdout
    assert "she answers from memory" in told
    assert told.count('Mira: "') == 10 == told.count("(from memory)")
    for part in ("<memories>", "She feels angry", "Remembered (conversation)"):
        assert part in told, told
