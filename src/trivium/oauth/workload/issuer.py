"""The keys of one issuer: fetched from its own address, kept, and fetched again seldom.

Whoever sends tokens with keys that nobody knows makes us look for them at most once in ``RETRY_S``
seconds, by one worker at a time once; everybody else's tokens are checked with what is there.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import msgspec
import structlog

from trivium.clock import Clock

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport
    from joserfc.jwk import Key

TIMEOUT_S: Final = 10.0
"""For the description and the keys together."""
FRESH_S: Final = 3600
"""For so long keys are used without another look."""
STALE_S: Final = 6 * 3600
"""For so long while the issuer cannot be reached; a key that it withdrew works no longer."""
RETRY_S: Final = 60
"""The issuer is asked no more often, whatever is presented and whatever it answers."""
BODY_BYTES_MAX: Final = 524_288
KEYS_MAX: Final = 100
RSA_BITS: Final = (2048, 8192)
"""Weaker keys prove nothing, larger ones take long to check."""

log = structlog.get_logger()


class IssuerUnreachable(Exception):  # noqa: N818 - an answer, not a failure of ours
    """There are no keys to check a token with. ``wait_s``: until the issuer is asked again."""

    def __init__(self, wait_s: int) -> None:
        super().__init__("the issuer's keys cannot be had")
        self.wait_s = wait_s


class _Described(msgspec.Struct, frozen=True):
    issuer: str
    jwks_uri: str


class _Listed(msgspec.Struct, frozen=True):
    keys: list[dict[str, Any]]


class IssuerKeys:
    """An issuer by its address. ``transport``: of the HTTP client, for tests."""

    def __init__(
        self, issuer: str, clock: Clock, transport: "AsyncBaseTransport | None" = None
    ) -> None:
        self.issuer: Final = issuer
        self._clock = clock
        self._transport = transport
        self._keys: Mapping[str, Key] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._turn = asyncio.Lock()

    async def key(self, kid: str) -> "Key | None":
        """The key of that name; ``None``: the issuer has none. Raises IssuerUnreachable."""
        is_known = kid in self._keys and self._age() < STALE_S
        # whoever can be answered with what is there does not wait for somebody else's look
        if (not is_known or self._age() >= FRESH_S) and not (is_known and self._turn.locked()):
            async with self._turn:
                if (kid not in self._keys or self._age() >= FRESH_S) and not self._wait():
                    await self._look()
        if self._age() >= STALE_S:
            raise IssuerUnreachable(max(self._wait(), 1))
        return self._keys.get(kid)

    def _age(self) -> float:
        if self._fetched_at is None:
            return float("inf")
        return self._clock.monotonic() - self._fetched_at

    def _wait(self) -> int:
        """Seconds until the issuer may be asked again."""
        if self._tried_at is None:
            return 0
        left = self._tried_at + RETRY_S - self._clock.monotonic()
        return max(0, int(left + 0.999))

    async def _look(self) -> None:
        """Fetch the keys; what was there stays where that fails."""
        self._tried_at = self._clock.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                listed = await self._listed()
            self._keys = await asyncio.to_thread(_imported, listed)
        except Exception as error:  # noqa: BLE001 - whatever an issuer sends, others go on
            # an issuer's own words may hold anything: the kind of failure must do
            why = str(error) if isinstance(error, _IssuerError) else type(error).__name__
            log.warning("workload_issuer_failed", issuer=self.issuer, why=why)
            return
        self._fetched_at = self._clock.monotonic()
        log.info("workload_keys_fetched", issuer=self.issuer, keys=len(self._keys))

    async def _listed(self) -> list[dict[str, Any]]:
        import httpx2

        # no redirects: an operator's address that moved is an operator's to correct
        options: dict[str, Any] = {"timeout": TIMEOUT_S, "transport": self._transport}
        async with httpx2.AsyncClient(follow_redirects=False, **options) as client:
            # as OpenID Connect Discovery 1.0, section 4, has it: an issuer may have a path
            url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
            described = msgspec.json.decode(await _body(client, url), type=_Described)
            if described.issuer != self.issuer:
                raise _IssuerError("its description is of another issuer")
            if urlsplit(described.jwks_uri).scheme not in ("https", urlsplit(self.issuer).scheme):
                raise _IssuerError("its keys are not behind TLS")
            listed = msgspec.json.decode(await _body(client, described.jwks_uri), type=_Listed)
        if len(listed.keys) > KEYS_MAX:
            raise _IssuerError(f"it has more than {KEYS_MAX} keys")
        return listed.keys


class _IssuerError(Exception):
    """What an issuer does wrong, in our words."""


async def _body(client: Any, url: str) -> bytes:
    """An answer of 200, no longer than it may be."""
    parts: list[bytes] = []
    size = 0
    async with client.stream("GET", url, headers={"accept-encoding": "identity"}) as answer:
        if answer.status_code != 200:
            raise _IssuerError(f"it answered {answer.status_code}")
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise _IssuerError("it packed its answer, which nobody asked for")
        async for part in answer.aiter_bytes():
            size += len(part)
            if size > BODY_BYTES_MAX:
                raise _IssuerError(f"it answered with more than {BODY_BYTES_MAX} bytes")
            parts.append(part)
    return b"".join(parts)


def _imported(listed: list[dict[str, Any]]) -> dict[str, "Key"]:
    """The keys that may sign, by their names. Others are left out."""
    from joserfc.jwk import JWKRegistry

    found: dict[str, Key] = {}
    for one in listed:
        kid = one.get("kid")
        # what an issuer publishes is no secret: a symmetric key among it would sign for all
        if not isinstance(kid, str) or not _may_sign(one):
            continue
        try:
            found[kid] = JWKRegistry.import_key(one)
        except Exception as error:  # noqa: BLE001 - one odd key spoils no others
            log.warning("workload_key_unusable", why=type(error).__name__)
    return found


def _may_sign(key: Mapping[str, Any]) -> bool:
    if key.get("use", "sig") != "sig" or key.get("kty") not in ("RSA", "EC", "OKP") or "d" in key:
        return False
    modulus = key.get("n")
    if key["kty"] != "RSA":
        return True
    low, high = RSA_BITS
    return isinstance(modulus, str) and low - 8 <= len(modulus.rstrip("=")) * 6 <= high + 8
