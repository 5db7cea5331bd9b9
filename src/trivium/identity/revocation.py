"""What ends when an account is disabled, or when a role is taken away.

Disabling is also the answer to a stolen account, so nothing that a thief may have begun comes back
when the account does: logins, consents and developer tokens end for good. Keys are refused as long
as the account is disabled, and so is everything its applications may do.
"""

from collections.abc import Awaitable
from typing import Any, Final, Protocol

from trivium.identity.accounts import store as accounts_store
from trivium.identity.accounts.tickets import OF_USERS
from trivium.identity.grants import store as granted
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.storage.database import Connection


class LogAct(Protocol):
    """Writes an act to the audit log, in the transaction that does it."""

    def __call__(
        self,
        conn: Connection,
        kind: ActKind,
        subject: int,
        what: str = "",
        detail: Detail | None = None,
    ) -> Awaitable[None]:
        """Log an act as ``Audit.within`` does. Raises what a statement raises."""
        ...


class ActLog:
    """Logs what one person, a program of theirs or an operator does. ``machine``: names the
    token that a machine presented; each act has it among its details.
    """

    def __init__(
        self,
        audit: Audit,
        actor: int | None = None,
        address: str = "",
        agent: str = "",
        machine: str = "",
    ) -> None:
        self._audit = audit
        self._machine = machine
        self._who: Final[dict[str, Any]] = {"actor": actor, "address": address, "agent": agent}

    async def within(
        self,
        conn: Connection,
        kind: ActKind,
        subject: int | None,
        what: str = "",
        detail: Detail | None = None,
    ) -> None:
        """Log an act in the transaction that does it. Raises what a statement raises."""
        told = {"subject": subject, "what": what, "detail": self._said(detail), **self._who}
        await self._audit.within(conn, kind, **told)

    async def add(
        self, kind: ActKind, subject: int | None, what: str = "", detail: Detail | None = None
    ) -> None:
        """Log an act that was done, to whose account it may have been. Raises nothing."""
        told = {"subject": subject, "what": what, "detail": self._said(detail), **self._who}
        await self._audit.add(kind, **told)

    def _said(self, detail: Detail | None) -> Detail | None:
        return {"machine": self._machine, **(detail or {})} if self._machine else detail


async def log_nothing(
    conn: Connection, kind: ActKind, subject: int, what: str = "", detail: Detail | None = None
) -> None:
    """Log nothing; for callers without an audit log."""
    del conn, kind, subject, what, detail


async def end_logins(conn: Connection, user_id: int, now: int) -> None:
    """End sessions, and the links and steps that could begin one."""
    await accounts_store.end_sessions(conn, user_id)
    purposes = [purpose.value for purpose in OF_USERS]
    await accounts_store.void(conn, purposes, now, user_id=user_id)


async def end_access(conn: Connection, user_id: int, now: int, log_act: LogAct) -> None:
    """End what does not come back of a disabled user, and the keys of their applications."""
    await granted.hold(conn, user_id)
    consents = await granted.consents(conn, user_id)
    await granted.end_consents(conn, [grant_id for grant_id, _ in consents], now)
    for _, app_id in consents:
        await log_act(conn, ActKind.GRANT_REVOKED, user_id, f"app:{app_id}")
    await granted.end_keys_of_apps(conn, user_id)
    await _end_tokens(conn, user_id, now, log_act)
    await end_logins(conn, user_id, now)


async def end_office(
    conn: Connection, user_id: int, role: UserRole, now: int, log_act: LogAct
) -> None:
    """End what a user had by the former role: logins, and tokens for administration."""
    await granted.hold(conn, user_id)
    if role is not UserRole.ADMIN:
        await _end_tokens(conn, user_id, now, log_act, UserRole.ADMIN.value)
    await end_logins(conn, user_id, now)


async def _end_tokens(
    conn: Connection, user_id: int, now: int, log_act: LogAct, permission: str | None = None
) -> None:
    for token_id in await granted.end_tokens(conn, user_id, now, permission):
        what = f"developer_token:{token_id}"
        await log_act(conn, ActKind.DEVELOPER_TOKEN_REVOKED, user_id, what)
    for token_id in await granted.end_admin_tokens(conn, user_id, now):
        await log_act(conn, ActKind.ADMIN_TOKEN_REVOKED, user_id, f"admin_token:{token_id}")
