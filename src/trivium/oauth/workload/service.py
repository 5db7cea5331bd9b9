"""Who a workload is: its token checked with its issuer's keys and the settings.

Signatures are `joserfc`'s. What this adds is what it leaves to its users: algorithms are a list of
ours and never the token's own choice, a key signs with its own algorithm alone, and every claim
that counts is demanded.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from trivium.clock import Clock
from trivium.identity.accounts.sso.provider import ALGORITHMS
from trivium.oauth.admin.model import Machine
from trivium.oauth.errors import OAuthError
from trivium.oauth.workload import claims as said
from trivium.oauth.workload.claims import ClaimsRefused
from trivium.oauth.workload.issuer import IssuerKeys, IssuerUnreachable
from trivium.settings.workloads import AdminScope, WorkloadEntry

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport
    from joserfc.jwk import Key

SUBJECT_SHOWN_MAX: Final = 120


class Workloads:
    """The workloads of the settings. ``transport``: of the HTTP client, for tests."""

    def __init__(
        self,
        entries: Iterable[WorkloadEntry],
        clock: Clock,
        transport: "AsyncBaseTransport | None" = None,
    ) -> None:
        self._clock = clock
        self._entries: dict[str, list[WorkloadEntry]] = {}
        for entry in entries:
            self._entries.setdefault(entry.issuer, []).append(entry)
        self._keys = {issuer: IssuerKeys(issuer, clock, transport) for issuer in self._entries}

    async def authenticate(self, presented: str) -> Machine:
        """The workload that presented a token.

        Raises OAuthError: 401 (``invalid_token``) for one that is not believed, saying why, and
        to the operator, by its cause, what was wanted instead; 503
        (``temporarily_unavailable``) where the issuer's keys cannot be had.
        """
        try:
            return await self._believed(presented)
        except ClaimsRefused as error:
            raise OAuthError("invalid_token", error.public, 401) from error
        except IssuerUnreachable as error:
            message = "the issuer of the token cannot be asked for its keys"
            raise OAuthError(
                "temporarily_unavailable", message, 503, retry_after=error.wait_s
            ) from None

    async def _believed(self, presented: str) -> Machine:
        head = said.head(presented, ALGORITHMS)
        claims = said.payload(presented)
        issuer = said.text_claim(claims, "iss")
        if issuer not in self._keys:
            # before anything is fetched: nobody makes us call an address of theirs
            raise ClaimsRefused("the issuer of the token (`iss`) is that of no workload here")
        key = await self._keys[issuer].key(head.kid)
        if key is None:
            raise ClaimsRefused("the key of the token (`kid`) is none of its issuer's")
        _verify(presented, key, head.alg)
        ends = said.check_times(claims, self._clock.now())
        subject = said.text_claim(claims, "sub")
        entry = said.fitting(claims, self._entries[issuer])
        shown = "".join(c if c.isprintable() else "?" for c in subject[:SUBJECT_SHOWN_MAX])
        return Machine(
            name=f"workload {entry.name} ({shown})",
            scopes=frozenset(AdminScope(word) for word in entry.scopes),
            expires_at=ends,
        )


def _verify(presented: str, key: "Key", algorithm: str) -> None:
    """Raises ClaimsRefused unless the key signed this, with that algorithm."""
    from joserfc import jwt
    from joserfc.errors import JoseError

    own = key.get("alg")
    if own is not None and own != algorithm:
        raise ClaimsRefused("the token is signed with another algorithm than its key is for")
    try:
        jwt.decode(presented, key, algorithms=[algorithm])
    except (JoseError, ValueError, TypeError, RecursionError):
        raise ClaimsRefused("the signature of the token is not right") from None
