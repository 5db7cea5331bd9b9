"""What is handed to pages does not print its secrets."""

import pytest

from trivium.identity.accounts.model import HalfWay, LoggedIn, Session, Way
from trivium.identity.model import User

ADA = User(id=7, name="ada", email="ada@example.com")


def test_tokens_are_not_printed():
    """A log line with the whole object would be a way in."""
    assert "t0ken" not in repr(LoggedIn(user=ADA, token="t0ken")) + repr(HalfWay(token="t0ken"))


@pytest.mark.parametrize(("now", "confirmed"), [(100, True), (700, True), (701, False)])
def test_a_proof_lasts_ten_minutes(now, confirmed):
    """After that sensitive acts ask again."""
    times = {"created_at": 0, "seen_at": 100, "expires_at": 999, "confirmed_at": 100}
    session = Session(id=1, user=ADA, way=Way.PASSWORD, address="", agent="", **times)
    assert confirmed is session.is_confirmed(now)
