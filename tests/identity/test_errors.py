"""Errors about users and keys read alone."""

from trivium.identity.errors import IdentityError


def test_the_message_names_the_field():
    """Whoever typed it sees which argument was wrong."""
    error = IdentityError("email", "'x' is no address")
    assert "email: 'x' is no address" == str(error)
    assert "email" == error.field
