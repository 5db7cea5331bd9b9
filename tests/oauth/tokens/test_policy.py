"""Whether a code or a refresh token is good."""

import pytest

from oauth.world import CHALLENGE, VERIFIER, changed
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import policy
from trivium.oauth.tokens.model import CodeGrant
from trivium.oauth.tokens.policy import CodeRow, RefreshRow, Use

CODE = CodeRow(
    digest=b"d",
    app_id=1,
    user_id=7,
    grant_id=1,
    redirect_uri="https://a.example/",
    scopes=frozenset({"profile"}),
    code_challenge=None,
    expires_at=100,
    family_id=None,
    is_granted=True,
)
REFRESH = RefreshRow(
    id=1,
    app_id=1,
    user_id=7,
    grant_id=1,
    family_id=1,
    family_expires_at=1000,
    scopes=frozenset({"profile", "balance"}),
    expires_at=100,
    rotated_at=None,
    seed=None,
    is_granted=True,
)
GIVEN = CodeGrant(code="c", redirect_uri="https://a.example/", verifier=None)


@pytest.mark.parametrize(
    ("row", "given", "now", "good"),
    [
        ({}, {}, 99, True),
        ({}, {}, 100, False),
        ({"is_granted": False}, {}, 99, False),
        ({}, {"redirect_uri": "https://a.example"}, 99, False),
        ({}, {"redirect_uri": "https://A.example/"}, 99, False),
        ({}, {"verifier": VERIFIER}, 99, False),
        ({"code_challenge": CHALLENGE}, {"verifier": VERIFIER}, 99, True),
        ({"code_challenge": CHALLENGE}, {"verifier": VERIFIER + "x"}, 99, False),
        ({"code_challenge": CHALLENGE}, {"verifier": CHALLENGE}, 99, False),
        ({"code_challenge": CHALLENGE}, {"verifier": "ü"}, 99, False),
        ({"code_challenge": CHALLENGE}, {}, 99, False),
    ],
)
def test_a_code_is_bound_to_what_was_asked(row, given, now, good):
    """Time, consent, address, and the whole PKCE matrix with the downgrade rule."""
    assert good is policy.code_is_good(changed(CODE, **row), changed(GIVEN, **given), now)


@pytest.mark.parametrize(
    ("row", "app_id", "now", "use"),
    [
        (None, 1, 50, Use.INVALID),
        ({}, 1, 50, Use.FIRST),
        ({}, 2, 50, Use.INVALID),
        ({}, 1, 99, Use.FIRST),
        ({}, 1, 100, Use.INVALID),
        ({"family_expires_at": 50}, 1, 50, Use.INVALID),
        ({"is_granted": False}, 1, 50, Use.INVALID),
        ({"rotated_at": 30}, 1, 30, Use.GRACE),
        ({"rotated_at": 30}, 1, 90, Use.GRACE),
        ({"rotated_at": 30}, 1, 91, Use.REUSE),
        ({"rotated_at": 30}, 2, 91, Use.INVALID),
        ({"rotated_at": 30}, 1, 100, Use.INVALID),
        ({"rotated_at": 95}, 1, 35, Use.GRACE),
        ({"rotated_at": 95}, 1, 34, Use.INVALID),
        ({"rotated_at": 30, "is_granted": False}, 1, 91, Use.INVALID),
    ],
)
def test_a_refresh_token_is_new_used_or_stolen(row, app_id, now, use):
    """Sixty seconds lie between a lost answer and a theft; strangers revoke nothing."""
    found = None if row is None else changed(REFRESH, **row)
    assert use is policy.use_of(found, app_id, now)


@pytest.mark.parametrize(
    ("wanted", "scopes"),
    [(None, {"profile", "balance"}), ({"profile"}, {"profile"}), (set(), set())],
)
def test_scopes_may_be_narrowed(wanted, scopes):
    """``None``: all of them."""
    given = None if wanted is None else frozenset(wanted)
    assert scopes == policy.narrowed(REFRESH.scopes, given)


def test_scopes_may_not_be_widened():
    """invalid_scope."""
    with pytest.raises(OAuthError) as raised:
        policy.narrowed(frozenset({"profile"}), frozenset({"balance"}))
    assert "invalid_scope" == raised.value.code


def test_a_successor_needs_all_three():
    """Token, seed and key; the same three make the same one."""
    made = policy.successor_secret("t", b"s", b"k")
    assert 32 == len(made)
    assert made == policy.successor_secret("t", b"s", b"k")
    others = [("u", b"s", b"k"), ("t", b"r", b"k"), ("t", b"s", b"j")]
    assert made not in {policy.successor_secret(*other) for other in others}
