"""Inviting people to teams, by letters with a link that works once.

The answer to an invitation is the same whether or not the address is known here. The link is in the
letter alone: whoever invites never has it, so whoever uses it can read the mailbox; and it is used
by the account of that address only. It counts for no more than its sender may give when it is used.
"""

from typing import Final

import msgspec

from trivium.identity import store as people
from trivium.identity.accounts import emails, names, tickets
from trivium.identity.accounts import store as logins
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Visitor
from trivium.identity.accounts.part import AccountPart, Foundation
from trivium.identity.accounts.signup import INVITED, OPEN, SignUp
from trivium.identity.accounts.tickets import TicketPurpose
from trivium.identity.grants import store as granted
from trivium.identity.model import InForce, User, UserRole, left_to_others
from trivium.identity.revocation import LogAct, log_nothing
from trivium.identity.teams import membership
from trivium.identity.teams.invitations import store
from trivium.identity.teams.invitations.model import (
    A_DAY_MAX,
    DAY_S,
    LIFETIME_S,
    OPEN_MAX,
    InvitedTo,
    TeamInvitation,
)
from trivium.identity.teams.membership import BY_HAND
from trivium.identity.teams.model import Team, TeamMap, TeamRole, stronger
from trivium.identity.teams.rights import TeamActor, may_appoint
from trivium.identity.teams.store import find_teams, said_of
from trivium.observe.audit.model import ActKind, Detail
from trivium.storage.database import Connection

ACCOUNT_S: Final = 3600
"""For so long the link that makes an account for an invited address is good."""
HOUR_S: Final = 3600


class TeamInvitations(AccountPart):
    """Invitations in the database. Storage faults pass through as they are."""

    def __init__(self, on: Foundation, signup: SignUp, in_force: InForce = left_to_others) -> None:
        """``in_force``: called after each change of keys; raises nothing."""
        super().__init__(on)
        self._signup = signup
        self._in_force = in_force

    async def invite(
        self,
        team_id: int,
        email: str,
        role: TeamRole,
        by: int | None = None,
        *,
        language: str = "en",
        log_act: LogAct = log_nothing,
    ) -> TeamInvitation:
        """Have a letter sent with a link by which its reader becomes a member; an earlier one to
        the same address works no more. ``by``: who invites, ``None``: the operator.

        Raises ``AccountError`` (EMAIL_BAD, MAIL_OFF, TOO_MANY_TRIES, BUSY).
        """
        email = names.email(email)
        self._emails.check()
        now, token = self._now(), tickets.issue()
        digest = tickets.digest(token)
        assert digest is not None
        made = TeamInvitation(
            id=0,
            team_id=team_id,
            email=email,
            role=role,
            invited_by=by,
            created_at=now,
            expires_at=now + LIFETIME_S,
        )
        async with self._db.write() as conn:
            await granted.hold(conn, team_id)  # its row among the users: counts are exact
            await store.end(conn, team_id, now, email=email)
            too_many = await store.count_since(conn, team_id, now - DAY_S + 1) >= A_DAY_MAX
            if too_many or len(await store.of_team(conn, team_id, now)) >= OPEN_MAX:
                raise AccountError(AccountRefusal.TOO_MANY_TRIES, DAY_S)
            if not await self._emails.may_write_to(conn, email):
                raise AccountError(AccountRefusal.TOO_MANY_TRIES, HOUR_S)
            invitation_id = await store.put(conn, made, digest)
            detail: Detail = {"invitation": invitation_id, "role": role.value}
            await log_act(conn, ActKind.TEAM_INVITATION, team_id, f"team:{team_id}", detail)
            # a full queue refuses here, and nothing is stored
            self._emails.send("team_invitation", language, email, emails.TEAM + token)
        return msgspec.structs.replace(made, id=invitation_id)

    async def all(self, team_id: int) -> list[TeamInvitation]:
        """Those of a team that can still be used, oldest first."""
        async with self._db.read() as conn:
            return await store.of_team(conn, team_id, self._now())

    async def withdraw(
        self, team_id: int, invitation_id: int, log_act: LogAct = log_nothing
    ) -> bool:
        """Void one; ``False`` when it was used, withdrawn, expired or never was."""
        async with self._db.write() as conn:
            now = self._now()
            if not await store.end(conn, team_id, now, invitation_id=invitation_id):
                return False
            kind, detail = ActKind.TEAM_INVITATION_WITHDRAWN, {"invitation": invitation_id}
            await log_act(conn, kind, team_id, f"team:{team_id}", detail)
        return True

    async def offer(self, token: str) -> InvitedTo:
        """What a link holds, left good. Raises ``AccountError`` (TICKET_GONE)."""
        digest = tickets.digest(token)
        async with self._db.read() as conn:
            found = digest and await store.find(conn, digest, self._now())
            if not found:
                raise AccountError(AccountRefusal.TICKET_GONE)
            team = await self._still(conn, await find_teams(conn), found)
        return InvitedTo(team=team.name, role=found.role, email=found.email)

    async def accept(self, token: str, user: User, log_act: LogAct = log_nothing) -> InvitedTo:
        """Make the user of the invited address a member; a stronger role of theirs stays.

        Raises ``AccountError`` (TICKET_GONE, also for another's), and the link stays good then.
        """
        digest = tickets.digest(token)
        async with self._db.write() as conn:
            now, raised = self._now(), await people.bump(conn)
            found = digest and await store.claim(conn, digest, now)
            who = await people.user_by_id(conn, user.id)
            is_theirs = found and who and who.email == found.email and who.email_verified
            if not found or not is_theirs:
                raise AccountError(AccountRefusal.TICKET_GONE)
            teams = await find_teams(conn)
            team = await self._still(conn, teams, found)
            present = membership.said_by(await said_of(conn, user.id), BY_HAND).get(team.id)
            role = found.role if present is None else stronger(found.role, present)
            if role is not present:
                await membership.say(conn, team.id, user.id, BY_HAND, role, now, log_act)
                await membership.end_lost_keys(conn, teams, user.id, [team.id], raised)
        await self._in_force()
        return InvitedTo(team=team.name, role=role, email=found.email)

    def may_sign_up(self) -> bool:
        """Whether somebody who is invited and has no account may make one."""
        return self._signup.mode in (OPEN, INVITED)

    async def account_path(self, token: str, visitor: Visitor) -> str:
        """Where the invited make an account of their address, which the letter has proven.

        Raises ``AccountError`` (TICKET_GONE, SIGN_UP_CLOSED, EMAIL_TAKEN, TOO_MANY_TRIES,
        MAIL_OFF).
        """
        offer = await self.offer(token)
        if not self.may_sign_up():
            raise AccountError(AccountRefusal.SIGN_UP_CLOSED)
        await self._emails.admit(visitor)
        async with self._db.write() as conn:
            if await logins.account(conn, name_or_email=offer.email) is not None:
                raise AccountError(AccountRefusal.EMAIL_TAKEN)
            data = {"role": UserRole.USER.value, "proven": True}
            fresh = await self._tickets.issue(
                conn,
                TicketPurpose.INVITATION,
                email=offer.email,
                data=data,
                lifetime_s=ACCOUNT_S,
            )
        return emails.INVITATION + fresh

    async def _still(self, conn: Connection, teams: TeamMap, found: TeamInvitation) -> Team:
        """The team, while whoever invited may give that role there. Raises ``AccountError``
        (TICKET_GONE).
        """
        team = teams.get(found.team_id)
        is_good = team is not None
        if found.invited_by is not None:
            by = await people.user_by_id(conn, found.invited_by)
            actor = TeamActor(
                user_id=found.invited_by,
                is_admin=by is not None and by.role is UserRole.ADMIN,
                roles=await membership.roles_of(conn, found.invited_by),
            )
            is_good = by is not None and not by.disabled
            is_good = is_good and may_appoint(actor, found.role, teams, found.team_id)
        if team is None or not is_good:
            raise AccountError(AccountRefusal.TICKET_GONE)
        return team
