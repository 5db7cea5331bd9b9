"""Texts that travel through a browser and come back: whoever changes one is found out.

A seal is bound to its purpose and, where one is given, to the visitor: what one browser was handed
is worth nothing in another.
"""

import base64
import hmac
from typing import Final

from trivium.secret import Keyring

_MAC_BYTES: Final = 16


def seal(ring: Keyring, purpose: str, text: str, visitor: str = "") -> str:
    """The text with its seal, in URL-safe characters."""
    data = text.encode()
    return _encoded(ring.id + _mac(ring.key, purpose, visitor, data) + data)


def opened(ring: Keyring, purpose: str, sealed: str, visitor: str = "") -> str | None:
    """The text; ``None`` when it was not sealed by us, for this and for this visitor."""
    try:
        raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        key = ring.get(raw[:4])
        mac, data = raw[4 : 4 + _MAC_BYTES], raw[4 + _MAC_BYTES :]
        if key is None or not hmac.compare_digest(mac, _mac(key, purpose, visitor, data)):
            return None
        return data.decode()
    except ValueError:
        return None


def mark(ring: Keyring, purpose: str, visitor: str) -> str:
    """What only we can derive from a visitor's secret: the token of their forms."""
    return _encoded(ring.id + _mac(ring.key, purpose, visitor, b""))


def bears(ring: Keyring, purpose: str, visitor: str, given: str) -> bool:
    """Whether a mark is the visitor's, under this key or an older one."""
    return opened(ring, purpose, given, visitor) == ""


def _mac(key: bytes, purpose: str, visitor: str, data: bytes) -> bytes:
    said = b"\0".join((purpose.encode(), visitor.encode(), data))
    return hmac.digest(key, said, "sha256")[:_MAC_BYTES]


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
