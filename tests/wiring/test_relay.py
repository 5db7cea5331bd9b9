"""What a request may call is built from the settings."""

from doubles import Send, sized
from stories.running import ANSWER
from trivium.settings.model import Upstream
from trivium.wiring import relay

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


def test_every_limit_of_the_settings_reaches_the_pool():
    """None is forgotten on the way."""
    upstream = Upstream(keepalive_s=1, connections_max=2, wait_s=3, header_bytes_max=4)
    pool = relay.pool_limits(upstream)
    assert (1, 2, 3, 4) == (
        pool.keepalive_s, pool.connections_max, pool.wait_s, pool.header_bytes_max,
    )  # fmt: skip
