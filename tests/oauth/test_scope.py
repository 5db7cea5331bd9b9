"""Scopes."""

import pytest

from trivium.oauth import scope


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("profile", {"profile"}),
        ("balance profile", {"profile", "balance"}),
        ("profile balance profile", {"profile", "balance"}),
    ],
)
def test_order_and_repetition_do_not_matter(text, scopes):
    """A scope parameter is a set."""
    assert scopes == scope.parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "openid", "Profile", "profile,balance", "profile  balance", " profile", "profile\t"],
)
def test_what_is_no_scope_is_refused(text):
    """Other names, other cases, other separators."""
    with pytest.raises(ValueError, match="the scopes are profile, balance"):
        scope.parse(text)


def test_scopes_are_always_written_in_the_same_order():
    """Whatever order they came in."""
    assert "profile balance" == scope.written({"balance", "profile"})


def test_spending_is_a_scope_only_where_it_is_switched_on():
    """Else it is as unknown as any other word."""
    assert {"profile", "spend"} == scope.parse("spend profile", scope.EVERY)
    with pytest.raises(ValueError, match="the scopes are profile, balance,"):
        scope.parse("spend")
    assert "profile balance spend" == scope.written({"spend", "balance", "profile"})


def test_the_issuer_is_the_origin_to_the_byte():
    """Clients compare it so (RFC 8414 section 3.3)."""
    said = scope.document("https://login.example:8443")
    assert "https://login.example:8443" == said["issuer"]
    assert "https://login.example:8443/api/oauth2/token" == said["token_endpoint"]


def test_only_what_is_served_is_told():
    """No registration, introspection, keys or grants that do not exist."""
    said = scope.document("https://login.example")
    assert {
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "userinfo_endpoint",
        "revocation_endpoint",
        "scopes_supported",
        "response_types_supported",
        "response_modes_supported",
        "grant_types_supported",
        "token_endpoint_auth_methods_supported",
        "revocation_endpoint_auth_methods_supported",
        "code_challenge_methods_supported",
    } == set(said)
    assert ["S256"] == said["code_challenge_methods_supported"]
    assert ["profile", "balance"] == said["scopes_supported"]


def test_spending_is_told_where_it_is_switched_on():
    """A client that reads the document asks for nothing that would be refused."""
    assert ["profile", "balance"] == scope.document("https://x.example")["scopes_supported"]
    told = scope.document("https://x.example", spend=True)["scopes_supported"]
    assert ["profile", "balance", "spend"] == told
