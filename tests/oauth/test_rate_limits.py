"""So many a minute."""

from trivium.oauth import shared_rate_limits
from trivium.oauth.shared_rate_limits import Rate


def test_any_sixty_seconds_have_at_most_the_limit(clock):
    """Not those of a clock's minute."""
    rate = Rate(2, clock)
    assert None is rate.take("a")
    clock.advance(30)
    assert None is rate.take("a")
    assert 30 == rate.take("a") == rate.wait("a")
    clock.advance(29.5)
    assert 1 == rate.take("a")
    clock.advance(0.5)
    assert None is rate.take("a")
    assert 30 == rate.take("a")


def test_subjects_do_not_share(clock):
    """Each has its own minute."""
    rate = Rate(1, clock)
    assert None is rate.take("a")
    assert None is rate.take("b")
    assert 60 == rate.take("a")


def test_who_was_quiet_is_forgotten(clock):
    """Nothing is left after a minute."""
    rate = Rate(1, clock)
    rate.count("a")
    clock.advance(60)
    assert None is rate.wait("a")
    assert 0 == len(rate._taken)


def test_memory_is_bounded(clock, monkeypatch):
    """The subject that was quiet longest goes."""
    monkeypatch.setattr(shared_rate_limits, "SUBJECTS_MAX", 2)
    rate = Rate(1, clock)
    for subject in ("a", "b", "c"):
        rate.count(subject)
    assert [None, 60, 60] == [rate.wait(subject) for subject in ("a", "b", "c")]
