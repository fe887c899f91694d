"""What a character says in a raw answer of a language model, whole, in pieces, and cut anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.prompt.raw_answers import (
    BREAD,
    READABLE_AT_ONCE,
    READABLE_AT_THE_END,
    THOUGHT,
    RawAnswer,
)

from rag_memory.config import MemoryConfig
from rag_memory.prompt.answer_reader import Answer, AnswerReader, Habit
from rag_memory.prompt.answers import read_answer, read_model_text

ALL = (*READABLE_AT_ONCE, *READABLE_AT_THE_END)


SECTIONS = MemoryConfig().section_titles()


def read(text: str, habit: Habit, size: int = 1, only_speech: bool = False) -> tuple[str, Answer]:
    """What was shown while it came and at its end, and what was read."""
    reader = AnswerReader(["Mira"], ["Aldo"], habit, only_speech=only_speech, sections=SECTIONS)
    shown = [reader.feed(piece) for piece in pieces(text, size)]
    rest, answer = reader.finish()
    return "".join((*shown, rest)), answer


def pieces(text: str, size: int) -> Iterator[str]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


def ids(answers: tuple[RawAnswer, ...]) -> list[str]:
    return [answer.name for answer in answers]


def test_there_are_enough_forms_and_no_name_stands_for_two() -> None:
    assert len(ALL) >= 90
    assert len({answer.name for answer in ALL}) == len(ALL)


@pytest.mark.parametrize("raw", ALL, ids=ids(ALL))
@pytest.mark.parametrize("size", (1, 2, 7, 1_000_000))
def test_only_speech_is_read_and_shown(raw: RawAnswer, size: int) -> None:
    shown, answer = read(raw.text, Habit.UNKNOWN, size)

    assert answer.response == raw.speech
    assert shown == raw.speech
    assert raw.reasoning in answer.reasoning


@pytest.mark.parametrize("raw", READABLE_AT_ONCE, ids=ids(READABLE_AT_ONCE))
@pytest.mark.parametrize("size", (1, 2, 7, 1_000_000))
def test_a_clear_model_is_shown_as_it_speaks(raw: RawAnswer, size: int) -> None:
    shown, answer = read(raw.text, Habit.CLEAR, size)

    assert answer.response == raw.speech
    assert shown == raw.speech
    assert answer.habit is (Habit.REASONS if raw.reasoning else Habit.CLEAR)


@pytest.mark.parametrize("raw", READABLE_AT_ONCE, ids=ids(READABLE_AT_ONCE))
@pytest.mark.parametrize("habit", (Habit.UNKNOWN, Habit.CLEAR))
def test_an_answer_that_is_cut_anywhere_says_the_beginning_of_it(raw: RawAnswer, habit: Habit) -> None:
    for cut in range(len(raw.text)):
        shown, answer = read(raw.text[:cut], habit, only_speech="{" not in raw.text)

        assert shown == answer.response
        is_her_name = answer.response.lower() == "mira"
        """A whole answer may be a name; the colon after it tells more."""
        assert raw.speech.startswith(answer.response) or is_her_name, raw.text[:cut]


@pytest.mark.parametrize("raw", READABLE_AT_THE_END, ids=ids(READABLE_AT_THE_END))
def test_a_model_is_not_taken_for_clear_when_only_the_end_tells(raw: RawAnswer) -> None:
    _, answer = read(raw.text, Habit.UNKNOWN)

    waits_for_json = raw.name.startswith("a remark before") or raw.name == "thinking within thinking"
    assert answer.habit not in (Habit.CLEAR, Habit.REASONS) or waits_for_json


def test_a_model_whose_template_begins_its_reasoning_is_shown_live_the_next_time() -> None:
    raw = f"{THOUGHT}\n</think>\n\n{BREAD}"
    _, first = read(raw, Habit.UNKNOWN)
    assert first.habit is Habit.BEGINS_IN_REASONING

    for cut in range(len(raw)):
        reader = AnswerReader(["Mira"], ["Aldo"], first.habit, only_speech=True)
        shown = "".join(map(reader.feed, raw[:cut]))
        rest, answer = reader.finish()
        assert BREAD.startswith(shown)
        assert shown + rest == answer.response

    reader = AnswerReader(["Mira"], ["Aldo"], first.habit, only_speech=True)
    assert "".join(map(reader.feed, raw)) == BREAD


def test_a_model_that_stops_to_reason_is_held_back_again() -> None:
    _, answer = read(BREAD, Habit.BEGINS_IN_REASONING)

    assert (answer.response, answer.habit) == ("", Habit.UNKNOWN)
    assert any("said nothing" in warning for warning in answer.warnings)


def test_the_analysis_comes_with_the_response() -> None:
    _, answer = read('{"response": "Hm.", "analysis": {"trust_change": 2,},}', Habit.CLEAR)

    assert answer.proposed == {"response": "Hm.", "analysis": {"trust_change": 2}}
    assert answer.is_json
    assert answer.warnings == []


def test_keys_that_were_not_asked_for_are_named() -> None:
    _, answer = read('{"reply": "Hm.", "mood": "sad"}', Habit.CLEAR)

    assert answer.response == "Hm."
    assert "its reply is taken for it" in answer.warnings[0]
    assert "mood" in answer.warnings[1]


def test_an_answer_beyond_the_limit_is_cut_with_a_warning() -> None:
    reader = AnswerReader(["Mira"], longest=10)
    for _ in range(5):
        reader.feed("bread ")
    _, answer = reader.finish()

    assert answer.response == "bread brea"
    assert "30 characters" in answer.warnings[0]


@pytest.mark.parametrize(
    ("written", "speech"),
    {
        r"\ud83dgood evening": "good evening",
        r"\ud83d\n\nHello": "Hello",
        r"\ud83d\u00fcber": "über",
        r"\ud83d\ud83d\ude00!": "😀!",
        r"\ud83d": "",
        r"\x\q\n\"\/": '"/',
    }.items(),
)
@pytest.mark.parametrize("size", (1, 2, 3, 7, 100))
def test_an_escape_that_json_does_not_have_takes_nothing_else_with_it(
    written: str, speech: str, size: int
) -> None:
    for text in (f'{{"response": "{written}", "analysis": {{}}}}', f'{{"response": "{written}'):
        shown, answer = read(text, Habit.CLEAR, size)
        assert shown == answer.response == speech


def test_what_was_read_is_dropped() -> None:
    for beginning in ('{"response": "', "", '{"thought": "'):
        reader = AnswerReader(["Mira"], habit=Habit.CLEAR, only_speech=True)
        said = [reader.feed(beginning), *(reader.feed("word and ") for _ in range(2000))]
        assert len("".join(said)) > 15_000 or "thought" in beginning


WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäß中文あ한ر", min_size=1, max_size=9)
SENTENCE = st.builds(
    lambda words, end: " ".join(words) + end, st.lists(WORD, min_size=1, max_size=8), st.sampled_from(".!?…")
)
SPEECH = st.builds("\n".join, st.lists(SENTENCE, min_size=1, max_size=5)) | st.builds(
    " ".join, st.lists(SENTENCE, min_size=1, max_size=5)
)


@given(
    speech=SPEECH,
    size=st.integers(1, 9),
    habit=st.sampled_from((Habit.UNKNOWN, Habit.CLEAR)),
    only_speech=st.booleans(),
)
def test_nothing_of_real_speech_is_lost(speech: str, size: int, habit: Habit, only_speech: bool) -> None:
    shown, answer = read(speech, habit, size, only_speech)

    assert shown == answer.response == speech


@given(speech=SPEECH, ascii_only=st.booleans(), size=st.integers(1, 9))
def test_nothing_of_speech_in_json_is_lost(speech: str, ascii_only: bool, size: int) -> None:
    text = json.dumps({"response": speech, "analysis": {"gift": ""}}, ensure_ascii=ascii_only)
    shown, answer = read(text, Habit.CLEAR, size)

    assert shown == answer.response == speech
    assert answer.proposed["analysis"] == {"gift": ""}


def test_a_name_that_has_two_small_letters_for_one_is_a_label() -> None:
    reader = AnswerReader(["İrem"], ["İlhan"], Habit.CLEAR)
    reader.feed("İrem: Bread.\nİlhan: Thanks.")
    assert reader.finish()[1].response == "Bread."


def test_the_words_of_another_with_a_part_of_her_name_are_not_hers() -> None:
    reader = AnswerReader(["Sister Anna"], ["Anna"], Habit.CLEAR)
    reader.feed("Bread.\nAnna: Thanks.")
    assert reader.finish()[1].response == "Bread."


def test_a_model_that_does_not_reason_this_time_is_heard_all_the_same() -> None:
    _, answer = read(f'{{"response": "{BREAD}"}}', Habit.BEGINS_IN_REASONING)

    assert answer.response == BREAD


def test_what_was_shown_is_what_is_said() -> None:
    shown, answer = read('{"response": "A."}\n{"response": "B."}', Habit.CLEAR)

    assert shown == answer.response == "A."


@given(text=st.text(alphabet='<>|/think{}"\\:\n `*[]THINKaMirPlye.', max_size=60), size=st.integers(1, 5))
def test_whatever_comes_is_read_alike_in_pieces(text: str, size: int) -> None:
    _, whole = read(text, Habit.CLEAR, 1_000_000)
    _, answer = read(text, Habit.CLEAR, size)

    assert answer.response == whole.response


@pytest.mark.parametrize("value", ("{1, 2}", "b'x'", "1j", "(1, 2)", "None"))
def test_python_in_place_of_json_has_only_what_json_has(value: str) -> None:
    read_object = read_model_text(f"{{'a': {value}}}")["object"]

    assert read_object is None or json.loads(json.dumps(read_object)) == read_object


def test_a_change_of_four_hundred_digits_is_clamped() -> None:
    answer = read_answer(
        f'{{"response": "Hm.", "analysis": {{"trust_change": 1{"0" * 400}}}}}', {}, MemoryConfig()
    )

    assert answer["analysis"]["trust_change"] == 15


def test_the_words_of_a_game_for_its_speakers_are_labels_and_roles() -> None:
    config = MemoryConfig(wording={"turn_of_player": "Wanderer", "turn_of_npc": "Wirtin"})
    text = '{"response": "Wirtin: Brot.\\nWanderer: Danke.", "analysis": {"promise_made": "Wanderer: obey"}}'
    answer = read_answer(text, {}, config)

    assert answer["response"] == "Brot."
    assert answer["analysis"]["promise_made"] == "Wanderer, obey"


def test_an_answer_that_only_quotes_the_player_says_nothing() -> None:
    answer = read_answer('The player asked: "Is the well dry?"', {}, MemoryConfig())
    assert answer["response"] == ""
