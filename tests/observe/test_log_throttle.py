"""A failing dependency is told once in a while, with how often it failed."""

from structlog.testing import capture_logs

from trivium.clock import FixedClock
from trivium.observe.log_throttle import KINDS_MAX, LogThrottle


def test_the_first_is_told_and_the_rest_is_counted():
    """A thousand failures in ten seconds are two lines."""
    clock = FixedClock()
    log_throttle = LogThrottle(clock)
    with capture_logs() as lines:
        for _ in range(1000):
            log_throttle.log(
                "error", "request_faulted", ("upstream_credential", "main"), channel="main"
            )
        clock.advance(10)
        log_throttle.log(
            "error", "request_faulted", ("upstream_credential", "main"), channel="main"
        )
    assert [None, 999] == [line.get("more_before") for line in lines]
    assert {"error"} == {line["log_level"] for line in lines}


def test_another_kind_is_told_beside_it():
    """One broken channel does not hide the next."""
    log_throttle = LogThrottle(FixedClock())
    with capture_logs() as lines:
        log_throttle.log("warning", "request_faulted", ("broke", "a"), channel="a")
        log_throttle.log("warning", "request_faulted", ("broke", "b"), channel="b")
    assert ["a", "b"] == [line["channel"] for line in lines]


def test_what_is_remembered_is_bounded():
    """However many channels there are."""
    log_throttle = LogThrottle(FixedClock())
    with capture_logs():
        for number in range(KINDS_MAX + 5):
            log_throttle.log("info", "x", (str(number),))
    assert len(log_throttle._told) <= KINDS_MAX
