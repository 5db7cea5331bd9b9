"""The choke point in one worker's memory."""

import pytest

from trivium.admission.service import OPEN, Admission
from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, Model, TimeLimits
from trivium.settings.limits import RateLimits
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


@pytest.fixture
def clock():
    return FixedClock(1_790_000_040.0)  # a minute begins


@pytest.fixture
def gate(clock):
    return Admission(clock)


def refused(call, *args):
    with pytest.raises(Fault) as caught:
        call(*args)
    return caught.value


def test_nothing_is_counted_where_nothing_is_limited(gate, caller, asked):
    """The same open pass for everybody, which may be left any number of times."""
    given = gate.admit(*asked(caller()))
    assert given is OPEN
    given.leave(5)
    given.leave(None)


@pytest.mark.parametrize("whose", ["limits", "user_limits"])
def test_requests_a_minute(gate, caller, asked, clock, whose):
    """The limit and no more; then the seconds until the next one fits."""
    who = caller(**{whose: RateLimits(requests=2)})
    for _ in range(2):
        gate.admit(*asked(who)).leave(None)
    fault = refused(gate.admit, *asked(who))
    assert (Kind.RATE_LIMITED, 90.0) == (fault.kind, fault.retry_after)
    assert "may use 2 requests a minute. Please try again in 90s." in fault.message
    clock.advance(fault.retry_after)
    assert gate.admit(*asked(who))


def test_a_user_has_one_limit_over_all_keys(gate, caller, asked):
    """Two keys of one user share it, another user's key does not."""
    limits = RateLimits(requests=1)
    assert gate.admit(*asked(caller(key_id=1, user_limits=limits)))
    assert refused(gate.admit, *asked(caller(key_id=2, user_limits=limits)))
    assert gate.admit(*asked(caller(key_id=3, user_id=4, user_limits=limits)))


def test_a_model_has_one_limit_over_all_callers(gate, caller, asked):
    """Whoever asks."""
    model = Model(name="m", bindings=(), rates=RateLimits(requests=1))
    assert gate.admit(*asked(caller(), model=model))
    fault = refused(gate.admit, *asked(caller(key_id=8, user_id=9), model=model))
    assert "this model may use 1 requests" in fault.message


def test_a_refused_request_counts_nowhere(gate, caller, asked):
    """Not even with those of its limits that had room."""
    tight, wide = RateLimits(requests=1), RateLimits(requests=3, concurrency=1)
    gate.admit(*asked(caller(limits=tight, user_limits=wide))).leave(None)
    for _ in range(5):
        assert refused(gate.admit, *asked(caller(limits=tight, user_limits=wide)))
    for _ in range(2):
        gate.admit(*asked(caller(key_id=8, user_limits=wide))).leave(None)


def test_slots_are_given_back_once(gate, caller, asked):
    """Leaving twice frees one."""
    who = caller(limits=RateLimits(concurrency=2))
    first, second = gate.admit(*asked(who)), gate.admit(*asked(who))
    assert "2 running" in refused(gate.admit, *asked(who)).message
    first.leave(None)
    first.leave(None)
    assert gate.admit(*asked(who))
    assert refused(gate.admit, *asked(who)).retry_after == 1.0
    second.leave(None)


def test_tokens_are_reserved_and_set_right(gate, caller, asked, clock):
    """Forty bytes are ten tokens, and ten may be answered: twenty of a hundred, until it is known."""
    who = caller(limits=RateLimits(tokens=100))
    given = [gate.admit(*asked(who)) for _ in range(5)]
    assert Kind.RATE_LIMITED is refused(gate.admit, *asked(who)).kind
    given[0].leave(0)  # came to nothing
    again = gate.admit(*asked(who))
    for each in [*given[1:], again]:
        each.leave(None)  # nobody knows better
    clock.advance(120)
    gate.admit(*asked(who)).leave(350)  # far more than foreseen
    clock.advance(60)
    assert refused(gate.admit, *asked(who))
    clock.advance(240)
    assert gate.admit(*asked(who))


def test_a_request_larger_than_the_limit_never_runs(gate, caller, asked):
    """And nobody is told to try again."""
    fault = refused(
        gate.admit, *asked(caller(limits=RateLimits(tokens=100)), body=b"four " * 12_800)
    )
    assert (Kind.LIMIT_TOO_LOW, 429, False) == (fault.kind, fault.status, fault.row.retry)
    assert "about 16000 tokens" in fault.message


def test_what_a_long_answer_might_need_is_no_reason_to_refuse(gate, caller, asked):
    """The reservation shrinks to the limit; a picture is not taken for text."""
    who = caller(limits=RateLimits(tokens=2_000))
    gate.admit(*asked(who, output=100_000)).leave(0)
    gate.admit(*asked(who, body=b'{"url":"data:image/png;base64,' + b"A" * 90_000)).leave(0)


def test_counts_of_tokens_use_none(gate, caller, asked):
    """They are requests all the same."""
    who = caller(limits=RateLimits(requests=1, tokens=1))
    arguments = list(asked(who))
    arguments[3] = Operation.MESSAGES_COUNT
    gate.admit(*arguments).leave(0)
    assert "requests" in refused(gate.admit, *arguments).message


def test_limits_that_change_keep_what_was_counted(gate, caller, asked):
    """Raising a limit is no new minute."""
    gate.admit(*asked(caller(limits=RateLimits(requests=1))))
    raised = caller(limits=RateLimits(requests=2))
    gate.admit(*asked(raised))
    assert refused(gate.admit, *asked(raised))


def test_a_model_that_is_not_on_the_list_is_refused(gate, caller):
    """Before anything is looked up."""
    gate.permit(caller(models=frozenset({"m"})), "m")
    fault = refused(gate.permit, caller(models=frozenset({"m"})), "n")
    assert (Kind.MODEL_NOT_ALLOWED, "model") == (fault.kind, fault.param)


@pytest.mark.parametrize("rates", [RateLimits(requests=1), RateLimits(concurrency=1)])
def test_a_channel_at_its_limit_is_busy(gate, rates):
    """Which lets another channel be tried; other channels are not concerned."""
    limits = TimeLimits(connect=1, first_byte=1, idle=1, total=1)

    def enter(name, rates):
        channel = Channel(
            name=name,
            provider=PROVIDERS["openai"],
            base_url="http://127.0.0.1",
            credentials=(),
            headers={},
            limits=limits,
            rates=rates,
        )
        return gate.enter("r", channel, Operation.CHAT, RequestFacts(model="m"), b"")

    given = enter("a", rates)
    fault = refused(enter, "a", rates)
    assert (Kind.UPSTREAM_BUSY, True) == (fault.kind, fault.row.fallback)
    assert enter("b", rates)
    assert enter("c", None) is OPEN
    given.leave(0)
    assert rates.requests or enter("a", rates)
