"""Developer tokens as they are shown."""

import pytest

from trivium.oauth.developer.model import DeveloperToken


@pytest.mark.parametrize(
    ("revoked_at", "now", "state"),
    [(None, 9, "live"), (None, 10, "expired"), (5, 9, "revoked"), (5, 11, "revoked")],
)
def test_a_token_is_in_one_state(revoked_at, now, state):
    """Revoked goes before expired."""
    token = DeveloperToken(
        id=1,
        user_id=1,
        name="ci",
        hint="abcd",
        permissions=frozenset(),
        created_at=0,
        expires_at=10,
        revoked_at=revoked_at,
    )
    assert state == token.state(now)
