"""What a directory is and what its tokens are."""

import pytest

from trivium.identity.scim.model import ScimDirectory, ScimToken


@pytest.mark.parametrize(
    ("email", "owns"),
    [("a@example.com", True), ("a@EXAMPLE.com", True), ("a@sub.example.com", False), ("a@x.org", False), ("", False)],
)  # fmt: skip
def test_a_directory_owns_its_domains(email, owns):
    """And none below or beside them."""
    directory = ScimDirectory(token_id=1, team_id=2, domains=("example.com",))
    assert owns is directory.owns(email)
    assert "2" == directory.via


def test_a_token_has_a_state():
    """Until it is revoked, or over."""
    made = {"id": 1, "directory_id": 2, "hint": "abcd", "name": "idp", "expires_at": 10}
    assert "live" == ScimToken(**made).state(9)
    assert "expired" == ScimToken(**made).state(10)
    assert "revoked" == ScimToken(**made, revoked_at=5).state(9)
