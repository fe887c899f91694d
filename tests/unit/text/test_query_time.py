"""The times that questions ask about."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.config.calendar import GameCalendar
from rag_memory.text.number_words import amount, cardinal, ordinal
from rag_memory.text.query_time import QueryTime, query_time

DAY = 86400.0
TODAY = 60
NOW = TODAY * DAY + 20 * 3600.0
LIFE = np.arange(TODAY + 1, dtype=np.float64) * DAY + 10 * 3600.0
"""A memory at ten o'clock of every day."""
FROST = GameCalendar(
    month_names=["Thaw", "Bloom", "Harvest", "Frostmonth"],
    month_days=[28],
    weekday_names=["Moonday", "Sunday", "Starday"],
    season_names=["spring", "summer", "autumn", "winter"],
    first_year=1203,
)


def asked(question: str, now: float = NOW, calendar: GameCalendar | None = None) -> QueryTime:
    time = query_time(question, now, calendar)
    assert time is not None, question
    return time


def best_days(question: str, now: float = NOW, calendar: GameCalendar | None = None) -> list[int]:
    days = np.arange(int(now // DAY) + 1, dtype=np.float64)
    channel = asked(question, now, calendar).inside(days * DAY + 10 * 3600.0)
    return [int(day) for day in days[channel >= channel.max() - 1e-9]] if channel.max() > 0 else []


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did I do yesterday?", [59]),
        ("Any news the day before yesterday?", [58]),
        ("What did you give me today?", [60]),
        ("What did I bring you this morning?", [60]),
        ("Who was here last night?", [59]),
        ("What happened three days ago?", [57]),
        ("Who came twenty-one days ago?", [39]),
        ("What did we quarrel about a couple of days ago?", [58]),
        ("What happened a few days back?", [55, 56, 57]),
        ("Who gave you something a fortnight ago?", [46]),
        ("What did I say exactly five weeks ago?", [25]),
        ("Where was I a month ago?", [30]),
        ("What happened on day 12?", [12]),
        ("What happened on day seventeen?", [17]),
        ("What happened between day 3 and day 5?", [3, 4, 5]),
        ("What did I tell you on the fourth day?", [4]),
        ("What did I ask you on my first day?", [0]),
        ("What secret did I let slip in my first week here?", list(range(7))),
        ("What did I do in my second week?", list(range(7, 14))),
        ("Where did we go last week?", list(range(51, 58))),
        ("What happened in the last three days?", [57, 58, 59, 60]),
    ],
)
def test_a_time_is_read_in_digits_and_in_words(question: str, days: list[int]) -> None:
    assert best_days(question) == days


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did I promise on the 3rd of Thaw?", [2]),
        ("What did I promise on Bloom 5?", [32]),
        ("Who died in Bloom?", list(range(28, 56))),
        ("Who died in early Bloom?", list(range(28, 39))),
        ("What did we do in spring?", list(range(28))),
        ("What did we do last summer?", list(range(28, 56))),
        ("Who came on Sunday?", [58]),
        ("What happened last month?", list(range(28, 56))),
        ("What happened in the year 1203?", list(range(61))),
        ("Who came two days before Bloom 5?", [30]),
    ],
)
def test_dates_are_those_of_the_games_own_calendar(question: str, days: list[int]) -> None:
    assert best_days(question, NOW, FROST) == days


def test_names_of_another_calendar_mean_nothing() -> None:
    assert query_time("Who died in Bloom?", NOW) is None
    assert query_time("Who came on Sunday?", NOW) is None


def test_a_clock_that_counts_from_1970_has_real_dates() -> None:
    now = datetime.datetime(2023, 11, 20, 18, tzinfo=datetime.UTC).timestamp()
    moments = [
        datetime.datetime(year, month, day, 12, tzinfo=datetime.UTC).timestamp()
        for year, month, day in ((2022, 7, 3), (2023, 7, 3), (2023, 11, 17), (2023, 11, 19))
    ]
    fit = {
        question: np.round(asked(question, now).inside(np.array(moments)), 1).tolist()
        for question in ("in July", "on Friday", "on 3 July, 2022", "What did you see last summer?")
    }
    assert fit["in July"][:2] == [0.7, 1.0]
    assert fit["on Friday"] == [0, 0, 1, 0]
    assert fit["on 3 July, 2022"] == [1, 0, 0, 0]
    assert fit["What did you see last summer?"][1] == 1.0


@pytest.mark.parametrize(
    ("question", "event", "day", "wanted"),
    [
        ("What did we eat the day after the fire?", "the fire", 17, [18]),
        ("Who came two days before the old man died?", "the old man died", 41, [39]),
        ("What happened the night before the funeral?", "the funeral", 21, [20]),
        ("What happened on the day of the attack?", "the attack", 42, [42]),
        ("What happened a week after the wedding?", "the wedding", 10, [17]),
        ("What did I say right before you fell sick?", "you fell sick", 35, [33, 34, 35]),
        ("After the flood, what was left?", "the flood", 50, [50, 51, 52, 53]),
    ],
)
def test_an_event_may_date_the_question(question: str, event: str, day: int, wanted: list[int]) -> None:
    time = asked(question)
    assert time.anchor is not None and time.anchor.text == event
    channel = time.inside(LIFE, [(day * DAY + 9 * 3600.0, 1.0)])
    assert np.flatnonzero(channel == 1.0).tolist() == wanted
    assert not time.inside(LIFE).any()


def test_the_event_itself_is_neither_before_nor_after_it() -> None:
    fire = 17 * DAY + 10 * 3600.0

    def is_inside(question: str) -> bool:
        return bool(asked(question).inside(np.array([fire]), [(fire, 1.0)]).any())

    assert not is_inside("What happened before the fire?")
    assert not is_inside("What happened after the fire?")
    assert is_inside("What happened on the day of the fire?")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What happened in autumn last year?", 56),
        ("Last year in autumn, what did you do?", 56),
        ("What did I do in Harvest last year?", 56),
        ("What happened in the autumn of year 1203?", 56),
        ("What happened in autumn, year 1203?", 56),
        ("What did I say last year's spring?", 0),
        ("What happened the previous autumn?", 56),
        ("What happened two springs ago?", 0),
        ("What happened the spring before last?", 0),
        ("What happened last spring?", 112),
        ("What happened this autumn?", 168),
    ],
)
def test_a_season_or_month_may_have_a_year(question: str, start: int) -> None:
    days = best_days(question, (112 + 2 * 28 + 10.5) * DAY, FROST)
    assert days == list(range(start, min(start + 28, 179)))


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("What was the first thing I ever gave you?", -1),
        ("Do you remember the first time you saw me?", -1),
        ("When did I first come to the club?", -1),
        ("What was our first ever quarrel about?", -1),
        ("When we last had a row, what was it over?", 1),
        ("What did I say the last time we argued?", 1),
        ("What was the last thing I asked of you before you fell ill?", 1),
        ("What is the latest news?", 1),
    ],
)
def test_first_and_last_are_a_place_in_the_life(question: str, order: int) -> None:
    time = asked(question)
    assert time.order == order
    channel = time.in_order(LIFE)
    assert channel[0] == -order and channel[-1] == order
    assert (np.diff(channel) * order > 0).all()


def test_last_looks_inside_the_time_that_is_named() -> None:
    time = asked("What was the last thing I asked of you before you fell ill?")
    inside = time.inside(LIFE, [(35 * DAY, 1.0)])
    channel = time.in_order(LIFE, inside)
    assert channel[35] == 1.0
    assert (inside[36:] == 0.0).all()


@pytest.mark.parametrize(
    "question",
    [
        "What is my last name?",
        "Are we there at last?",
        "First of all, who are you?",
        "Do you know first aid?",
        "What's the first rule?",
        "How long will the candles last?",
        "How long ago did my wire break?",
        "How many days back did I pay?",
        "When were you sick?",
        "What do you do every day?",
        "Who looked after you?",
        "Who are you named after?",
        "What did you do after all?",
        "What should I do after the fire?",
        "Which side was I on before?",
        "Where did I come from before I got here?",
        "What did I swear before the king?",
        "Is there anyone you miss, this time of year?",
        "What do I do on Sundays?",
        "What will you do tomorrow?",
        "Will you see me here next week?",
        "Would you give me back my sword?",
        "Do you want a second helping?",
        "May I stay?",
        "Who's the new girl at the fire?",
        "",
    ],
)
def test_other_words_are_no_time(question: str) -> None:
    assert query_time(question, NOW) is None


def test_a_language_without_a_table_is_silent() -> None:
    assert query_time("Wat hebben we gisteren gedaan?", NOW) is None


def test_after_midnight_today_is_still_the_day_before() -> None:
    assert best_days("What did you give me today?", 61 * DAY) == [60]
    assert best_days("What did I do yesterday?", 61 * DAY + 3 * 3600.0) == [59]


def test_in_a_game_that_counts_whole_days_midnight_is_the_day() -> None:
    days = np.arange(62, dtype=np.float64) * DAY
    channel = asked("What did I do yesterday?", 61 * DAY).inside(days)
    assert channel.argmax() == 60


def test_a_day_may_have_any_length() -> None:
    short = GameCalendar(seconds_per_day=1200.0, first_day_number=1)
    time = asked("What happened on day 12?", 60 * 1200.0, short)
    assert time.inside(np.array([10, 11, 12]) * 1200.0 + 500.0).tolist() == [0, 1, 0]


def test_the_words_of_the_time_are_left_out() -> None:
    assert asked("What happened on day twelve?").words == "what happened ?"
    assert asked("What did you tell Jory three days ago?").words == "what did you tell jory ?"


def test_numbers_in_words() -> None:
    assert (amount("a few"), amount("ninety-nine"), amount("7")) == ((3, 5), (99, 99), (7, 7))
    assert (cardinal("forty two"), ordinal("twenty-first"), ordinal("3rd"), ordinal("thirtieth")) == (
        42,
        21,
        3,
        30,
    )


_WORDS = st.sampled_from(
    [
        *(
            "what",
            "did",
            "i",
            "you",
            "the",
            "first",
            "last",
            "day",
            "days",
            "week",
            "ago",
            "before",
            "after",
            "on",
        ),
        *(
            "since",
            "in",
            "three",
            "a",
            "few",
            "12",
            "fire",
            "yesterday",
            "of",
            "today",
            "month",
            "year",
            "bloom",
        ),
        *(
            "sunday",
            "may",
            "3rd",
            "between",
            "and",
            "night",
            "this",
            "my",
            ".",
            "?",
            "'",
            "about",
            "how",
            "long",
        ),
    ]
)


@given(
    st.lists(_WORDS, max_size=25).map(" ".join) | st.text(max_size=80),
    st.floats(-1e9, 1e12),
    st.sampled_from([None, FROST]),
)
def test_any_question_gives_channels_in_their_ranges(
    question: str, now: float, calendar: GameCalendar | None
) -> None:
    time = query_time(question, now, calendar)
    if time is None:
        return
    moments = np.array([now - 1e7, now - 3e5, now, 0.0])
    inside = time.inside(moments, [(now - 3e5, 1.0), (now, 0.5)])
    order = time.in_order(moments, inside)
    assert inside.shape == order.shape == moments.shape
    assert np.isfinite(inside).all() and inside.min() >= 0.0 and inside.max() <= 1.0
    assert np.abs(order).max() <= 1.0
    assert time.in_order(moments[:0]).shape == time.inside(moments[:0]).shape == (0,)


def test_a_long_question_is_read_quickly() -> None:
    for unit in ("the first ", "how long ", "on the day ", "before ", "day 12 and ", "a few ", "last "):
        query_time(unit * 5000, NOW)
