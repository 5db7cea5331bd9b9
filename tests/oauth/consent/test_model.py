"""Whether a person is asked: the whole matrix."""

import itertools

import msgspec
import pytest

from trivium.oauth.apps.model import App
from trivium.oauth.consent.model import (
    AuthorizationRequest,
    ConsentHistory,
    Decision,
    Grant,
    Pending,
    decide,
    holds,
    outlived,
)

BOTH = frozenset({"profile", "balance"})
PROFILE = frozenset({"profile"})
GRANTS = {
    "none": None,
    "narrower": PROFILE,
    "same": BOTH,
    "older than the app": BOTH,
    "revoked": None,
}


def pending(*, auto, trusted, login):
    app = App(
        id=1,
        user_id=1,
        name="App",
        description="",
        client_id="gwc_app",
        redirect_uri="https://app.example/",
        trusted=trusted,
        changed_at=100,
    )
    asked = AuthorizationRequest(
        app=app,
        redirect_uri=app.redirect_uri,
        scopes=BOTH,
        state=b"s",
        code_challenge=None,
        auto_authorize=auto,
    )
    return Pending(
        asked=asked, owner="owner", user_id=7, created_at=500, login_at=510 if login else None
    )


def history(grant):
    scopes = GRANTS[grant]
    if scopes is None:
        return ConsentHistory(grant=None, was_revoked=grant == "revoked")
    at = 100 if grant == "older than the app" else 101
    given = Grant(
        id=1,
        user_id=7,
        app_id=1,
        scopes=scopes,
        automatic=False,
        created_at=at,
        consented_at=at,
        revoked_at=None,
    )
    return ConsentHistory(grant=given, was_revoked=False)


def expected(grant, *, auto, trusted, login):
    """The rule, said once more in other words."""
    if grant == "same":
        return Decision.KNOWN
    if grant == "revoked" or not auto:
        return Decision.ASK
    return Decision.AUTOMATIC if trusted or login else Decision.ASK


@pytest.mark.parametrize(
    ("grant", "auto", "trusted", "login"),
    list(itertools.product(GRANTS, (False, True), (False, True), (False, True))),
)
def test_nobody_is_passed_over_but_by_the_rule(grant, auto, trusted, login):
    """Consent before, login here, or the operator's trust; never after consent was taken back."""
    flags = {"auto": auto, "trusted": trusted, "login": login}
    made = decide(pending(**flags), history(grant), is_framed=False)
    assert expected(grant, **flags) is made


@pytest.mark.parametrize("grant", GRANTS)
def test_within_another_page_everybody_is_asked(grant):
    """And that page is not shown there."""
    asked = pending(auto=True, trusted=True, login=True)
    assert Decision.ASK is decide(asked, history(grant), is_framed=True)


def test_a_login_before_the_request_does_not_count():
    """It was not for this application."""
    earlier = Pending(
        asked=pending(auto=True, trusted=False, login=False).asked,
        owner="owner",
        user_id=7,
        created_at=500,
        login_at=499,
    )
    assert Decision.ASK is decide(earlier, history("none"), is_framed=False)


@pytest.mark.parametrize("trusted", [True, False])
def test_nobodys_money_is_given_away_without_a_question(trusted):
    """Not by a login on the page, and not because the operator trusts the application."""
    asked = pending(auto=True, trusted=trusted, login=True)
    spending = msgspec.structs.replace(asked.asked, scopes=BOTH | {"spend"})
    asked = msgspec.structs.replace(asked, asked=spending)
    assert Decision.ASK is decide(asked, history("none"), is_framed=False)
    assert Decision.ASK is decide(asked, history("same"), is_framed=False)


@pytest.mark.parametrize(
    ("grant", "scopes", "is_held", "is_outlived"),
    [
        ("narrower", PROFILE, True, False),
        ("narrower", BOTH, False, False),
        ("same", PROFILE, True, False),
        ("older than the app", BOTH, False, False),
        ("older than the app", PROFILE, False, True),
    ],
)
def test_earlier_consent_holds_goes_on_or_ends(grant, scopes, is_held, is_outlived):
    """What was given before the application changed goes on only in consent that covers it."""
    asked = msgspec.structs.replace(
        pending(auto=False, trusted=False, login=False).asked, scopes=scopes
    )
    given = history(grant).grant
    assert (is_held, is_outlived) == (holds(given, asked), outlived(given, asked))
