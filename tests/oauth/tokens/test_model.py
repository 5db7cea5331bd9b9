"""The token response."""

from trivium.oauth.tokens.model import Issued


def test_the_response_has_the_members_of_the_specification():
    """And no other."""
    issued = Issued(
        access_token="gwat_a",
        refresh_token="gwrt_r",
        expires_in=7200,
        scopes=frozenset({"balance", "profile"}),
        user_id=7,
        family_id=1,
    )
    assert {
        "access_token": "gwat_a",
        "token_type": "Bearer",
        "expires_in": 7200,
        "refresh_token": "gwrt_r",
        "scope": "profile balance",
    } == issued.body()
