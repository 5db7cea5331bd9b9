"""A file is fetched from the account that made it, and from where that account says it is."""

import pytest

from trivium.faults import Fault, Kind
from trivium.jobs.video_download import Moved, _judge, _next, _place_of, is_file
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, TimeLimits
from trivium.upstream.request import Origin, Request

LIMITS = TimeLimits(connect=1, first_byte=1, idle=1, total=1)
CHANNEL = Channel(
    name="a", provider=PROVIDERS["openai"], base_url="http://h/v1", credentials=(), headers={},
    limits=LIMITS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (200, "video/mp4", True),
        (206, "image/webp", True),
        (200, "application/octet-stream", True),
        (200, "", True),
        (200, "application/json; charset=utf-8", False),
        (200, "application/problem+json", False),
        (200, "text/html", False),
        (302, "video/mp4", False),
        (404, "video/mp4", False),
        (416, "video/mp4", False),
    ],
)
def test_a_film_is_told_from_everything_else(status, kind, expected):
    """By status and type."""
    assert expected is is_file(status, {"content-type": kind})


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "where"),
    [
        (302, {"location": "https://x/y"}, b"", Kind.UPSTREAM_BROKE, "https://x/y"),
        (200, {}, b'"https://x/y"', Kind.UPSTREAM_BROKE, "https://x/y"),
        (200, {}, b'"ftp://x/y"', Kind.UPSTREAM_BROKE, None),
        (200, {}, b'{"a": 1}', Kind.UPSTREAM_BROKE, None),
        (200, {}, b"[" * 100_000, Kind.UPSTREAM_BROKE, None),
        (404, {}, b"", Kind.NOT_FOUND, None),
        (416, {}, b"vendor's own", Kind.INVALID_VALUE, None),
        (401, {}, b"", Kind.UPSTREAM_CREDENTIAL, None),
    ],
)
def test_what_is_no_file_is_judged(status, headers, body, kind, where):
    """An address, or a refusal in our words."""
    fault = _judge(CHANNEL)(status, headers, body)
    assert kind is fault.kind
    assert where == (fault.location if isinstance(fault, Moved) else None)
    assert "vendor" not in fault.message


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (Origin("https", "h", 443), "https://h/v1/x?y=1"),
        (Origin("http", "h", 8080), "http://h:8080/v1/x?y=1"),
        (Origin("https", "::1", 444), "https://[::1]:444/v1/x?y=1"),
    ],
)
def test_a_requests_own_place_is_known(origin, expected):
    """For a redirect that is relative to it."""
    request = Request(origin=origin, payload=b"GET /v1/x?y=1 HTTP/1.1\r\n", limits=LIMITS)
    assert expected == _place_of(request).url


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/files/1", "https://h/files/1"),
        ("https://other/f", "https://other/f"),
        ("http://other/f", None),
        ("file:///etc/passwd", None),
        ("https://user@other/f", None),
    ],
)
def test_a_redirect_is_read_against_its_place(location, expected):
    """Never from https to http."""
    request = Request(
        origin=Origin("https", "h", 443), payload=b"GET /v1/x HTTP/1.1\r\n", limits=LIMITS
    )
    place = _place_of(request)
    if expected is None:
        with pytest.raises(Fault) as caught:
            _next(location, place)
        assert Kind.UPSTREAM_BROKE is caught.value.kind
    else:
        assert expected == _next(location, place).url
