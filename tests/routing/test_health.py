"""Whose failures count against whom, and what is tried while somebody rests."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.clock import FixedClock
from trivium.faults import Blame, Fault, Kind
from trivium.routing.channel_health import Breaker, HealthKey, StepState
from trivium.routing.health import Health, fit
from trivium.routing.model import Plan, Step
from trivium.secret import Secret
from trivium.settings.model import RoutingSettings
from trivium.wire.operation import Operation

RULES = RoutingSettings(failures=3, cooldown_s=5)
BROKE = Fault(Kind.UPSTREAM_BROKE, "x")
REVOKED = Fault(Kind.UPSTREAM_CREDENTIAL, "x")


@pytest.fixture
def clock():
    return FixedClock(1000.0)


@pytest.fixture
def health(clock):
    return Health(clock.monotonic, RULES)


@pytest.fixture
def steps(bind):
    """Steps to channels a, b, c; the first has three credentials."""

    def make(*names, keys=1):
        found = []
        for name in names:
            binding = bind(name)
            channel = msgspec.structs.replace(
                binding.channel, credentials=tuple(Secret(f"k{i}") for i in range(keys))
            )
            binding = msgspec.structs.replace(binding, channel=channel)
            found.append(Step(binding=binding, operation=Operation.CHAT, why="priority 0"))
        return tuple(found)

    return make


def fail(health, name, fault=BROKE, times=3, credential=0, model="up"):
    for _ in range(times):
        health.failed(HealthKey(name, credential, model), fault)


def names(plan):
    return [step.binding.channel.name for step in plan.steps]


@pytest.mark.parametrize("kind", list(Kind))
def test_only_what_the_upstream_is_to_blame_for_counts(kind, health):
    """A caller's mistakes and departures, however many, leave a channel as it was; so do our own
    limits on it.
    """
    for _ in range(100):
        health.failed(HealthKey("a", 0, "up"), Fault(kind, "x"))
    blamed = Fault(kind, "x").row.blame in (Blame.VENDOR, Blame.CREDENTIAL)
    blamed = blamed and kind is not Kind.UPSTREAM_BUSY
    assert bool(health.open()) is blamed


def test_one_models_failures_leave_the_channels_others_alone(health, steps):
    """Each model of each credential of each channel has its own."""
    fail(health, "a", model="down")
    (step,) = steps("a")
    assert health.standing(step).usable
    assert not health.standing(
        msgspec.structs.replace(step, binding=msgspec.structs.replace(step.binding, model="down"))
    ).usable


def test_a_resting_channel_is_passed_over_with_the_reason(health, steps, clock):
    """And is back after its cooldown."""
    plan = Plan(steps=steps("a", "b"))
    fail(health, "a")
    found = health.fit(plan)
    assert names(found) == ["b"]
    (skip,) = found.skipped
    assert skip.why == "resting for 5 s after upstream_broke (cooling down)"
    clock.advance(5)
    assert names(health.fit(plan)) == ["a", "b"]


def test_a_healthy_plan_is_not_touched(health, steps):
    """Nor copied."""
    plan = Plan(steps=steps("a", "b"))
    assert health.fit(plan) is plan
    fail(health, "c")
    assert health.fit(plan) is plan


def test_when_all_rest_by_our_guess_the_first_to_be_back_is_tried(health, steps, clock):
    """A single channel's bad hour is not to become an outage."""
    fail(health, "a")
    clock.advance(1)
    fail(health, "b")
    found = health.fit(Plan(steps=steps("b", "a")))
    assert names(found) == ["a"]
    assert ["b"] == [skip.binding.channel.name for skip in found.skipped]


def test_when_all_vendors_named_a_time_nobody_is_called(health, steps):
    """The earliest of them is told: calling would only be refused again."""
    fail(health, "a", Fault(Kind.UPSTREAM_OVERLOADED, "x", retry_after=30.0), 1)
    fail(health, "b", Fault(Kind.UPSTREAM_RATE_LIMITED, "x", retry_after=20.0), 1)
    with pytest.raises(Fault) as caught:
        health.fit(Plan(steps=steps("a", "b")))
    assert (503, Kind.NO_ROUTE, 20.0) == (
        caught.value.status, caught.value.kind, caught.value.retry_after,
    )  # fmt: skip


def test_where_all_vendors_named_their_rate_limits_the_caller_is_told_so(health, steps):
    """As the vendor said it itself a moment ago: clients know how to wait for that."""
    fail(health, "a", Fault(Kind.UPSTREAM_RATE_LIMITED, "x", retry_after=30.0), 1)
    fail(health, "b", Fault(Kind.UPSTREAM_RATE_LIMITED, "x", retry_after=20.0), 1)
    with pytest.raises(Fault) as caught:
        health.fit(Plan(steps=steps("a", "b")))
    assert (429, Kind.UPSTREAM_RATE_LIMITED, 20.0) == (
        caught.value.status, caught.value.kind, caught.value.retry_after,
    )  # fmt: skip
    assert "rate limit" in caught.value.message


def test_a_guess_is_tried_before_a_vendors_word_is_broken(health, steps):
    """Although the vendor's time is over sooner."""
    fail(health, "a", Fault(Kind.UPSTREAM_RATE_LIMITED, "x", retry_after=1.0), 1)
    fail(health, "b")
    assert names(health.fit(Plan(steps=steps("a", "b")))) == ["b"]


def test_one_probe_is_let_through_to_a_recovering_channel(health, steps, clock):
    """A thousand others go elsewhere until it is back; its first byte tells."""
    plan = Plan(steps=steps("a", "b"))
    fail(health, "a")
    clock.advance(5)
    key = HealthKey("a", 0, "up")
    assert names(health.fit(plan)) == ["a", "b"]
    health.claim(key)
    assert [["b"]] * 1000 == [names(health.fit(plan)) for _ in range(1000)]
    health.heard(key)
    assert names(health.fit(plan)) == ["a", "b"]


def test_a_probe_whose_caller_left_lets_another_go(health, steps, clock):
    """Its leaving says nothing of the channel."""
    plan = Plan(steps=steps("a", "b"))
    fail(health, "a")
    clock.advance(5)
    health.claim(HealthKey("a", 0, "up"))
    health.failed(HealthKey("a", 0, "up"), Fault(Kind.CALLER_LEFT, "x"))
    assert names(health.fit(plan)) == ["a", "b"]


def test_a_refused_credential_rests_for_every_model_and_its_fellow_goes_on(health, steps, clock):
    """Until a probe finds it well, or the settings are read again."""
    (step,) = steps("a", keys=2)
    channel = step.binding.channel
    health.failed(HealthKey("a", 0, "other"), REVOKED)
    assert {1} == {health.credential(channel, "up") for _ in range(4)}
    assert health.standing(step).usable
    health.failed(HealthKey("a", 1, "other"), REVOKED)
    assert not health.standing(step).usable
    clock.advance(5)
    assert health.standing(step).usable
    health.failed(HealthKey("a", 0, "up"), REVOKED)
    health.forget()
    assert {0, 1} == {health.credential(channel, "up") for _ in range(4)}


def test_a_refused_credential_is_probed_soon_and_ever_later(health, steps, clock):
    """Vendors refuse good keys now and then; one that stays bad is asked every ten minutes."""
    (step,) = steps("a")
    key = HealthKey("a", 0, "up")
    rests = []
    for _ in range(10):
        # those that began before the first of them was refused make it no longer
        for _ in range(5):
            health.failed(key, REVOKED)
        with pytest.raises(Fault) as caught:
            health.fit(Plan(steps=(step,)))
        rests.append(caught.value.retry_after)
        clock.advance(rests[-1])
        assert health.standing(step).usable
        health.claim(key)
    assert [5, 10, 20, 40, 80, 160, 320, 600, 600, 600] == rests
    health.heard(key)
    health.failed(key, REVOKED)
    clock.advance(5)
    assert health.standing(step).usable


@pytest.mark.parametrize(
    "kind", [Kind.UPSTREAM_BROKE, Kind.UPSTREAM_REJECTED, Kind.UPSTREAM_BUSY, Kind.CALLER_LEFT]
)
def test_a_credentials_probe_that_ends_otherwise_lets_another_go(health, steps, clock, kind):
    """Nobody would ask about it for a minute otherwise."""
    (step,) = steps("a")
    key = HealthKey("a", 0, "up")
    health.failed(key, REVOKED)
    clock.advance(600)
    health.claim(key)
    assert not health.standing(step).usable
    health.failed(key, Fault(kind, "x"))
    assert health.standing(step).usable


def test_a_model_that_is_denied_does_not_put_the_credential_aside(health, steps):
    """Other models go on using it."""
    fail(health, "a", Fault(Kind.UPSTREAM_DENIED, "x"))
    (step,) = steps("a")
    other = msgspec.structs.replace(step.binding, model="other")
    assert not health.standing(step).usable
    assert health.standing(msgspec.structs.replace(step, binding=other)).usable


def test_credentials_take_turns(health, steps):
    """Evenly, and a request does not meet the same one twice while there are others."""
    (step,) = steps("a", keys=3)
    channel = step.binding.channel
    assert [0, 1, 2, 0, 1] == [health.credential(channel, "up") for _ in range(5)]
    assert 1 == health.credential(channel, "up", frozenset({2, 0}))
    assert health.others(channel, "up", frozenset({0, 1}))
    assert not health.others(channel, "up", frozenset({0, 1, 2}))


def test_a_channel_without_a_key_has_one_place(health, steps):
    """An engine of one's own."""
    (step,) = steps("a", keys=0)
    assert 0 == health.credential(step.binding.channel, "up")
    fail(health, "a")
    assert not health.standing(step).usable


def test_operators_hear_of_each_change_once(clock):
    """Ten refusals of one credential are one change; so is its coming back."""
    heard = []
    health = Health(clock.monotonic, RULES, told=heard.append)
    for _ in range(10):
        health.failed(HealthKey("a", 0, "up"), REVOKED)
    clock.advance(601)
    health.succeeded(HealthKey("a", 0, "up"))
    assert [("", True), ("", False)] == [(c.key.model, bool(c.after.until)) for c in heard]


def test_what_another_worker_found_is_taken_over(health, steps):
    """As if it had been found here."""
    health.adopt(HealthKey("a", 0, "up"), Breaker(until=2000.0, why="upstream_broke"))
    health.adopt(HealthKey("b", 0, "up"), Breaker(good=3))
    assert [False, True] == [health.standing(step).usable for step in steps("a", "b")]


STANDINGS = st.builds(
    StepState, st.booleans(), opens_at=st.floats(1, 100), told=st.booleans(), why=st.just("x")
)


@given(st.lists(STANDINGS, min_size=1, max_size=6))
def test_a_plan_loses_nothing_and_gains_nothing(found):
    """Every step is in it or passed over with a reason; the order stays; usable ones are tried."""
    plan = Plan(steps=_plain(len(found)))
    standing = dict(zip((id(step) for step in plan.steps), found, strict=True))
    if not any(one.usable or not one.told for one in found):
        with pytest.raises(Fault) as caught:
            fit(plan, lambda step: standing[id(step)], 0.0)
        assert caught.value.retry_after == min(one.opens_at for one in found)
        return
    fitted = fit(plan, lambda step: standing[id(step)], 0.0)
    tried = [step.binding.weight for step in fitted.steps]
    passed = [skip.binding.weight for skip in fitted.skipped]
    assert tried == sorted(tried)
    assert sorted(tried + passed) == list(range(len(found)))
    usable = [i for i, one in enumerate(found) if one.usable]
    assert tried == usable if usable else len(tried) == 1


def _plain(count):
    """Steps whose bindings are numbered by weight."""

    class Numbered:
        def __init__(self, weight):
            self.weight = weight

    return tuple(Step(binding=Numbered(i), operation=Operation.CHAT, why="") for i in range(count))
