"""A token's state and words."""

from trivium.oauth.admin.model import AdminToken, words
from trivium.settings.workloads import SCOPES_ALL, AdminScope

TOKEN = AdminToken(
    id=7,
    user_id=None,
    parent_id=None,
    name="n",
    hint="abcd",
    scopes=frozenset({AdminScope.MONEY}),
    created_at=0,
    expires_at=10,
)


def test_a_token_is_live_until_it_ends():
    """By time, or by being revoked, which is said first."""
    assert ("live", "expired") == (TOKEN.state(9.9), TOKEN.state(10))
    revoked = AdminToken(
        **{f: getattr(TOKEN, f) for f in TOKEN.__struct_fields__ if f != "revoked_at"}, revoked_at=5
    )
    assert ["revoked"] * 2 == [revoked.state(6), revoked.state(11)]
    assert "admin_token:7" == TOKEN.what


def test_scopes_are_written_in_one_order():
    """As they are listed."""
    assert "read catalogue money users" == words(SCOPES_ALL)
    assert "money" == words(TOKEN.scopes)
