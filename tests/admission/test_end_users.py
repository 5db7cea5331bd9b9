"""End users of a key are counted apart, as many as an application has and no more."""

import pytest

from trivium.admission import end_users
from trivium.admission.end_users import OTHERS, EndUserSlots, scope_of
from trivium.settings.limits import RateLimits

DAY_S = 86_400


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Three at most."""
    monkeypatch.setattr(end_users, "END_USERS_MAX", 3)


def test_who_comes_after_the_last_slot_shares_one():
    """Those that are known keep theirs; another key has its own."""
    slots = EndUserSlots()
    assert ["a", "b", "c", OTHERS, OTHERS, "a"] == [slots.name(1, each, 0) for each in "abcdea"]
    assert "e" == slots.name(2, "e", 0)
    assert ["d", "a"] == [slots.name(1, each, DAY_S) for each in "da"]


def test_a_caller_that_invents_end_users_makes_no_more_meters():
    """However many it names."""
    slots, limits = EndUserSlots(), RateLimits(5)
    meters = {id(slots.meter(1, f"u{n}", limits, 0)) for n in range(1000)}
    assert 4 == len(meters)
    assert scope_of(1, OTHERS) == slots.meter(1, "new", limits, 0).name


def test_a_meter_follows_its_limits():
    """As they are changed."""
    slots = EndUserSlots()
    first = slots.meter(1, "a", RateLimits(5), 0)
    assert first is slots.meter(1, "a", RateLimits(6), 0)
    assert 6 == first.limits.requests
