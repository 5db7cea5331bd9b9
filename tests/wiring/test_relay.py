"""What a request may call is built from the settings."""

from trivium.settings.model import RoutingSettings
from trivium.wiring import relay


def test_every_limit_of_the_settings_reaches_the_budget():
    """None is forgotten on the way."""
    routing = RoutingSettings(attempts_max=1, attempts_s=2, slow_s=3, repeats=4, repeat_pause_s=5)
    budget = relay.budget(routing)
    assert (1, 2, 3, 4, 5) == (
        budget.attempts, budget.seconds, budget.slow_s, budget.repeats, budget.pause_s,
    )  # fmt: skip
