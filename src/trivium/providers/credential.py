"""How a provider knows whose account a request is on: three kinds of credential. Pure.

*Static*: a header that is the same in every request. *Renewed*: a token that is fetched, lives for
a while and is fetched again before it ends. *Signing*: headers worked out of the request itself.
The functions of the last two are given the secret's parts, the time and bytes, and do no I/O;
``upstream/credentials.py`` makes their calls.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeAlias

import msgspec

_KEY: Final = ("api_key",)
_NOTHING: Final[Mapping[str, str]] = {}


class Static(msgspec.Struct, frozen=True):
    """The channel's key in a header."""

    header: str
    """In lower case."""
    prefix: str = ""
    """What stands before the key: ``Bearer`` and a space."""


BEARER: Final = Static("authorization", "Bearer ")

STATIC: Final[Mapping[str, Static | None]] = {
    "bearer": BEARER,
    "x-api-key": Static("x-api-key"),
    "x-goog-api-key": Static("x-goog-api-key"),
    "api-key": Static("api-key"),  # Azure
    "none": None,  # local engines
}
"""By the name that a row of ``compatible.toml`` has for it."""


class TokenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The one HTTP request that fetches a token."""

    url: str
    """Absolute, ``http`` or ``https``; the token service may live on any host."""
    method: str = "POST"
    headers: Mapping[str, str] = _NOTHING
    body: bytes = b""
    proxied: bool = True
    """Whether it goes by the channel's proxy. ``False``: a metadata service beside the gateway."""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What a token service answered."""

    value: str
    """One line of text, written behind the header's prefix."""
    life_s: float
    """Seconds from now for which the vendor takes it."""


class Renewed(msgspec.Struct, frozen=True, kw_only=True):
    """A token with a life, presented in a header."""

    ask: Callable[[Mapping[str, str], float], TokenRequest]
    """(parts of the secret, seconds since the epoch) -> the request that fetches a token. Raises
    ``ValueError`` for parts that cannot be used; its text is logged and never holds one of them."""
    read: Callable[[bytes], Token]
    """The body of the service's 2xx answer -> the token. Raises ``ValueError`` when it has none."""
    header: Static = BEARER
    parts: tuple[str, ...] = _KEY
    """What a channel must give: ``api_key`` is its key, others stand in its ``credential``."""
    optional: tuple[str, ...] = ()
    """What it may give as well."""


class Unsigned(msgspec.Struct, frozen=True, kw_only=True):
    """A composed request, as a signature is made of it."""

    method: str
    scheme: str
    host: str
    """As in the ``host`` header: with the port where it is not the scheme's own."""
    path: str
    """Percent-encoded, as it is written."""
    query: str
    """Behind the question mark; empty for none."""
    headers: Mapping[str, str]
    """All that are written but those of the signature, names in lower case."""
    at: float
    """Seconds since the epoch."""


class Signature(Protocol):
    """One signature in the making. One object for each time a request is written."""

    def update(self, piece: bytes) -> None:
        """The next bytes of the body. Large bodies come in several pieces; an empty one in none."""
        ...

    def headers(self) -> Mapping[str, str]:
        """What is added to the request, names in lower case, once the whole body has come."""
        ...


class Signing(msgspec.Struct, frozen=True, kw_only=True):
    """A signature over the composed request."""

    begin: Callable[[Mapping[str, str], Unsigned], Signature]
    """(parts of the secret, request) -> the signature before its body has come. Raises
    ``ValueError`` for parts that cannot be used; its text is logged and never holds one of them."""
    parts: tuple[str, ...] = _KEY
    """As those of ``Renewed``."""
    optional: tuple[str, ...] = ()


Credential: TypeAlias = Static | Renewed | Signing
"""One of the three kinds."""


def parts_of(credential: Credential | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of its secret that a channel must give, and those that it may give."""
    if credential is None:
        return (), ()
    if isinstance(credential, Static):
        return _KEY, ()
    return credential.parts, credential.optional
