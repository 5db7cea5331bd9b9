"""The address where a user tops up, with the application that sent them there.

The value in it is signed and lasts a quarter of an hour. It logs nobody in: it says which account
the application meant, so that the page can tell somebody who is logged in as another, and where a
link back may lead, which is the registered address's origin and nothing else.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from struct import Struct
from typing import Final

import msgspec

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
