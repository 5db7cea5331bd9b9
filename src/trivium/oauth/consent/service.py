"""From an authorization request to its answer. Each call is one transaction."""

from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.ledger.amounts import format_usd
from trivium.oauth import credential, scope
from trivium.oauth.apps import store as apps_store
from trivium.oauth.consent import request, store
from trivium.oauth.consent.model import (
    AuthorizationRequest,
    Authorized,
    Decision,
    Grant,
    Pending,
    decide,
    holds,
    outlived,
)
from trivium.oauth.credential import CredentialKind
from trivium.oauth.errors import AuthorizationRefused, Reason, RegistrationError
from trivium.oauth.part import NOBODY, OAuthPart, RequestOrigin
from trivium.oauth.scope import SPEND
from trivium.oauth.spend import store as spend_store
from trivium.oauth.spend.model import budgets, check_cap
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.storage.database import Connection, Database

REQUEST_S: Final = 600
"""How long a request waits for an answer."""


class Consents(OAuthPart):
    """Requests, consent and codes in the database. Storage faults pass through as they are."""

    def __init__(
        self, db: Database, clock: Clock, audit: Audit, *, issuer: str, code_s: int
    ) -> None:
        """``issuer``: the origin of the service, for ``iss``. ``code_s``: lifetime of a code."""
        super().__init__(db, clock, audit)
        self._issuer = issuer
        self._code_s = code_s

    async def begin(self, asked: AuthorizationRequest) -> str:
        """Store a request until its user has answered; returns the id that our pages pass on."""
        now = self._now()
        request_id = credential.issue(CredentialKind.REQUEST)
        async with self._db.write() as conn:
            await store.insert_request(
                conn, credential.digest(request_id), asked, now, now + REQUEST_S
            )
        return request_id

    async def find(self, request_id: str, user_id: int | None = None) -> Pending:
        """A waiting request, of any user or of this one. Raises AuthorizationRefused."""
        if not credential.looks_like(CredentialKind.REQUEST, request_id):
            raise AuthorizationRefused(Reason.REQUEST_UNKNOWN)
        now = self._now()
        async with self._db.read() as conn:
            pending = await store.find_request(conn, credential.digest(request_id), now)
        if pending is None or (user_id is not None and pending.user_id not in (None, user_id)):
            raise AuthorizationRefused(Reason.REQUEST_UNKNOWN)
        if not pending.asked.app.works:
            raise AuthorizationRefused(Reason.APP_SUSPENDED)
        # its owner has changed it meanwhile, perhaps because somebody else answers there now
        if pending.asked.redirect_uri != pending.asked.app.redirect_uri:
            raise AuthorizationRefused(Reason.REDIRECT_UNKNOWN)
        return pending

    async def logged_in(self, request_id: str, user_id: int) -> None:
        """A user logged in on a page that named a request's application.

        Whoever logs in last answers: that is how one switches accounts. Raises Refused.
        """
        await self.find(request_id)
        await self._pass(request_id, user_id, self._now())

    async def weigh(self, request_id: str, user_id: int, *, is_framed: bool) -> Decision:
        """Decide whether this user is asked. The request is this user's from then on. Raises
        Refused for a request that has ended or is another user's.
        """
        pending = await self.find(request_id, user_id)
        if pending.user_id is None:
            async with self._db.write() as conn:
                if not await store.claim_request(conn, credential.digest(request_id), user_id):
                    raise AuthorizationRefused(Reason.REQUEST_UNKNOWN)
        async with self._db.read() as conn:
            history = await store.history(conn, user_id, pending.asked.app.id)
        return decide(pending, history, is_framed=is_framed)

    async def release(self, request_id: str, user_id: int) -> None:
        """Let a request be answered with another account. Raises Refused."""
        await self.find(request_id, user_id)
        await self._pass(request_id, None, None)

    async def approve(
        self,
        request_id: str,
        user_id: int,
        decision: Decision,
        sender: RequestOrigin = NOBODY,
        *,
        cap_nanos: int | None = None,
    ) -> str:
        """The user agrees: where the browser goes with its code.

        ``decision``: how it came about; ``ASK`` for an answer that a person gave. ``cap_nanos``:
        what they let the application spend a month; ``None``: nothing, and the scope is left out.
        Raises Refused for a request that is gone, answered already, or another user's, and
        ValueError for a cap out of range.
        """
        now = self._now()
        digest = credential.digest(request_id)
        code = credential.issue(CredentialKind.CODE)
        pending = await self.find(request_id, user_id)
        if cap_nanos is not None:
            check_cap(cap_nanos)
        asked = _without_declined(pending.asked, decision, cap_nanos)
        if not asked.scopes:
            return await self.deny(request_id, user_id)
        what = f"app:{asked.app.id}"
        async with self._db.write() as conn:
            is_disabled = await apps_store.hold_user(conn, user_id)
            if not await store.take_request(conn, digest, user_id, now):
                raise AuthorizationRefused(Reason.REQUEST_UNKNOWN)
            if is_disabled is not False:
                return self._error(asked, "access_denied", "this account is disabled")
            before = await store.history(conn, user_id, asked.app.id)
            grant = before.grant
            if decision is Decision.KNOWN and not (grant and holds(grant, asked)):
                # taken back a moment ago
                return self._error(asked, "access_denied", "consent was taken back")
            if grant is not None and outlived(grant, asked):
                await store.revoke_grants(conn, user_id, grant.id, now)
                await self._tell(conn, ActKind.GRANT_REVOKED, user_id, what, sender)
                grant = None
            grant_id = await self._grant(conn, user_id, asked, grant, decision, sender)
            if SPEND in asked.scopes and cap_nanos is not None:
                await spend_store.set_cap(conn, grant_id, cap_nanos, budgets(cap_nanos), now)
                cap: Detail = {"cap": format_usd(cap_nanos)}
                await self._tell(conn, ActKind.SPEND_CAP_SET, user_id, what, sender, cap)
            await store.insert_code(
                conn, credential.digest(code), grant_id, asked, now, now + self._code_s
            )
            kinds = [ActKind.CODE_ISSUED]
            if decision is not Decision.KNOWN:
                asks = decision is Decision.ASK
                kinds.insert(0, ActKind.CONSENT if asks else ActKind.AUTO_GRANT)
            given: Detail = {"scope": scope.written(asked.scopes)}
            for kind in kinds:
                await self._tell(conn, kind, user_id, what, sender, given)
        return self._answer(asked, [("code", code)])

    async def deny(self, request_id: str, user_id: int) -> str:
        """Record that the user does not agree; returns where the browser goes. Raises Refused."""
        pending = await self.find(request_id, user_id)
        async with self._db.write() as conn:
            if not await store.take_request(
                conn, credential.digest(request_id), user_id, self._now()
            ):
                raise AuthorizationRefused(Reason.REQUEST_UNKNOWN)
        return self._error(pending.asked, "access_denied", "the user did not agree")

    async def authorized(self, user_id: int) -> list[Authorized]:
        """A user's consent that holds, newest first."""
        async with self._db.read() as conn:
            return await store.authorized(conn, user_id, self._now())

    async def revoke(self, user_id: int, grant_id: int, sender: RequestOrigin = NOBODY) -> int:
        """End consent and its tokens; the application's id. Raises RegistrationError (``app``)."""
        apps = await self._revoke(user_id, grant_id, sender)
        if not apps:
            raise RegistrationError("app", "there is no such application with access")
        return apps[0]

    async def revoke_all(self, user_id: int, sender: RequestOrigin = NOBODY) -> list[int]:
        """Take all consent back; the applications' ids."""
        return await self._revoke(user_id, None, sender)

    def failed(self, asked: AuthorizationRequest, code: str, description: str) -> str:
        """Return where the browser goes when the service fails after the checks."""
        return self._error(asked, code, description)

    # --- own ------------------------------------------------------------------------------------

    async def _grant(
        self,
        conn: Connection,
        user_id: int,
        asked: AuthorizationRequest,
        before: Grant | None,
        decision: Decision,
        sender: RequestOrigin,
    ) -> int:
        """Consent as it is after this answer; its id."""
        if before is not None and decision is Decision.KNOWN:
            return before.id
        answer = {
            "scopes": scope.written(asked.scopes | (before.scopes if before else frozenset())),
            "consented_at": self._now(),
            "automatic": decision is Decision.AUTOMATIC,
            "language": sender.language,
        }
        if before is None:
            return await store.insert_grant(conn, user_id, asked.app.id, answer)
        await store.widen_grant(conn, before.id, answer)
        return before.id

    async def _pass(self, request_id: str, user_id: int | None, login_at: int | None) -> None:
        async with self._db.write() as conn:
            await store.pass_request(conn, credential.digest(request_id), user_id, login_at)

    async def _revoke(self, user_id: int, grant_id: int | None, sender: RequestOrigin) -> list[int]:
        async with self._db.write() as conn:
            apps = await store.revoke_grants(conn, user_id, grant_id, self._now())
            for app_id in apps:
                await self._tell(conn, ActKind.GRANT_REVOKED, user_id, f"app:{app_id}", sender)
        return apps

    def _answer(self, asked: AuthorizationRequest, said: list[tuple[str, str | bytes]]) -> str:
        return request.answer(asked.app, asked.redirect_uri, asked.state, self._issuer, said)

    def _error(self, asked: AuthorizationRequest, code: str, description: str) -> str:
        return self._answer(asked, request.error(code, description))


def _without_declined(
    asked: AuthorizationRequest, decision: Decision, cap_nanos: int | None
) -> AuthorizationRequest:
    """Return the request without the scope for spending, if the user was asked and set no cap."""
    if decision is not Decision.ASK or cap_nanos is not None:
        return asked
    return msgspec.structs.replace(asked, scopes=asked.scopes - {SPEND})
