"""The members of a user's account that an application's scopes allow. Pure."""

from decimal import ROUND_FLOOR, Decimal
from typing import Final, TypeAlias

import msgspec

from trivium.oauth.scope import BALANCE, PROFILE

UNIT_NANOS: Final = 2000
"""Nano-dollars in one unit of ``quota``."""
UNITS: Final = 500_000
"""Units of ``quota`` in one dollar."""
ACTIVE: Final = 1
"""``status`` of an account that may be used; 2, disabled, is never told: its tokens are dead."""

Members: TypeAlias = dict[str, int | str]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A user with their balance."""

    id: int
    name: str
    email: str
    email_verified: bool
    """Whether somebody showed that they read its mailbox."""
    created_at: int
    """Seconds since the epoch."""
    balance_nanos: int
    """May be below zero: the last request of an empty account is delivered whole."""
    used_nanos: int


def userinfo(account: Account, scopes: frozenset[str], *, decimals: int, sub: bool) -> Members:
    """Return the members that these scopes open; the others are left out, not null.

    ``decimals``: of ``balance_formatted``. ``sub``: whether the members that OpenID libraries look
    for are added: the id under that name, and whether the address is proven.
    """
    out: Members = {"id": account.id}
    if PROFILE in scopes:
        out |= {"username": account.name, "email": account.email}
    if BALANCE in scopes:
        quota = account.balance_nanos // UNIT_NANOS
        out |= {
            "quota": quota,
            "used_quota": account.used_nanos // UNIT_NANOS,
            "balance_formatted": formatted(quota, decimals),
        }
    if PROFILE in scopes:
        out |= {"created_time": account.created_at, "status": ACTIVE}
    if sub:
        out["sub"] = str(account.id)
    if sub and PROFILE in scopes:
        out["email_verified"] = account.email_verified
    return out


def formatted(quota: int, decimals: int) -> str:
    """Format units as dollars, rounded down, so that no more is shown than there is."""
    step = Decimal(1).scaleb(-decimals)
    return str((Decimal(quota) / UNITS).quantize(step, ROUND_FLOOR))
