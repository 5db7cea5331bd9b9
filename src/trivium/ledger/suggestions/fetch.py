"""A newer catalogue from the address in the settings.

Nothing is fetched by itself, and what is fetched has to be signed: the address with ``.sig`` after
it holds the Ed25519 signature of the file's bytes in base64. A signature says who made a file, not
that its prices are right; so all that comes of it is a comparison to look at.
"""

import base64
import binascii
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import IO, Any, Final
from urllib.parse import urlsplit

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.model import BYTES_MAX

TIMEOUT_S: Final = 30.0
"""To connect, and between two reads."""
SIGNATURE_BYTES_MAX: Final = 1_024

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def fetch(url: str, public_key: str, proxy: str | None = None) -> bytes:
    """A catalogue from an address, its signature checked. Raises ``LedgerError``.

    ``public_key``: 32 bytes of Ed25519 in base64. ``proxy``: ``http://…`` or ``None``.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key))
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise LedgerError(f"{url} is not https, which everything but loopback has to be")
    door = urllib.request.build_opener(
        urllib.request.ProxyHandler({parts.scheme: proxy} if proxy else {}), _Straight()
    )
    data = _get(door, url, BYTES_MAX)
    signed = _get(door, f"{url}.sig", SIGNATURE_BYTES_MAX)
    try:
        key.verify(base64.b64decode(signed.strip(), validate=True), data)
    except (InvalidSignature, binascii.Error, ValueError):
        raise LedgerError(f"{url} is not signed by the key of prices.public_key") from None
    return data


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the address in the settings is the one that is trusted."""

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Leave the answer as it is, which is then an error."""
        del req, fp, code, msg, headers, newurl


def _get(door: urllib.request.OpenerDirector, url: str, bytes_max: int) -> bytes:
    try:
        with door.open(url, timeout=TIMEOUT_S) as answer:
            data: bytes = answer.read(bytes_max + 1)
    except urllib.error.HTTPError as exc:
        exc.close()
        raise LedgerError(f"{url} answered {exc.code}") from None
    except (OSError, HTTPException, ValueError) as exc:
        reason = getattr(exc, "reason", None) or exc
        raise LedgerError(f"{url} cannot be fetched: {reason}") from None
    if len(data) > bytes_max:
        raise LedgerError(f"{url} is above {bytes_max} bytes")
    return data
