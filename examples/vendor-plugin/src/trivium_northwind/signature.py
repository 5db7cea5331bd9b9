"""Northwind's signature: HMAC-SHA256 over the time, the request line and the body.

Three headers carry it: ``x-northwind-key``, the key id; ``x-northwind-time``, seconds since the
epoch, which the vendor takes five minutes either way; ``x-northwind-signature``, the hexadecimal
digits of ``HMAC(secret, TIME LF METHOD SPACE TARGET LF BODY)``.
"""

import hashlib
import hmac
from collections.abc import Mapping

from trivium.plugin import Signing, Unsigned


class Signature:
    """One signature in the making: large bodies come in pieces."""

    def __init__(self, parts: Mapping[str, str], request: Unsigned) -> None:
        self._key_id = parts["key_id"]
        self._time = str(int(request.at))
        target = f"{request.path}?{request.query}" if request.query else request.path
        before = f"{self._time}\n{request.method} {target}\n"
        self._mac = hmac.new(parts["api_key"].encode(), before.encode(), hashlib.sha256)

    def update(self, piece: bytes) -> None:
        """The next bytes of the body."""
        self._mac.update(piece)

    def headers(self) -> Mapping[str, str]:
        """What is added to the request."""
        return {
            "x-northwind-key": self._key_id,
            "x-northwind-time": self._time,
            "x-northwind-signature": self._mac.hexdigest(),
        }


SIGNING = Signing(begin=Signature, parts=("api_key", "key_id"))
