"""Origins of the service."""

import pytest

from trivium.oauth.addresses import addresses

LISTEN = "127.0.0.1:8080"


@pytest.mark.parametrize(
    ("public", "auth", "api", "made"),
    [
        (None, None, None, ("http://127.0.0.1:8080",) * 3),
        ("https://g.example/", None, None, ("https://g.example",) * 3),
        (
            "https://g.example",
            "https://login.g.example/",
            None,
            ("https://g.example", "https://login.g.example", "https://g.example"),
        ),
        (
            "https://g.example",
            "https://login.g.example",
            "https://api.g.example",
            ("https://g.example", "https://login.g.example", "https://api.g.example"),
        ),
    ],
)
def test_what_is_not_set_follows_from_what_is(public, auth, api, made):
    """And nothing ends with a slash."""
    got = addresses(public, auth, api, LISTEN)
    assert made == (got.public, got.auth, got.api)


@pytest.mark.parametrize("host", ["g.example", "anything", "", "["])
def test_with_one_host_every_host_is_served(host):
    """A proxy may call us what it likes."""
    one = addresses("https://g.example", "https://g.example:8443", None, LISTEN)
    assert one.serves(one.auth, host)


@pytest.mark.parametrize(
    ("host", "serves"),
    [
        ("login.example", True),
        ("LOGIN.example:8443", True),
        ("api.example", False),
        ("login.example.evil.example", False),
        ("login.example@evil.example", False),
        ("", False),
        ("[", False),
        ("127.0.0.1:8080", False),
    ],
)
def test_with_several_hosts_an_endpoint_is_on_its_own(host, serves):
    """Ports and case do not matter."""
    split = addresses("https://api.example", "https://login.example", None, LISTEN)
    assert serves is split.serves(split.auth, host)


@pytest.mark.parametrize(
    ("public", "auth", "is_safe"),
    [
        (None, None, True),
        ("http://localhost:8080", None, True),
        ("http://[::1]:8080", None, True),
        ("http://127.0.0.2:8080", None, True),
        ("http://trivium.localhost:8080", None, True),
        ("https://g.example", None, True),
        ("http://g.example", None, False),
        ("https://g.example", "http://login.example", False),
        ("http://g.example", "https://login.example", False),
    ],
)
def test_plain_http_is_safe_on_this_machine_only(public, auth, is_safe):
    """All communication is HTTPS."""
    assert is_safe is addresses(public, auth, None, LISTEN).is_safe
