"""Windows of days: which there are, what they are made of, and that they add up to any period."""

import random

import pytest

from trivium.ledger.spending.rollups.model import (
    SPANS,
    DayRun,
    RollupShape,
    cover,
    parts,
    shape_of,
    windows_ending,
    windows_with,
)


def days_of(runs):
    """Every day of these, one by one."""
    return [
        day
        for run in runs
        for first in range(run.first, run.last + 1, max(run.span, 1))
        for day in range(first, first + max(run.span, 1))
    ]


@pytest.mark.parametrize("seed", range(100))
def test_a_period_is_covered_once(seed):
    """By windows that are closed and have no late day in them, whatever is closed and late."""
    chance = random.Random(seed)
    since = chance.randrange(20_000, 20_100)
    until = since + chance.randrange(-1, 200)
    closed = chance.choice((-1, since - 1, chance.randrange(since, since + 250)))
    late = sorted(chance.sample(range(since, since + 200), chance.choice((0, 0, 1, 5))))
    spans = chance.choice((SPANS, SPANS[1:], (1,), ()))
    runs = cover(since, until, spans, closed, late)
    assert list(range(since, until + 1)) == days_of(runs)
    for run in runs:
        for first in range(run.first, run.last + 1, run.span) if run.span else ():
            assert run.span in spans
            assert not first % run.span
            assert first + run.span - 1 <= closed
            assert not set(range(first, first + run.span)) & set(late)


@pytest.mark.parametrize(("days", "most"), [(30, 12), (365, 20), (3_700, 70)])
def test_a_period_is_few_windows(days, most):
    """However it lies: what it takes to read it grows with its length by 64 days a window."""
    counts = [
        len(
            [
                first
                for run in cover(since, since + days - 1, SPANS, 10**6)
                for first in range(run.first, run.last + 1, run.span)
            ]
        )
        for since in range(20_000, 20_064)
    ]
    assert most == max(counts)


def test_days_that_are_not_closed_take_no_time():
    """Also a million of them."""
    assert [DayRun(0, 0, 10**12)] == cover(0, 10**12, SPANS, -1)


@pytest.mark.parametrize(
    ("columns", "shape"),
    [
        ((), RollupShape.ANSWERS),
        (("day", "team_id", "model"), RollupShape.ANSWERS),
        (("team_id", "user_id"), RollupShape.CALLERS),
        (("day", "key_id", "payer_id"), RollupShape.CALLERS),
        (("user_id", "model"), RollupShape.WHOLE),
        (("payer_id", "channel"), RollupShape.WHOLE),
    ],
)
def test_the_least_that_tells_columns_apart(columns, shape):
    """A day is told by all of them."""
    assert shape is shape_of(columns)


def test_every_window_is_made_once_and_after_its_parts():
    """Day by day, also where days are passed over because nothing was spent on them."""
    made = []
    after = 19_999
    for until in (20_000, 20_001, 20_007, 20_100, 20_300):
        made += windows_ending(after, until)
        after = until
    assert len(set(made)) == len(made)
    ends = {window.day + window.span - 1 for window in made}
    assert (20_000, 20_300) == (min(ends), max(ends))
    wanted = sum(
        1
        for day in range(20_000, 20_301)
        for shape in RollupShape
        for span in shape.spans
        if not (day + 1) % span
    )
    assert wanted == len(made)
    known = set()
    for window in made:
        span, last = parts(window)
        if span and window.day > 20_000:
            days = range(window.day, last + 1, span)
            assert {(window.shape, span, day) for day in days} <= known
            assert last + span == window.day + window.span
        known.add(tuple(window))


def test_what_has_a_day_in_it():
    """In every shape and span, as far as it may be closed."""
    found = windows_with(20_001, 20_010)
    assert {(RollupShape.CALLERS, 1, 20_001), (RollupShape.WHOLE, 4, 20_000)} <= {*found}
    assert all(window.day <= 20_001 < window.day + window.span <= 20_011 for window in found)
    assert [] == windows_with(20_001, 20_000)


@pytest.mark.parametrize("shape", RollupShape)
def test_what_a_shape_tells_apart_is_of_the_table(shape):
    """Only the whole of a single day has no window: it is a row of the table itself."""
    assert (1 in shape.spans) == (shape is not RollupShape.WHOLE)
    assert len(set(shape.columns)) == len(shape.columns)
