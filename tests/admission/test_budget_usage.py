"""Booked, settled and held: nothing twice, nothing lost."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.admission.budget_usage import DAY_S, FOREVER, FORGET_S, BudgetUsage, bounds
from trivium.identity.model import KeyBudget, Period


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("period", "now", "begin", "end"),
    [
        (Period.DAY, "2026-11-21T00:00:00", "2026-11-21", "2026-11-22"),
        (Period.DAY, "2026-12-31T23:59:59", "2026-12-31", "2027-01-01"),
        (Period.WEEK, "2026-11-22T23:59:59", "2026-11-16", "2026-11-23"),
        (Period.WEEK, "2026-11-23T00:00:00", "2026-11-23", "2026-11-30"),
        (Period.MONTH, "2026-11-30T23:59:59", "2026-11-01", "2026-12-01"),
        (Period.MONTH, "2026-12-31T12:00:00", "2026-12-01", "2027-01-01"),
        (Period.MONTH, "2028-02-29T12:00:00", "2028-02-01", "2028-03-01"),
    ],
)
def test_a_period_begins_at_midnight(period, now, begin, end):
    """The end is the beginning of the next."""
    assert (at(begin), at(end)) == bounds(period, at(now))


def test_in_total_never_ends():
    """And began before anything."""
    assert (0, FOREVER) == bounds(Period.TOTAL, at("2026-11-21"))


NOW = 1_790_000_000.0


def budget_usage(nanos=100, *periods):
    budgets = tuple(KeyBudget(amount_nanos=nanos, period=p) for p in periods or (Period.TOTAL,))
    return BudgetUsage(budgets, NOW)


@given(
    costs=st.lists(st.integers(0, 50), max_size=20),
    order=st.permutations(range(20)),
    learnt_first=st.sets(st.integers(0, 19)),
)
def test_an_entry_counts_once_whenever_it_is_seen(costs, order, learnt_first):
    """Before its settlement is told, after it, in any order: spent is the sum of the costs."""
    kept = budget_usage(10_000)
    for number, cost in enumerate(costs):
        kept.hold(cost + 5)
        if number in learnt_first:
            kept.learn(f"r{number}", cost, int(NOW), NOW)
        kept.settle(f"r{number}", cost + 5, cost, NOW)
        assert 10_000 - sum(costs[: number + 1]) == kept.left()[Period.TOTAL]
    for number in order:
        if number < len(costs) and number not in learnt_first and costs[number]:
            kept.learn(f"r{number}", costs[number], int(NOW), NOW)
    assert {Period.TOTAL: 10_000 - sum(costs)} == kept.left()
    assert (0, 0) == (kept.held_nanos, kept.unbooked_nanos)


def test_the_budget_that_is_exceeded_is_named():
    """The first of several; what fits exactly fits."""
    kept = BudgetUsage(
        (
            KeyBudget(amount_nanos=50, period=Period.DAY),
            KeyBudget(amount_nanos=60, period=Period.MONTH),
        ),
        NOW,
    )
    assert kept.obstacle(NOW, 50) is None
    assert Period.DAY is kept.obstacle(NOW, 51).budget.period
    kept.learn("r", 50, int(NOW), NOW)
    tomorrow = NOW + DAY_S
    assert kept.obstacle(tomorrow, 10) is None
    assert Period.MONTH is kept.obstacle(tomorrow, 11).budget.period


def test_entries_count_in_the_period_of_their_moment():
    """Yesterday's, seen today, is not today's; the first of a new day begins it."""
    kept = budget_usage(100, Period.DAY, Period.TOTAL)
    kept.learn("old", 30, int(NOW) - DAY_S, NOW)
    assert {Period.DAY: 100, Period.TOTAL: 70} == kept.left()
    tomorrow = NOW + DAY_S
    kept.learn("new", 40, int(tomorrow), tomorrow)
    assert {Period.DAY: 60, Period.TOTAL: 30} == kept.left()


def test_the_past_is_summed_by_days():
    """Each budget takes the days of its own period."""
    kept = budget_usage(100, Period.DAY, Period.TOTAL)
    today = int(NOW) - int(NOW) % DAY_S
    kept.begin([(today, 1), (today - DAY_S, 2), (0, 4)])
    assert {Period.DAY: 99, Period.TOTAL: 93} == kept.left()
    assert 0 == kept.since


def test_a_settlement_that_is_never_booked_is_let_go():
    """The database refused it for good; waiting for it would keep the money for ever."""
    kept = budget_usage()
    kept.settle("r", 0, 40, NOW)
    kept.learn("other", 10, int(NOW), NOW)
    kept.forget(NOW + FORGET_S)
    assert {Period.TOTAL: 50} == kept.left()
    kept.forget(NOW + FORGET_S + 1)
    assert {Period.TOTAL: 90} == kept.left()


def test_other_budgets_keep_what_was_spent():
    """A cap that is raised or lowered in mid-month does not begin the month anew."""
    month = KeyBudget(amount_nanos=100, period=Period.MONTH)
    budget_usage = BudgetUsage((month,), NOW)
    budget_usage.learn("r1", 60, int(NOW), NOW)
    budget_usage.hold(10)
    higher = (
        KeyBudget(amount_nanos=500, period=Period.MONTH),
        KeyBudget(amount_nanos=20, period=Period.DAY),
    )
    budget_usage.adopt(higher, NOW)
    assert {Period.MONTH: 430, Period.DAY: 10} == budget_usage.left()
    budget_usage.adopt((KeyBudget(amount_nanos=50, period=Period.MONTH),), NOW)
    assert ({Period.MONTH: -20}, Period.MONTH) == (
        budget_usage.left(),
        budget_usage.obstacle(NOW, 0).budget.period,
    )


@pytest.mark.parametrize("period", [Period.DAY, Period.WEEK, Period.MONTH])
def test_a_clock_that_was_ahead_neither_frees_a_budget_nor_freezes_it(period):
    """What was known when the period ended holds again; all of it is summed up anew."""
    kept = budget_usage(100, period)
    kept.begin([(int(NOW), 0)])
    kept.learn("r1", 60, int(NOW), NOW)
    ahead = NOW + 40 * DAY_S
    assert kept.obstacle(ahead, 100) is None
    kept.learn("r2", 10, int(ahead), ahead)
    assert kept.is_whole
    assert kept.obstacle(NOW, 41) is kept.spent[0]
    assert not kept.is_whole
    kept.begin([(int(NOW), 60)])
    kept.learn("r3", 30, int(NOW), NOW)
    assert {period: 10} == kept.left()


def test_a_clock_that_was_behind_begins_its_period_anew():
    """Nothing is known of the one before, which is summed up."""
    kept = budget_usage(100, Period.DAY)
    kept.has_no_past()
    kept.learn("r1", 60, int(NOW), NOW)
    behind = NOW - 2 * DAY_S
    assert kept.obstacle(behind, 100) is None
    assert not kept.is_whole
    assert kept.since <= behind
    assert kept.obstacle(NOW, 100) is None
    assert kept.since <= NOW < kept.since + DAY_S
