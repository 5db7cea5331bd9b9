"""What a request may call is built from the settings."""

from end_to_end.running import ANSWER
from scripted_upstream import Send, sized
from trivium.settings.model import UpstreamSettings
from trivium.wiring import relay

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


def test_every_limit_of_the_settings_reaches_the_pool():
    """None is forgotten on the way."""
    upstream = UpstreamSettings(keepalive_s=1, connections_max=2, wait_s=3, header_bytes_max=4)
    pool = relay.pool_limits(upstream)
    assert (1, 2, 3, 4) == (
        pool.keepalive_s, pool.connections_max, pool.wait_s, pool.header_bytes_max,
    )  # fmt: skip
