"""Requests to token services, as they are written."""

import pytest
from tests.upstream.lately import LIMITS

from trivium.providers.base import Provider
from trivium.providers.credential import TokenRequest
from trivium.routing.model import Channel
from trivium.upstream.token_request import request_of

CHANNEL = Channel(
    name="c",
    provider=Provider(name="p", title="P", base_url=None, credential=None, paths={}, failure=None),
    base_url="https://x.example",
    credentials=(),
    headers={},
    limits=LIMITS,
    proxy="http://proxy.example:3128",
)


def test_a_request_is_written_with_its_own_frame():
    """What a library sets for a connection of its own is left out."""
    asked = TokenRequest(
        url="https://login.example:8443/token?a=b",
        headers={"Content-Length": "99", "Host": "other", "Accept": "text/plain", "X-A": "1"},
        body=b"grant",
    )
    made = request_of(asked, CHANNEL, 3.0)
    assert (
        b"POST /token?a=b HTTP/1.1\r\nhost: login.example:8443\r\naccept: text/plain\r\n"
        b"x-a: 1\r\ncontent-length: 5\r\n\r\ngrant"
    ) == made.payload
    origin = made.origin
    assert ("https", "login.example", 8443, "http://proxy.example:3128") == (
        origin.scheme, origin.host, origin.port, origin.proxy,
    )  # fmt: skip
    limits = made.limits
    assert (3.0, 3.0, 3.0, 3.0) == (limits.connect, limits.first_byte, limits.idle, limits.total)


def test_json_is_asked_for_where_nobody_says():
    """And a service beside the gateway is reached without a proxy."""
    asked = TokenRequest(url="http://169.254.169.254/x", method="GET", proxied=False)
    made = request_of(asked, CHANNEL, 60.0)
    assert b"accept: application/json\r\n" in made.payload
    assert (None, 80, LIMITS.connect) == (made.origin.proxy, made.origin.port, made.limits.connect)


@pytest.mark.parametrize(
    "asked",
    [
        TokenRequest(url="file:///etc/passwd"),
        TokenRequest(url="https:///token"),
        TokenRequest(url="https://x.example/a b"),
        TokenRequest(url="https://x.example/", method="GET /x"),
        TokenRequest(url="https://x.example/", headers={"a": "b\r\nc: d"}),
    ],
)
def test_what_cannot_be_written_is_refused(asked):
    """Before anything is sent."""
    with pytest.raises(ValueError, match=r"."):
        request_of(asked, CHANNEL, 3.0)
