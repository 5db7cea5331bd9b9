"""Hashes in the place of names."""

from trivium.observe.pseudonyms import Pseudonyms
from trivium.secret import Keyring
from trivium.wire.attribution import Attributed

SAID = Attributed("ada", "s-1", ("a",))


def test_each_kind_is_hashed_where_the_operator_says_so():
    """Tags are words of the operator's own and stay."""
    ring = Keyring(b"k" * 32)
    both = Pseudonyms(ring, end_users=True, sessions=True).kept(SAID)
    assert SAID == Pseudonyms(ring).kept(SAID)
    assert both.tags == SAID.tags
    assert (32, 32) == (len(both.end_user), len(both.session))
    one = Pseudonyms(ring, end_users=True).kept(SAID)
    assert (both.end_user, "s-1") == (one.end_user, one.session)


def test_a_name_has_one_hash_for_each_secret():
    """So nodes agree, and nobody without the secret can try names."""
    first, second = Pseudonyms(Keyring(b"k" * 32)), Pseudonyms(Keyring(b"l" * 32))
    assert first.hashed("ada") == Pseudonyms(Keyring(b"k" * 32)).hashed("ada")
    assert first.hashed("ada") != first.hashed("bo")
    assert first.hashed("ada") != second.hashed("ada")


def test_nobody_stays_nobody():
    """An empty name has no hash: it would look like somebody."""
    hashing = Pseudonyms(Keyring(b"k" * 32), end_users=True, sessions=True)
    assert Attributed() == hashing.kept(Attributed())
