"""The terms of a key: set when it is made, changed later, and checked the same both times."""

import unicodedata
from collections.abc import Sequence
from ipaddress import IPv6Network, ip_network
from typing import Final

import msgspec

from trivium.identity.errors import IdentityError
from trivium.identity.model import Key, Network
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import LIMIT_MAX, RateLimits

NAME_CHARS_MAX: Final = 100
MODELS_MAX: Final = 1000
"""Entries of one allow-list."""
BUDGET_NANOS_MAX: Final = 10**15
"""A million dollars."""
NETWORKS_MAX: Final = 100
"""Entries of one list of networks; each is looked at with every request."""
MAPPED_BITS: Final = 96
"""Of ``::ffff:0:0/96``, where IPv6 keeps IPv4's addresses."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """A key's name and everything that bounds it; the defaults bound nothing."""

    name: str = "default"
    models: tuple[str, ...] = ()
    """Names allowed, a trailing ``*`` matches a prefix; empty allows all."""
    expires_at: int | None = None
    """Seconds since the epoch; ``None``: never."""
    strict: bool = False
    """What a translation would leave out is refused."""
    header_only: bool = False
    """It is refused in an address (``?key=``), which proxies write into their logs."""
    limits: RateLimits | None = None
    budgets: tuple[Budget, ...] = ()
    """At most one a period."""
    networks: tuple[str, ...] = ()
    """Addresses or CIDR it may be used from; empty: from anywhere."""
    end_user_requests: int | None = None
    """Requests a minute for each end user whom its requests are for; ``None``: no limit."""
    end_user_budgets: tuple[Budget, ...] = ()
    """What each of them may cost: at most one a period, none for good."""


def checked(terms: Terms, now: int, expires_at: int | None = None) -> Terms:
    """Return the terms in the form that is stored.

    ``expires_at``: the key's present end, which may stay though it has passed. Raises
    ``IdentityError`` (``name``, ``models``, ``expires_at``, ``limits``, ``budgets``, ``networks``,
    ``end_user_requests``, ``end_user_budgets``).
    """
    end = terms.expires_at
    if end is not None and end <= now and end != expires_at:
        raise IdentityError("expires_at", "lies in the past: a key would never be valid")
    return Terms(
        name=name_of(terms.name),
        models=allowed_models(terms.models),
        expires_at=end,
        strict=terms.strict,
        header_only=terms.header_only,
        limits=limits_of(terms.limits),
        budgets=_budgets(terms.budgets),
        networks=_networks(terms.networks),
        end_user_requests=_end_user_requests(terms.end_user_requests),
        end_user_budgets=_end_user_budgets(terms.end_user_budgets),
    )


def terms_of(key: Key) -> Terms:
    """What a key may do now."""
    return Terms(**{name: getattr(key, name) for name in Terms.__struct_fields__})


def given(budgets: Sequence[Budget], before: Terms, now: int) -> tuple[Budget, ...]:
    """Return a key's budgets with the moment at which those are given whose period (of that zone)
    had none: what the key spent before in the period counts.
    """
    since = {(budget.period, budget.zone): budget.since for budget in before.budgets}
    return tuple(
        msgspec.structs.replace(budget, since=since.get((budget.period, budget.zone), now))
        for budget in budgets
    )


def changed(before: Terms, after: Terms) -> list[str]:
    """The members in which two differ, for the audit log."""
    return [
        name for name in Terms.__struct_fields__ if getattr(before, name) != getattr(after, name)
    ]


def folded(text: str) -> str:
    """Return the NFKC form, which is the same for texts that look the same."""
    return unicodedata.normalize("NFC", text.strip())


def name_of(text: str) -> str:
    """Return a name that can be stored. Raises ``IdentityError`` (``name``)."""
    text = folded(text)
    if not text or len(text) > NAME_CHARS_MAX or not text.isprintable():
        raise IdentityError(
            "name", f"must be 1 to {NAME_CHARS_MAX} printable characters, such as 'ada'"
        )
    return text


def allowed_models(models: Sequence[str]) -> tuple[str, ...]:
    """Return an allow-list that can be stored. Raises ``IdentityError`` (``models``)."""
    if len(models) > MODELS_MAX:
        raise IdentityError("models", f"are {len(models)}, at most {MODELS_MAX} can be listed")
    for model in models:
        if not model or not model.isprintable() or "*" in model[:-1]:
            raise IdentityError(
                "models", f"{model[:80]!r} is no model name; only a trailing '*' matches more"
            )
    return tuple(dict.fromkeys(models))


def limits_of(limits: RateLimits | None) -> RateLimits | None:
    """Return limits that can be stored. Raises ``IdentityError`` (``limits``)."""
    for value in (limits.requests, limits.tokens, limits.concurrency) if limits else ():
        if value is not None and not 1 <= value <= LIMIT_MAX:
            raise IdentityError("limits", f"are whole numbers from 1 to {LIMIT_MAX}, not {value}")
    return limits


def _budgets(budgets: Sequence[Budget], member: str = "budgets") -> tuple[Budget, ...]:
    if len({budget.period for budget in budgets}) < len(budgets):
        raise IdentityError(member, "are at most one a period")
    for budget in budgets:
        if not 0 < budget.amount_nanos <= BUDGET_NANOS_MAX:
            raise IdentityError(member, "are amounts above 0 and at most a million dollars")
    return tuple(budgets)


def _end_user_requests(requests: int | None) -> int | None:
    if requests is not None and not 1 <= requests <= LIMIT_MAX:
        raise IdentityError(
            "end_user_requests", f"are a whole number from 1 to {LIMIT_MAX}, not {requests}"
        )
    return requests


def _end_user_budgets(budgets: Sequence[Budget]) -> tuple[Budget, ...]:
    """Budgets of each end user. None lasts for good: callers name end users as they like, and every
    counter must have an end.
    """
    if any(budget.period is Period.TOTAL for budget in budgets):
        raise IdentityError(
            "end_user_budgets", "are for a period that ends: day, week, month, 5h or 7d"
        )
    return _budgets(budgets, "end_user_budgets")


def _networks(texts: Sequence[str]) -> tuple[str, ...]:
    if len(texts) > NETWORKS_MAX:
        raise IdentityError("networks", f"are {len(texts)}, at most {NETWORKS_MAX} can be listed")
    return tuple(dict.fromkeys(str(_network(text)) for text in texts))


def _network(text: str) -> Network:
    """Return one network. An IPv4 address that is written as IPv6 becomes IPv4."""
    try:
        network = ip_network(text.strip())
    except ValueError as error:
        raise IdentityError(
            "networks", f"{text[:80]!r} is no network, such as '10.0.0.0/8': {error}"
        ) from None
    if isinstance(network, IPv6Network) and network.prefixlen >= MAPPED_BITS:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            return ip_network(f"{mapped}/{network.prefixlen - MAPPED_BITS}")
    return network
