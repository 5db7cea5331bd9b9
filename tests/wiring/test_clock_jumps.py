"""The time of day jumps, and somebody says so."""

from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from trivium.wiring.clock_jumps import ClockJumps


@pytest.mark.parametrize(("jump", "told"), [(300, [300]), (-172_800, [-172_800]), (0.5, [])])
def test_a_jump_is_told_once(jump, told):
    """What passes by both clocks alike is none; a drift is none."""
    at = SimpleNamespace(now=1_000_000.0, monotonic=50.0)
    jumps = ClockJumps(SimpleNamespace(now=lambda: at.now, monotonic=lambda: at.monotonic))
    with capture_logs() as logs:
        for step in (0, jump, 0, 0):
            at.now += 10 + step
            at.monotonic += 10
            jumps.look()
    assert told == [line["seconds"] for line in logs]
