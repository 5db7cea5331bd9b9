"""Logging in by way of a provider, and linking its logins to accounts.

What links, and why: see docs/decisions/ on account linking. In short: a login is known by issuer
and subject alone. An address links only where the operator trusts the provider with addresses, the
provider calls it verified, it is verified here too, and the account is not an administrator's.

State, nonce and PKCE verifier are bound to one ticket whose token is in a cookie of the browser
that left; a callback anywhere else is refused. They are kept as they are: each is worthless without
the code, which only that browser and the provider have seen.
"""

import hmac
from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from trivium.identity.accounts import names, throttle, tickets
from trivium.identity.accounts import store as accounts_store
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.login import PasswordLogin
from trivium.identity.accounts.model import HalfWay, LoggedIn, Session, Visitor, Way
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.signup import OPEN, SignUp
from trivium.identity.accounts.sso import store
from trivium.identity.accounts.sso.model import (
    SsoIdentity,
    SsoLogin,
    SsoPurpose,
    SsoRedirect,
    SsoResult,
)
from trivium.identity.accounts.sso.provider import LEEWAY_S, SsoProvider
from trivium.identity.accounts.sso.teams import ClaimedTeams
from trivium.identity.accounts.store import LoginAccount
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.identity.model import UserRole
from trivium.storage.database import Connection
from trivium.storage.errors import Conflict

CALLBACK: Final = "/login/outside/{name}/callback"
"""One address a provider, so that an answer of one is never taken for another's."""


class _Trip(msgspec.Struct):
    """The data of the ticket for the way back."""

    login: str
    errand: str
    state: str
    nonce: str
    verifier: str
    place: str
    user_id: int | None
    left_at: int


class SsoLogins(AccountPart):
    """Providers and the logins linked there. Storage faults pass through as they are."""

    def __init__(
        self,
        on: Foundation,
        providers: Mapping[str, SsoProvider],
        login: PasswordLogin,
        signup: SignUp,
        teams: ClaimedTeams | None = None,
    ) -> None:
        super().__init__(on)
        self._teams = teams
        self._providers = providers
        self._login = login
        self._signup = signup

    @property
    def offered(self) -> list[tuple[str, str]]:
        """Name and title of every provider, in the settings' order."""
        return [(name, p.entry.title or name) for name, p in self._providers.items()]

    def offered_for(self, issuers: Collection[str]) -> list[tuple[str, str]]:
        """Return name and title of the providers with these issuers."""
        return [one for one in self.offered if self._providers[one[0]].entry.issuer in issuers]

    def title_of(self, issuer: str) -> str:
        """Return the title of an issuer; its address when it is no longer in the settings."""
        for provider in self._providers.values():
            if provider.entry.issuer == issuer:
                return provider.entry.title or provider.entry.name
        return issuer

    async def of_user(self, user_id: int) -> list[SsoLogin]:
        """A user's outside logins, in the order they were linked."""
        async with self._db.read() as conn:
            return await store.of_user(conn, user_id)

    # --- there and back ----------------------------------------------------------------------

    async def begin(
        self,
        name: str,
        visitor: Visitor,
        *,
        purpose: SsoPurpose = SsoPurpose.ENTER,
        session: Session | None = None,
        place: str = "",
    ) -> SsoRedirect:
        """Send somebody to a provider. ``place`` comes back with them.

        Raises ``AccountError`` (OUTSIDE_UNKNOWN, OUTSIDE_FAILED, CONFIRM_FIRST, TOO_MANY_TRIES).
        """
        provider = self._provider(name)
        if purpose is SsoPurpose.LINK:
            self._check_confirmed(session)
        async with self._db.write() as conn:
            now = self._now()
            refused = await throttle.count(conn, now, throttle.of_challenges(visitor.address))
        if refused is not None:
            raise refused
        state, nonce, verifier = (tickets.issue() for _ in range(3))
        url = await provider.address(
            callback=self._callback(name),
            state=state,
            nonce=nonce,
            verifier=verifier,
            fresh=purpose is SsoPurpose.CONFIRM,
        )
        trip = _Trip(
            login=name,
            errand=purpose.value,
            state=state,
            nonce=nonce,
            verifier=verifier,
            place=place,
            user_id=session.user.id if session else None,
            left_at=self._now(),
        )
        async with self._db.write() as conn:
            step = await self._tickets.issue(
                conn, TicketPurpose.OUTSIDE, data=msgspec.to_builtins(trip)
            )
        return SsoRedirect(url=url, step=step)

    async def finish(
        self,
        name: str,
        step: str,
        answer: Mapping[str, str],
        visitor: Visitor,
        *,
        session: Session | None = None,
        token: str = "",
    ) -> SsoResult:
        """Take somebody in who comes back. ``step``: of the cookie; ``answer``: the query.
        ``session`` and ``token``: of the browser, where it has one.

        Raises ``AccountError`` (TICKET_GONE, OUTSIDE_FAILED, OUTSIDE_UNKNOWN, OUTSIDE_TAKEN,
        WRONG_LOGIN for a disabled user, EMAIL_TAKEN, SESSION_GONE).
        """
        provider = self._provider(name)
        trip = await self._came_back(name, step, answer.get("state", ""))
        if "code" not in answer:
            # what the provider says went wrong may be anybody's words: it is not passed on
            raise AccountError(AccountRefusal.OUTSIDE_FAILED)
        said = await provider.said(
            callback=self._callback(name),
            code=answer["code"],
            nonce=trip.nonce,
            verifier=trip.verifier,
            iss=answer.get("iss"),
        )
        purpose = SsoPurpose(trip.errand)
        if purpose is SsoPurpose.ENTER:
            outcome = await self._enter(provider, said, visitor)
            return SsoResult(purpose=purpose, outcome=outcome, place=trip.place)
        if session is None or session.user.id != trip.user_id:
            raise AccountError(AccountRefusal.SESSION_GONE)
        if purpose is SsoPurpose.LINK:
            token = await self._link(said, session, token, visitor)
        else:
            token = await self._confirm(said, session, token, trip.left_at)
        return SsoResult(purpose=purpose, token=token, place=trip.place)

    async def _came_back(self, name: str, step: str, state: str) -> _Trip:
        async with self._db.write() as conn:
            ticket = await self._tickets.take(conn, TicketPurpose.OUTSIDE, step)
        trip = msgspec.json.decode(ticket.data, type=_Trip)
        same = hmac.compare_digest(trip.state.encode(), state.encode("utf-8", "replace"))
        if trip.login != name or not same:
            raise AccountError(AccountRefusal.OUTSIDE_FAILED)
        return trip

    # --- logging in --------------------------------------------------------------------------

    async def _enter(
        self, provider: SsoProvider, said: SsoIdentity, visitor: Visitor
    ) -> LoggedIn | HalfWay:
        told = ""
        async with self._db.write() as conn:
            user_id = await store.user_of(conn, said.issuer, said.subject)
            if user_id is None:
                user_id, told = await self._found(conn, provider, said)
            account = await self._account(conn, user_id)
            now = self._now()
            await store.used(conn, said.issuer, said.subject, said.email[:254], now)
            outcome = await self._login.proven(conn, account, Way.OUTSIDE, visitor)
        if told:
            self._emails.notify("outside_added", visitor.language, told)
        if self._teams is not None:
            await self._teams.follow(provider.entry, said, user_id)
        return outcome

    async def _found(
        self, conn: Connection, provider: SsoProvider, said: SsoIdentity
    ) -> tuple[int, str]:
        """The account to link a login to by its address, or a new one; and whom to tell."""
        entry = provider.entry
        if not (entry.trust_email and said.email_verified):
            raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN)
        try:
            email = names.email(said.email)
        except AccountError:
            raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN) from None
        account = await accounts_store.account(conn, name_or_email=email)
        if account is None:
            if not entry.signup and self._signup.mode != OPEN:
                raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN)
            user = await self._signup.vouched(conn, said.name, email)
            await self._insert(conn, user.id, said)
            return user.id, ""
        user = account.user
        if not user.email_verified or user.role is UserRole.ADMIN or user.disabled:
            raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN)
        await self._insert(conn, user.id, said)
        return user.id, user.email

    # --- for those who are logged in ---------------------------------------------------------

    async def _link(self, said: SsoIdentity, session: Session, token: str, visitor: Visitor) -> str:
        async with self._db.write() as conn:
            linked = await store.user_of(conn, said.issuer, said.subject)
            if linked is not None and linked != session.user.id:
                raise AccountError(AccountRefusal.OUTSIDE_TAKEN)
            if linked is None:
                await self._insert(conn, session.user.id, said)
            fresh = await self._sessions.renew_in(conn, token)
        if linked is None:
            self._emails.notify("outside_added", visitor.language, session.user.email)
        return fresh

    async def _confirm(self, said: SsoIdentity, session: Session, token: str, left_at: int) -> str:
        """A proof again counts if the provider asked for it, rather than remembered an older one.

        ``auth_time`` must be said where ``max_age`` was asked (OpenID Connect Core 1.0, 3.1.2.1).
        """
        if said.auth_time is None or said.auth_time < left_at - LEEWAY_S:
            raise AccountError(AccountRefusal.OUTSIDE_FAILED)
        async with self._db.write() as conn:
            if await store.user_of(conn, said.issuer, said.subject) != session.user.id:
                raise AccountError(AccountRefusal.OUTSIDE_TAKEN)
            return await self._sessions.renew_in(conn, token, Way.OUTSIDE)

    async def unlink(self, session: Session, login_id: int) -> bool:
        """Delete a user's login at a provider; ``False`` when there was none. Raises
        ``AccountError`` (CONFIRM_FIRST, LAST_WAY_IN).
        """
        self._check_confirmed(session)
        async with self._db.write() as conn:
            await accounts_store.account(conn, user_id=session.user.id, hold=True)
            removed = await store.remove(conn, session.user.id, login_id)
            if removed and not await accounts_store.ways_in(conn, session.user.id):
                raise AccountError(AccountRefusal.LAST_WAY_IN)
        return removed

    async def _insert(self, conn: Connection, user_id: int, said: SsoIdentity) -> None:
        values: dict[str, Any] = {
            "user_id": user_id,
            "issuer": said.issuer,
            "subject": said.subject,
            "email": said.email[:254],
            "created_at": self._now(),
        }
        try:
            await store.insert_login(conn, values)
        except Conflict as error:
            raise AccountError(AccountRefusal.OUTSIDE_TAKEN) from error

    async def _account(self, conn: Connection, user_id: int) -> LoginAccount:
        account = await accounts_store.account(conn, user_id=user_id, hold=True)
        if account is None:
            raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN)
        return account

    def _provider(self, name: str) -> SsoProvider:
        found = self._providers.get(name)
        if found is None:
            raise AccountError(AccountRefusal.OUTSIDE_UNKNOWN)
        return found

    def _callback(self, name: str) -> str:
        return self._emails.url(CALLBACK.format(name=name))
