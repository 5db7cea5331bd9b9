"""Invitations to teams in SQL. Every function works in the transaction it is given."""

from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.identity.teams.invitations.model import TeamInvitation
from trivium.identity.teams.model import TeamRole
from trivium.storage.schema.teams import team_invitations as invitations
from trivium.storage.structs import struct_of, values_of


async def put(conn: AsyncConnection, invitation: TeamInvitation, digest: bytes) -> int:
    """A new invitation; its id."""
    values = values_of(invitation, "id", digest=digest)
    made = insert(invitations).values(values).returning(invitations.c.id)
    return int((await conn.execute(made)).scalar_one())


async def of_team(conn: AsyncConnection, team_id: int, now: int) -> list[TeamInvitation]:
    """Those of a team that can still be used, oldest first."""
    query = select(invitations).where(*_is_open(now), invitations.c.team_id == team_id)
    return [_invitation(row) for row in await conn.execute(query.order_by(invitations.c.id))]


async def count_since(conn: AsyncConnection, team_id: int, since: int) -> int:
    """How many were made for a team at or after a moment, ended ones too."""
    query = select(func.count()).where(
        invitations.c.team_id == team_id, invitations.c.created_at >= since
    )
    return int(await conn.scalar(query) or 0)


async def end(
    conn: AsyncConnection,
    team_id: int,
    now: int,
    *,
    invitation_id: int | None = None,
    email: str | None = None,
) -> int:
    """Void one of a team's by its id, or all for an address; how many there were."""
    query = update(invitations).where(*_is_open(now), invitations.c.team_id == team_id)
    if email is not None:
        query = query.where(invitations.c.email == email)
    else:
        query = query.where(invitations.c.id == invitation_id)
    return (await conn.execute(query.values(ended_at=now))).rowcount


async def find(conn: AsyncConnection, digest: bytes, now: int) -> TeamInvitation | None:
    """The one of a link, left good."""
    query = select(invitations).where(*_is_open(now), invitations.c.digest == digest)
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _invitation(row)


async def claim(conn: AsyncConnection, digest: bytes, now: int) -> TeamInvitation | None:
    """Use up the one of a link. Of several that claim it, the database lets the first."""
    query = (
        update(invitations)
        .where(*_is_open(now), invitations.c.digest == digest)
        .values(ended_at=now)
        .returning(*invitations.c)
    )
    row = (await conn.execute(query)).one_or_none()
    return None if row is None else _invitation(row)


def _is_open(now: int) -> tuple[Any, ...]:
    return (invitations.c.ended_at.is_(None), invitations.c.expires_at > now)


def _invitation(row: Any) -> TeamInvitation:
    return struct_of(TeamInvitation, row, role=TeamRole(row.role))
