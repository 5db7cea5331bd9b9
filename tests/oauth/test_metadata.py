"""The metadata document."""

from trivium.oauth import metadata


def test_the_issuer_is_the_origin_to_the_byte():
    """Clients compare it so (RFC 8414 section 3.3)."""
    said = metadata.document("https://login.example:8443")
    assert "https://login.example:8443" == said["issuer"]
    assert "https://login.example:8443/api/oauth2/token" == said["token_endpoint"]


def test_only_what_is_served_is_told():
    """No registration, introspection, keys or grants that do not exist."""
    said = metadata.document("https://login.example")
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
    assert ["profile", "balance"] == metadata.document("https://x.example")["scopes_supported"]
    told = metadata.document("https://x.example", spend=True)["scopes_supported"]
    assert ["profile", "balance", "spend"] == told
