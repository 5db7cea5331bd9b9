"""From a row of the database to its caller. Pure."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_network
from typing import Any, Final

import msgspec

from trivium.identity.model import NO_TAGGED, AllowList, Caller, Network
from trivium.identity.teams.model import Inherited, TeamMap, allow_list
from trivium.settings.budget import Budget
from trivium.settings.limits import RateLimits, limits

_NEVER: Final = float("inf")
"""When a key expires that does not: one number that all of them share."""


def caller_from(row: Any, teams: TeamMap, everywhere: Mapping[str, tuple[Budget, ...]]) -> Caller:
    """The caller of a row of ``callers_of`` (``identity/store.py``) among these teams.
    ``everywhere``: budgets of tags over all keys.
    """
    models, prefixes = _allowed(row.models)
    above = _alone(row) if row.team_id is None else teams.inherited(row.team_id, row.user_id)
    own = _limits(row.requests_per_minute, row.tokens_per_minute, row.max_concurrency)
    of_user = _limits(
        row.user_requests_per_minute, row.user_tokens_per_minute, row.user_max_concurrency
    )
    of_end_users = _limits(row.end_user_requests, None, None)
    return Caller(
        key_id=row.id,
        user_id=row.user_id,
        payer_id=above.payer_id,
        unlimited=above.unlimited,
        disabled=row.disabled or row.paused or row.user_disabled or above.disabled,
        expires_at=_NEVER if row.expires_at is None else float(row.expires_at),
        models=models,
        prefixes=prefixes,
        strict=row.strict,
        header_only=row.header_only,
        group=above.group or row.price_group,
        limits=own,
        user_limits=of_user,
        budgets=_budgets(row.budgets, row.id, row.grant_id) + above.budgets,
        team_id=row.team_id or 0,
        narrowed=above.narrowed,
        team_limits=above.limits,
        networks=_networks(row.networks),
        end_user_limits=of_end_users,
        end_user_budgets=_budgets(row.end_user_budgets, row.id, None),
        tagged=above.tagged,
        tagged_everywhere=everywhere,
        grant_id=row.grant_id or 0,
        revoked=row.disabled,
        any_model=not (models or prefixes or above.narrowed),
        any_rate=own is None and of_user is None and of_end_users is None and not above.limits,
    )


def former_of(caller: Caller, until: int) -> Caller:
    """The caller whose key has got another secret: the former works until then."""
    return msgspec.structs.replace(caller, expires_at=min(caller.expires_at, float(until)))


def _alone(row: Any) -> Inherited:
    """What a key inherits that spends for no team."""
    return Inherited(row.user_id, row.unlimited, False, "", (), (), (), NO_TAGGED)


@lru_cache(maxsize=1024)
def _limits(requests: int | None, tokens: int | None, concurrency: int | None) -> RateLimits | None:
    """Limits; keys with equal ones share them."""
    return limits(requests, tokens, concurrency)


@lru_cache(maxsize=1024)
def _allowed(text: str) -> AllowList:
    """An allow-list as names and prefixes. Keys with equal lists share them."""
    return allow_list(msgspec.json.decode(text, type=list[str]))


def _budgets(text: str, key_id: int, grant_id: int | None) -> tuple[Budget, ...]:
    """A key's own, or those of the consent that it was given under: all its keys share them."""
    if text == "[]":
        return ()
    scope = f"grant:{grant_id}" if grant_id else f"key:{key_id}"
    whose = "this application" if grant_id else "this key"
    return tuple(
        msgspec.structs.replace(budget, scope=scope, whose=whose)
        for budget in msgspec.json.decode(text, type=tuple[Budget, ...])
    )


@lru_cache(maxsize=1024)
def _networks(text: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, msgspec.json.decode(text, type=list[str])))
