"""Browsers go by their common names."""

import pytest

from trivium.console.security.programs import name

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/2010 Firefox/140.0", "Firefox, Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/142 Safari/537 Edg/142", "Edge, Windows"),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Safari/605", "Safari, macOS"),
        (
            f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {WEBKIT} Safari/604",
            "Safari, iPhone",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/142 Mobile Safari/537",
            "Chrome, Android",
        ),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", ""),
        ("x" * 100, "x" * 40),
    ],
)
def test_what_a_program_is_called(agent, shown):
    """The first mark that fits; other programs by their first word."""
    assert shown == name(agent)
