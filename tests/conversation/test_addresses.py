"""What addresses say."""

import pytest

from trivium.conversation.addresses import ADDRESS_MAX, ending, host

LONG = "https://e.com/" + "a" * ADDRESS_MAX + ".png"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://E.com:80/a.PNG?x=.gif", ("e.com", "png")),
        ("gs://bucket/a", ("bucket", "/a")),
        ("a.png", (None, "png")),
        ("", (None, "")),
        ("https://[x/a.png", (None, "")),
        ("https://[x]/a.png", (None, "")),
        ("https://\u2100.com/", (None, "")),
        ("https://\ud800/", ("\ud800", "/")),
        (LONG, (None, "")),
    ],
)
def test_what_an_address_says(url, expected):
    """Its host and how its path ends; one that cannot be read, or is too long, says nothing."""
    assert expected == (host(url), ending(url))
