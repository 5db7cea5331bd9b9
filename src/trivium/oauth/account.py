"""The members of an account that an application's scopes allow, and where it is topped up. Pure.

The value in a top-up address is signed and lasts a quarter of an hour. It logs nobody in: it says
which account the application meant, so that the page can tell somebody who is logged in as another,
and where a link back may lead, which is the registered address's origin and nothing else.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from decimal import ROUND_FLOOR, Decimal
from struct import Struct
from typing import Final, TypeAlias

import msgspec

from trivium.oauth.scope import BALANCE, PROFILE
from trivium.secret import KEY_ID_BYTES, Keyring

LIFETIME_S: Final = 900
_FIELDS: Final = Struct(">QQQ")
_MAC_BYTES: Final = 32
_SIZE: Final = KEY_ID_BYTES + _FIELDS.size + _MAC_BYTES


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent whom to the top-up page."""

    user_id: int
    app_id: int


def sealed(keys: Keyring, attribution: Attribution, now: float) -> str:
    """An attribution as a value of an address."""
    fields = _FIELDS.pack(attribution.user_id, attribution.app_id, int(now) + LIFETIME_S)
    said = keys.id + fields
    return urlsafe_b64encode(said + _mac(keys.key, said)).rstrip(b"=").decode("ascii")


def opened(keys: Keyring, value: str, now: float) -> Attribution | None:
    """The attribution in a value; ``None`` when it is none of ours, or too old."""
    try:
        raw = urlsafe_b64decode(value.encode("ascii") + b"=" * (-len(value) % 4))
    except ValueError:
        return None
    key = keys.get(raw[:KEY_ID_BYTES])
    said, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    if len(raw) != _SIZE or key is None or not hmac.compare_digest(_mac(key, said), mac):
        return None
    user_id, app_id, expires_at = _FIELDS.unpack(said[KEY_ID_BYTES:])
    if expires_at <= now:
        return None
    return Attribution(user_id=user_id, app_id=app_id)


def _mac(key: bytes, said: bytes) -> bytes:
    return hmac.digest(key, b"trivium topup\0" + said, "sha256")


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
