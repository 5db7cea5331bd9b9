"""Errors about users and keys read alone."""

from trivium.identity.errors import IdentityError, TakenError


def test_the_message_names_the_field():
    """Whoever typed it sees which argument was wrong."""
    error = IdentityError("email", "'x' is no address")
    assert "email: 'x' is no address" == str(error)
    assert "email" == error.field


def test_what_is_taken_is_told_from_what_is_wrong():
    """By its type; whoever catches all of them catches it."""
    error = TakenError("name", "there is a user 'ada' already")
    assert isinstance(error, IdentityError)
    assert ("name", "name: there is a user 'ada' already") == (error.field, str(error))
