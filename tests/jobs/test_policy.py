"""When to look, when to ask, when to give up."""

import pytest

from trivium.jobs.policy import is_too_old, pause_s, poll_after_ms
from trivium.settings.jobs import Jobs as Limits


@pytest.mark.parametrize(
    ("age", "expected"), [(0, 5), (40, 5), (60, 6), (300, 30), (600, 60), (9999, 60)]
)
def test_pauses_are_a_tenth_of_the_age(age, expected):
    """Between the first and the longest."""
    assert expected == pause_s(age, Limits())


def test_a_pause_is_never_nothing():
    """Whatever an operator sets."""
    assert 1 == pause_s(0, Limits(look_s=0.1))


@pytest.mark.parametrize(("age", "expected"), [(0, 1000), (20, 1000), (60, 3000), (999, 10000)])
def test_owners_are_told_when_to_ask_again(age, expected):
    """In milliseconds, as the SDKs read it."""
    assert expected == poll_after_ms(age)


def test_a_job_has_an_age_limit():
    """A day."""
    assert [False, True] == [is_too_old(age, Limits()) for age in (86_399, 86_400)]
