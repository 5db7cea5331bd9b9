"""A credential is not to be seen where nobody asked for it."""

import copy
import json
import pickle
import traceback

import msgspec
import pytest

from trivium.secret import KEY_ID_BYTES, Keyring, Secret

PLANTED = "sk-planted-0123456789"


@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        ascii,
        "{}".format,
        "{!r:>40}".format,
        lambda secret: f"{secret}",
        lambda secret: "%s" % secret,  # noqa: UP031 - the old form is another way out
        lambda secret: repr({"key": [secret]}),
        lambda secret: repr((secret,)),
    ],
)
def test_no_way_of_printing_shows_it(show):
    """Logs and reprs show stars."""
    assert PLANTED not in show(Secret(PLANTED))
    assert "***" in show(Secret(PLANTED))


@pytest.mark.parametrize(
    "carry",
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        msgspec.json.encode,
        msgspec.to_builtins,
        vars,
    ],
)
def test_no_way_of_serialising_carries_it(carry):
    """It cannot leave the process by accident."""
    with pytest.raises(TypeError) as caught:
        carry(Secret(PLANTED))
    assert PLANTED not in str(caught.value)


def test_a_traceback_with_locals_shows_stars():
    """Error reporters print local variables."""

    def fail(secret):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken") as caught:
        fail(Secret(PLANTED))
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    text = "".join(shown.format())
    assert "Secret(***)" in text


def test_reveal_gives_the_credential():
    """The one way to it is the one with a name."""
    assert Secret(PLANTED).reveal() == PLANTED


def test_equal_credentials_are_equal():
    """A reload can tell whether a credential changed; a text is never equal to a secret."""
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert {Secret("a")} == {Secret("a"), Secret("a")}


def test_a_keyring_opens_with_every_key_and_seals_with_the_first():
    """An id names its key on every ring that has it."""
    old, new = Keyring(b"o" * 32), Keyring(b"n" * 32)
    both = Keyring(b"n" * 32, b"o" * 32)
    assert (b"n" * 32, new.id) == (both.key, both.id)
    assert (b"n" * 32, b"o" * 32) == (both.get(new.id), both.get(old.id))
    assert new.get(old.id) is None
    assert KEY_ID_BYTES == len(new.id)


def test_a_keyring_is_neither_printed_nor_serialised():
    """Its keys open everything that is stored."""
    ring = Keyring(PLANTED.encode())
    assert PLANTED not in f"{ring} {ring!r} {[ring]}"
    for carry in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            carry(ring)


def test_a_late_keyring_derives_its_keys_once_and_when_they_are_needed():
    """A gateway that seals nothing pays for no derivation."""
    asked = []
    ring = Keyring.late(lambda: asked.append(1) or [b"n" * 32, b"o" * 32])
    assert [] == asked
    assert (b"n" * 32, b"o" * 32) == (ring.key, ring.get(Keyring(b"o" * 32).id))
    assert [1] == asked


def test_a_mark_tells_credentials_apart_and_purposes():
    """The same for the same, and the credential is not in it."""
    one, same, other = Secret("sk-1"), Secret("sk-1"), Secret("sk-2")
    assert one.mark("a") == same.mark("a")
    assert 3 == len({one.mark("a"), one.mark("b"), other.mark("a")})
    assert (16, False) == (len(one.mark("a")), "sk-1" in one.mark("a"))
