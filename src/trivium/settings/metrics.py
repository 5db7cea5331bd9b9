"""``[metrics]``: numbers for Prometheus."""

from collections.abc import Iterator

from trivium.settings.errors import Problem
from trivium.settings.section import Section


class Metrics(Section, frozen=True):
    """``GET /metrics``, on the port of the pages."""

    enabled: bool = False
    """Whether requests are counted and the numbers served. They name models and channels and say
    how much is used, so somebody has to want it."""
    token: str = ""
    """What a scraper presents as ``Authorization: Bearer``. Empty: whoever reaches the port may
    read them, which needs ``server.admin_listen``."""


def relations(metrics: Metrics, admin_listen: str | None) -> Iterator[Problem]:
    """What is wrong between settings whose own values are right."""
    if metrics.enabled and not metrics.token and not admin_listen:
        yield Problem(
            ("metrics", "enabled"),
            "needs metrics.token or server.admin_listen: callers must not read the numbers",
            'token = "env:METRICS_TOKEN"',
        )
