"""How a provider knows whose account a request is on: three kinds of credential. Pure.

*Static*: a header that is the same in every request. *Renewed*: a token that is fetched, lives for
a while and is fetched again before it ends. *Signing*: headers worked out of the request itself.
*CredentialChoice*: the first of them for a channel with a key, another for one without.
The functions of the last two are given the secret's parts, the time and bytes, and do no I/O;
``upstream/credentials.py`` makes their calls. The one that waits is a *finder*: a library looks an
identity up where the gateway runs, and ``upstream/finding.py`` has it do so in a thread.
"""

from collections.abc import Callable, Mapping
from enum import Enum, unique
from typing import Final, Protocol, TypeAlias

import msgspec

_KEY: Final = ("api_key",)
_NOTHING: Final[Mapping[str, str]] = {}
TOKEN: Final = "token"  # noqa: S105 - a name
"""The part of what was found that is presented in a header."""


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


class HttpReply(msgspec.Struct, frozen=True, kw_only=True):
    """A service's whole answer to a request of a finder's library."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


def _nobody(asked: TokenRequest, limit_s: float) -> HttpReply:
    del asked, limit_s
    raise ConnectionError("there is no client that could ask")


def _never() -> float:
    return 0.0


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a finder is told beside the parts of the secret."""

    base_url: str
    """The channel's."""
    proxy: str | None
    """The channel's, for calls to services elsewhere; ``None``: none. Never for those beside the
    gateway, such as a metadata service."""
    ca_file: str | None
    """PEM bundle that certificates are checked against; ``None``: the system's."""
    limit_s: float
    """Seconds after which nobody waits any more."""
    ask: Callable[[TokenRequest, float], HttpReply] = _nobody
    """(a request, seconds) -> the answer to it, by the gateway's own client: its proxies, its
    authorities and its names. Blocks, so only in a finder's thread. Raises ``OSError`` where no
    answer came; its text names the host and no more of the address."""
    clock: Callable[[], float] = _never
    """Seconds since the epoch."""


class FoundSecret(msgspec.Struct, frozen=True, kw_only=True):
    """What a finder found."""

    parts: Mapping[str, str]
    """By name. They are added to the channel's own; a token is called ``token``."""
    life_s: float | None
    """Seconds from now for which the vendor takes them; ``None``: no end is known."""
    source: str
    """Where they were found, for operators: ``IMDSv2 (role gateway)``. Nothing secret."""


def _always(_: Mapping[str, str]) -> bool:
    return True


def _anything(_: frozenset[str]) -> None:
    return None


def _whatever(_: Mapping[str, str]) -> None:
    return None


class Finder(msgspec.Struct, frozen=True, kw_only=True):
    """Looks an identity up by a library that blocks: in files, the environment, at services."""

    find: Callable[[Mapping[str, str], Surroundings], FoundSecret]
    """(parts of the secret, surroundings) -> what was found. Called in a thread, one at a time for
    each account; imports its library itself. Whatever it raises says why nothing was found, in
    text that goes to logs and operators without the parts' values; ``OSError`` says that nobody
    could be asked, any other that the answer was no, which rests the channel for longer."""
    needed: Callable[[Mapping[str, str]], bool] = _always
    """Whether anything is looked up for a channel with these parts. Pure, and quick."""
    plain: frozenset[str] = frozenset()
    """Parts that are no secrets: a reason may name their values."""
    documents: frozenset[str] = frozenset()
    """Parts that are whole files, of several lines: a certificate, a JSON object."""
    places: frozenset[str] = frozenset()
    """Parts that say where and not who: they may stand beside a key, which needs none of them."""
    given: frozenset[str] = frozenset()
    """Parts of which each alone says who it is: beside one of them nothing of the gateway's own
    surroundings is looked at."""
    elsewhere: frozenset[str] = frozenset()
    """Parts that name who the secret ones are shown to, where that is not the vendor's choice."""
    check: Callable[[frozenset[str]], None] = _anything
    """Raises ``ValueError`` for names of given parts that do not go together, as ``needs secret
    beside key_id``. Asked when settings are read."""
    inspect: Callable[[Mapping[str, str]], None] = _whatever
    """The same of the parts themselves: raises ``ValueError`` for values that cannot be used, in
    text that holds none that is secret. Quick, whatever the values are."""


@unique
class Remedy(Enum):
    """What may be done about a vendor's refusal, before anything was answered."""

    NONE = "none"
    """It is the answer."""
    RENEW = "renew"
    """Find or fetch the secret again, and send the request once more."""
    CLOCK = "clock"
    """Set the clock by the vendor's ``date`` and sign again; ``RENEW`` where it is not apart."""


def _renew(status: int, headers: Mapping[str, str], body: bytes) -> Remedy:
    del status, headers, body
    return Remedy.RENEW


class Refusals(msgspec.Struct, frozen=True, kw_only=True):
    """Which of a vendor's answers are about the credential's age, not about the request."""

    statuses: frozenset[int] = frozenset({401})
    """Answers with another status are handed on as they come."""
    remedy: Callable[[int, Mapping[str, str], bytes], Remedy] = _renew
    """(status, headers with names in lower case, at most 64 KiB of the body)."""


UNAUTHORIZED: Final = Refusals()
"""Every 401."""


class Renewed(msgspec.Struct, frozen=True, kw_only=True):
    """A token with a life, presented in a header: fetched by ``ask`` and ``read``, or found."""

    ask: Callable[[Mapping[str, str], float], TokenRequest] | None = None
    """(parts of the secret, seconds since the epoch) -> the request that fetches a token. Raises
    ``ValueError`` for parts that cannot be used; its text is logged and never holds one of them."""
    read: Callable[[bytes], Token] | None = None
    """The body of the service's 2xx answer -> the token. Raises ``ValueError`` when it has none."""
    finder: Finder | None = None
    """Instead of both: its part ``token`` is the token."""
    header: Static = BEARER
    parts: tuple[str, ...] = _KEY
    """What a channel must give: ``api_key`` is its key, others stand in its ``credential``."""
    optional: tuple[str, ...] = ()
    """What it may give as well."""
    refusals: Refusals = UNAUTHORIZED
    """Which refusals have the token renewed and the request sent once more."""

    def __post_init__(self) -> None:
        """Raises ``ValueError`` where it is not said how a token is had."""
        asks = self.ask is not None and self.read is not None
        if asks == (self.finder is not None):
            raise ValueError("a renewed credential takes ask and read, or a finder")


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


class Signer(Protocol):
    """Signs requests that differ in their body and their time alone."""

    def sign(self, body: bytes, at: float) -> tuple[Mapping[str, str], str]:
        """What is added to a request, as ``Signature.headers`` has it, in two: headers, and what
        the value of the last one goes on with in this request. Raises ``ValueError``.

        ``at``: seconds since the epoch. Headers that are the very same object as the last time are
        taken to say the same, and are not looked at again.
        """
        ...


class Signing(msgspec.Struct, frozen=True, kw_only=True):
    """A signature over the composed request."""

    begin: Callable[[Mapping[str, str], Unsigned], Signature]
    """(parts of the secret, request) -> the signature before its body has come. Raises
    ``ValueError`` for parts that cannot be used; its text is logged and never holds one of them."""
    prepare: Callable[[Mapping[str, str], Unsigned], Signer] | None = None
    """The same for all requests that have path, headers and parts in common, so that what depends
    on these is worked out once: in ``headers`` there is no ``content-length``, and ``at`` is that
    of the first. ``None``: ``begin`` is asked for each."""
    parts: tuple[str, ...] = _KEY
    """As those of ``Renewed``."""
    optional: tuple[str, ...] = ()
    finder: Finder | None = None
    """What adds to the parts before a signature is begun; ``None``: they are whole."""
    refusals: Refusals | None = None
    """Which refusals have the request signed and sent once more; ``None``: none."""


Form: TypeAlias = Static | Renewed | Signing
"""One of the three kinds."""


class CredentialChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Accounts that take a key, and are known in another way where a channel has none."""

    key: Static
    otherwise: Renewed | Signing


Credential: TypeAlias = Form | CredentialChoice


def chosen(credential: Credential | None, *, has_key: bool) -> Form | None:
    """The form that a channel with a key, or without one, has."""
    if isinstance(credential, CredentialChoice):
        return credential.key if has_key else credential.otherwise
    return credential


def parts_of(credential: Credential | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of its secret that a channel must give, and those that it may give."""
    if credential is None:
        return (), ()
    if isinstance(credential, Static):
        return _KEY, ()
    if isinstance(credential, CredentialChoice):
        other = credential.otherwise
        return (), (*_KEY, *(name for name in (*other.parts, *other.optional) if name not in _KEY))
    return credential.parts, credential.optional


def finder_of(credential: Credential | None) -> Finder | None:
    """What looks an identity up for channels of this credential; ``None``: nothing does."""
    kind = chosen(credential, has_key=False)
    return None if kind is None or isinstance(kind, Static) else kind.finder
