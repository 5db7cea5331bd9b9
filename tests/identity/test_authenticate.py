"""A presented key becomes a caller, or a fault that tells nothing."""

import pytest

from trivium.faults import Fault, Kind
from trivium.identity.authenticate import authenticate
from trivium.identity.keys import digest, issue
from trivium.identity.model import Caller

NOW = 1_790_000_000.0
KEY = issue(lambda count: bytes(range(count)))
OTHER = issue(lambda count: bytes(range(1, count + 1)))


def caller(**changes):
    fields = {
        "key_id": 1,
        "user_id": 2,
        "payer_id": 2,
        "unlimited": False,
        "disabled": False,
        "expires_at": float("inf"),
        "models": frozenset(),
        "prefixes": (),
    }
    return Caller(**fields | changes)


@pytest.mark.parametrize("presented", [KEY, KEY.encode()])
@pytest.mark.parametrize("expires_at", [float("inf"), NOW + 1])
def test_a_valid_key_is_its_caller(presented, expires_at):
    """As text or bytes."""
    known = caller(expires_at=expires_at)
    assert known is authenticate(presented, {digest(KEY): known}.get, NOW)


@pytest.mark.parametrize("presented", [None, "", b""])
def test_no_key_is_told_how_to_send_one(presented):
    """The only case with its own words: there is nothing to give away."""
    with pytest.raises(Fault, match="x-api-key") as caught:
        authenticate(presented, {}.get, NOW)
    assert Kind.KEY_MISSING is caught.value.kind
    assert 401 == caught.value.status


BAD = {
    "unknown": (OTHER, caller()),
    "unknown bytes": (OTHER.encode(), caller()),
    "typo": (KEY[:-1] + "_", caller()),
    "truncated": (KEY[:-1], caller()),
    "trailing newline": (KEY + "\n", caller()),
    "not ours": ("sk-proj-abc", caller()),
    "not ASCII": ("é" * 60, caller()),
    "lone surrogate": ("\ud800" * 60, caller()),
    "not UTF-8": (b"\xff" * 60, caller()),
    "huge": ("x" * 1_000_000, caller()),
    "disabled": (KEY, caller(disabled=True)),
    "expired": (KEY, caller(expires_at=NOW - 1)),
    "expired just now": (KEY, caller(expires_at=NOW)),
}


@pytest.mark.parametrize(("presented", "known"), BAD.values(), ids=BAD)
def test_every_bad_key_gets_the_same_answer(presented, known):
    """Unknown, mistyped, expired and disabled cannot be told apart from outside."""
    with pytest.raises(Fault) as caught:
        authenticate(presented, {digest(KEY): known}.get, NOW)
    fault = caught.value
    assert (Kind.KEY_UNKNOWN, 401, "invalid_api_key") == (fault.kind, fault.status, fault.code)
    assert (
        "The API key is not valid. It must be one of this gateway (sk-gateway-...), complete and "
        "not revoked." == fault.message
    )


def test_what_cannot_be_a_key_is_not_looked_up():
    """Megabytes in a header cost no hash."""

    def refuse(_):
        raise AssertionError

    with pytest.raises(Fault):
        authenticate("x" * 61, refuse, NOW)
