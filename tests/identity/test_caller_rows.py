"""Rows become callers; what is the same of many keys is there once."""

import types

import pytest

from trivium.identity.caller_rows import caller_from, former_of
from trivium.identity.teams.model import Team, TeamMap
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits

NOBODY = TeamMap((), ())


def row(**members):
    """A key without any terms, of a user without any."""
    nothing = (
        "team_id grant_id expires_at requests_per_minute tokens_per_minute max_concurrency"
        " user_requests_per_minute user_tokens_per_minute user_max_concurrency end_user_requests"
    )
    no = "disabled paused user_disabled unlimited strict header_only"
    given = dict.fromkeys(nothing.split()) | dict.fromkeys(no.split(), False)
    given |= {"id": 5, "user_id": 3, "models": "[]", "budgets": "[]", "networks": "[]"}
    given |= {"end_user_budgets": "[]", "price_group": ""}
    return types.SimpleNamespace(**given | members)


def test_keys_share_what_is_equal():
    """Limits, lists, networks and never expiring: else each key would keep its own."""
    terms = {
        "requests_per_minute": 7,
        "user_tokens_per_minute": 9,
        "models": '["m", "n*"]',
        "networks": '["10.0.0.0/8"]',
    }
    one, other = (caller_from(row(id=n, **terms), NOBODY, {}) for n in (1, 2))
    for name in ("limits", "user_limits", "models", "prefixes", "networks", "expires_at"):
        assert getattr(one, name) is getattr(other, name), name
    assert (RateLimits(requests=7), RateLimits(tokens=9)) == (one.limits, one.user_limits)


@pytest.mark.parametrize(
    "limit",
    [
        *("requests_per_minute", "tokens_per_minute", "max_concurrency", "end_user_requests"),
        *("user_requests_per_minute", "user_tokens_per_minute", "user_max_concurrency"),
    ],
)
def test_whether_a_limit_can_refuse_is_known_once_a_key(limit):
    """No request of a key is asked for at limits that it has not; one that has any, of them all."""
    assert caller_from(row(), NOBODY, {}).any_rate
    assert not caller_from(row(**{limit: 7}), NOBODY, {}).any_rate


def test_what_a_team_allows_is_asked_of_its_keys():
    """Its limits, and its list of models."""
    teams = TeamMap(
        [
            Team(id=8, name="a", title="a", has_wallet=True, limits=RateLimits(requests=7)),
            Team(id=9, name="b", title="b", has_wallet=True, models=("m",)),
        ],
        (),
    )
    limited, listed = (caller_from(row(team_id=id_), teams, {}) for id_ in (8, 9))
    assert (False, True) == (limited.any_rate, limited.any_model)
    assert (True, False) == (listed.any_rate, listed.any_model)
    for models, expected in (("[]", True), ('["m"]', False), ('["m*"]', False)):
        assert expected is caller_from(row(models=models), NOBODY, {}).any_model


@pytest.mark.parametrize("why", ["disabled", "paused", "user_disabled"])
def test_whoever_is_switched_off_is_disabled(why):
    """Revoked is only the key that is switched off itself."""
    caller = caller_from(row(**{why: True}), NOBODY, {})
    assert (True, why == "disabled") == (caller.disabled, caller.revoked)
    assert not caller_from(row(), NOBODY, {}).disabled


def test_a_budget_is_the_keys_or_the_consents():
    """Of end users it is the key's whoever was given it."""
    budget = Budget(amount_nanos=5, period=Period.DAY)
    text = '[{"amount_nanos": 5, "period": "day"}]'
    own = caller_from(row(budgets=text), NOBODY, {})
    given = caller_from(row(budgets=text, end_user_budgets=text, grant_id=4), NOBODY, {})
    assert ("key:5", "this key") == (own.budgets[0].scope, own.budgets[0].whose)
    assert ("grant:4", "this application") == (given.budgets[0].scope, given.budgets[0].whose)
    assert ("key:5", budget.amount_nanos) == (
        given.end_user_budgets[0].scope,
        given.end_user_budgets[0].amount_nanos,
    )


def test_a_team_that_is_not_known_lets_nobody_in():
    """One that is, pays."""
    teams = TeamMap([Team(id=8, name="acme", title="acme", has_wallet=True)], ())
    assert caller_from(row(team_id=9), teams, {}).disabled
    caller = caller_from(row(team_id=8), teams, {})
    assert (8, 3, False) == (caller.payer_id, caller.user_id, caller.disabled)


@pytest.mark.parametrize(("expires_at", "expected"), [(None, 60.0), (50, 50.0), (70, 60.0)])
def test_a_former_secret_ends_with_the_overlap_or_the_key(expires_at, expected):
    """Whichever is first."""
    caller = caller_from(row(expires_at=expires_at), NOBODY, {})
    assert expected == former_of(caller, 60).expires_at
