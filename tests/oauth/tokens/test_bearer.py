"""Access tokens in requests."""

import pytest

from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import service


@pytest.mark.parametrize("header", ["Bearer gwat_x", "bearer gwat_x", "BEARER  gwat_x "])
def test_the_header_has_the_token(header):
    """Whatever the scheme's case."""
    assert "gwat_x" == service.presented([header], b"a=1")


@pytest.mark.parametrize("headers", [[], ["Basic Z3c6eA=="], ["Digest x"], [""]])
def test_nothing_presented_is_no_error(headers):
    """The answer names no error code (RFC 6750 section 3.1)."""
    with pytest.raises(service.NoToken):
        service.presented(headers, b"")


@pytest.mark.parametrize(
    ("headers", "query", "form"),
    [
        ([], b"access_token=gwat_x", b""),
        ([], b"a=1&access_token=", b""),
        (["Bearer gwat_x"], b"access_token=gwat_x", b""),
        ([], b"", b"access_token=gwat_x"),
        (["Bearer gwat_x", "Bearer gwat_x"], b"", b""),
        (["Bearer"], b"", b""),
        (["Bearer "], b"", b""),
        (["Bearer a b"], b"", b""),
        (['Bearer "x"'], b"", b""),
        (["Bearer gwat_x, Bearer y"], b"", b""),
        (["Bearer é"], b"", b""),
    ],
)
def test_a_token_elsewhere_or_twice_is_an_invalid_request(headers, query, form):
    """400."""
    with pytest.raises(OAuthError) as raised:
        service.presented(headers, query, form)
    assert (400, "invalid_request") == (raised.value.status, raised.value.code)


@pytest.mark.parametrize(
    ("error", "needed", "header"),
    [
        (None, "", 'Bearer realm="gateway"'),
        (
            OAuthError("invalid_request", "why"),
            "",
            'Bearer realm="gateway", error="invalid_request"',
        ),
        (
            OAuthError("invalid_token", "why", 401),
            "",
            'Bearer realm="gateway", error="invalid_token", error_description="why"',
        ),
        (
            OAuthError("insufficient_scope", "why", 403),
            "profile",
            (
                'Bearer realm="gateway", error="insufficient_scope", error_description="why", '
                'scope="profile"'
            ),
        ),
    ],
)
def test_the_challenge_says_what_is_wrong(error, needed, header):
    """In the words of RFC 6750."""
    assert header == service.challenge(error, needed)
