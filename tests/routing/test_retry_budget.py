"""One budget a request, and nothing tried that would make things worse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import TABLE, Fault, Kind
from trivium.routing.candidates import Failure
from trivium.routing.model import Step
from trivium.routing.retry_budget import PAUSE_MAX_S, AttemptSequence
from trivium.settings.model import RoutingSettings
from trivium.wire.operation import Operation

FALLING = [kind for kind, row in TABLE.items() if row.fallback]


def steps(names):
    return tuple(Step(binding=name, operation=Operation.CHAT, why="") for name in names)


def failure(kind=Kind.UPSTREAM_BROKE, *, took=0.1, sent=True, others=False, wait=None):
    fault = Fault(kind, "x", retry_after=wait)
    return Failure(fault=fault, took_s=took, sent=sent, others=others)


def play(names, failures, *, draw=0.0, now=0.0, **budget):
    """The attempts made, each with the wait before it, when these failures follow each other."""
    tries = AttemptSequence(RoutingSettings(**budget), 0.0)
    tries.plan(steps(names))
    coming, made = tries.first(now), []
    for one in failures:
        if coming is None:
            break
        made.append((coming.step.binding, coming.wait_s))
        coming = tries.after(coming.step, one, now, draw)
    else:
        if coming is not None:
            made.append((coming.step.binding, coming.wait_s))
    return made


BROKE = failure()


@pytest.mark.parametrize(
    ("names", "failures", "budget", "expected"),
    [
        ("abc", [], {}, "a"),
        ("abc", [BROKE] * 9, {}, "abc"),
        ("abc", [BROKE] * 9, {"attempts_max": 2}, "ab"),
        ("a", [BROKE] * 9, {}, "a"),
        ("a", [BROKE] * 9, {"repeats": 2}, "aaa"),
        ("ab", [BROKE] * 9, {"repeats": 1}, "aba"),
        ("ab", [BROKE] * 9, {"repeats": 9, "attempts_max": 5}, "ababa"),
        ("abc", [failure(Kind.UPSTREAM_REJECTED)], {}, "a"),
        ("abc", [failure(Kind.CALLER_LEFT)], {}, "a"),
        ("abc", [failure(Kind.INTERNAL)], {}, "a"),
        # slow: the prompt has been worked through once
        ("abc", [failure(took=31.0)], {}, "a"),
        ("abc", [failure(took=29.0)], {}, "ab"),
        ("abc", [failure(Kind.UPSTREAM_TIMEOUT, took=31.0)], {}, "a"),
        # unless it never went out
        ("abc", [failure(Kind.UPSTREAM_TIMEOUT, took=31.0, sent=False)], {}, "ab"),
        # credentials
        ("ab", [failure(Kind.UPSTREAM_CREDENTIAL, others=True)], {}, "aa"),
        ("ab", [failure(Kind.UPSTREAM_RATE_LIMITED, others=True)], {}, "aa"),
        ("ab", [failure(Kind.UPSTREAM_CREDENTIAL)], {}, "ab"),
        ("ab", [failure(Kind.UPSTREAM_BROKE, others=True)], {}, "ab"),
        # never the same again
        ("a", [failure(Kind.UPSTREAM_TIMEOUT)], {"repeats": 5}, "a"),
        ("a", [failure(Kind.UPSTREAM_CREDENTIAL)], {"repeats": 5}, "a"),
        ("a", [failure(Kind.UPSTREAM_DENIED)], {"repeats": 5}, "a"),
        ("a", [failure(Kind.UPSTREAM_BUSY)], {"repeats": 5}, "a"),
        # the vendor wants more patience than we have: the caller is told how long
        ("a", [failure(Kind.UPSTREAM_RATE_LIMITED, wait=30.0)], {"repeats": 5}, "a"),
        ("ab", [failure(Kind.UPSTREAM_RATE_LIMITED, wait=30.0), BROKE], {"repeats": 5}, "abb"),
    ],
)  # fmt: skip
def test_the_table(names, failures, budget, expected):
    """Channels in the order in which they are tried."""
    assert "".join(name for name, _ in play(names, failures, **budget)) == expected


@pytest.mark.parametrize(
    ("wait", "draw", "expected"),
    [(None, 0.0, 0.25), (None, 0.5, 0.375), (0.1, 0.0, 0.25), (2.0, 0.9, 2.0)],
)
def test_a_repeat_waits_with_jitter_and_never_before_the_vendors_time(wait, draw, expected):
    """Half of the pause at least, all of it at most."""
    one = failure(Kind.UPSTREAM_OVERLOADED, wait=wait)
    assert play("a", [one], draw=draw, repeats=1)[1] == ("a", expected)


def test_the_pause_doubles():
    """Up to its limit."""
    made = play("a", [BROKE] * 5, repeats=5, attempts_max=9)
    assert [wait for _, wait in made] == [0.0, 0.25, 0.5, 1.0, 2.0, 2.5]


def test_another_channel_is_not_waited_for():
    """Nothing is wrong with it."""
    assert play("abc", [BROKE, BROKE], draw=0.9) == [("a", 0.0), ("b", 0.0), ("c", 0.0)]


def test_no_attempt_begins_after_the_budgets_seconds():
    """Counted from the request's arrival; the first is always made."""
    assert play("ab", [failure(took=0.1, sent=False)], now=121.0) == [("a", 0.0)]


def test_the_next_model_has_what_is_left_of_the_budget():
    """Not one of its own."""
    tries = AttemptSequence(RoutingSettings(attempts_max=2), 0.0)
    tries.plan(steps("a"))
    first = tries.first(0.0)
    assert tries.after(first.step, BROKE, 0.0, 0.0) is None
    tries.plan(steps("b"))
    assert tries.first(0.0).step.binding == "b"
    assert tries.spent(0.0)


FAILURES = st.lists(
    st.builds(
        failure, st.sampled_from(list(Kind)), took=st.floats(0, 60), sent=st.booleans(),
        others=st.booleans(), wait=st.one_of(st.none(), st.floats(0, 100)),
    ),
    max_size=30,
)  # fmt: skip


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True),
    FAILURES, st.integers(1, 8), st.integers(0, 4), st.floats(0, 0.99),
)  # fmt: skip
def test_no_run_of_failures_exceeds_the_budget(names, failures, attempts, repeats, draw):
    """Nor waits longer than a pause, nor goes on after what must not be followed."""
    made = play(names, failures, draw=draw, attempts_max=attempts, repeats=repeats)
    assert 1 <= len(made) <= attempts
    assert all(0 <= wait <= PAUSE_MAX_S for _, wait in made)
    assert sum(wait > 0 for _, wait in made) <= repeats
    for one in failures[: len(made) - 1]:
        assert one.fault.row.fallback
        assert not (one.sent and one.took_s > RoutingSettings().slow_s)


@pytest.mark.parametrize(
    ("channels", "attempts", "found"),
    [
        ("ab", 5, "b"),
        ("aab", 5, "b"),
        ("aa", 5, None),
        ("a", 5, None),
        ("ab", 2, "b"),
        ("ab", 1, None),
    ],
)
def test_beside_an_attempt_another_channel_is_tried(channels, attempts, found):
    """Never the same one, and out of the same budget; what was passed over is still to come."""

    class Binding:
        def __init__(self, channel):
            self.channel = channel

    tries = AttemptSequence(RoutingSettings(attempts_max=attempts), 0.0)
    tries.plan(steps([Binding(name) for name in channels]))
    first = tries.first(0.0).step
    beside = tries.beside(first, 1.0)
    assert found == (beside and beside.binding.channel)
    left = attempts - 1 - (found is not None)
    assert (left == 0) == tries.spent(1.0)
    assert (beside is None) or tries.beside(beside, 200.0) is None
