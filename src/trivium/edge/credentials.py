"""The presented key, in any of its five forms.

Order of precedence, the same for all shapes: ``x-api-key``, ``Authorization: Bearer``,
``x-goog-api-key``, ``api-key``, ``?key=``. Of several the first that looks like a gateway key
counts, so an SDK that sends a placeholder beside the real key works; none of them is ever forwarded
or logged.
"""

from typing import Final

from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind

PREFIX: Final = b"sk-gateway-"
HEADERS: Final = frozenset(
    {b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key", b"cookie"}
)
"""Headers that may present a key, which is for nobody else."""


def presented(exchange: Exchange, *, query_key: bool) -> bytes | None:
    """The key to check, ``None`` when none was presented."""
    headers = exchange.headers
    found: bytes | None = None
    for candidate in (
        headers.get(b"x-api-key"),
        _bearer(headers.get(b"authorization")),
        headers.get(b"x-goog-api-key"),
        headers.get(b"api-key"),
        exchange.parameter(b"key") if query_key and exchange.query else None,
    ):
        if candidate:
            if candidate.startswith(PREFIX):
                return candidate
            found = found or candidate
    return found


SIGNED: Final = (
    "The request is signed with AWS credentials, which mean nothing here. Set the environment "
    "variable AWS_BEARER_TOKEN_BEDROCK to a gateway key, and let no profile or code name other "
    "credentials."
)
_SIGNATURE: Final = b"AWS4-"
"""Begins the scheme of every version of Amazon's signatures, as ``AWS4-HMAC-SHA256``."""


def refuse_signature(exchange: Exchange) -> None:
    """Raise KEY_MISSING, with what would be right, when a signature of Amazon's stands where a key
    would.
    """
    value = exchange.headers.get(b"authorization")
    if value is not None and value[: len(_SIGNATURE)].upper() == _SIGNATURE:
        raise Fault(Kind.KEY_MISSING, SIGNED)


def from_query(exchange: Exchange) -> bool:
    """Whether the key that counts came in the address."""
    return presented(exchange, query_key=True) != presented(exchange, query_key=False)


def _bearer(value: bytes | None) -> bytes | None:
    if value is None:
        return None
    scheme, _, key = value.partition(b" ")
    return key.strip() if scheme.lower() == b"bearer" else None
