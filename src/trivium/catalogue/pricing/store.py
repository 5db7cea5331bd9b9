"""Vendors' lists, proposals and nights in SQL. Each function works in the transaction that it is
given.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.catalogue.pricing.model import PriceProposal, ProposalState, ProposedLine
from trivium.catalogue.pricing.origin import PriceOrigin, PriceSource
from trivium.ledger.suggestions.model import Suggestion
from trivium.ledger.suggestions.vendor import VendorList
from trivium.storage.bulk_insert import upsert
from trivium.storage.schema.prices import price_lists as lists
from trivium.storage.schema.prices import price_looks as looks
from trivium.storage.schema.prices import price_proposals as proposals

PAGE: Final = 400
"""Names of one query."""
_encode: Final = msgspec.json.Encoder().encode
_list: Final = msgspec.json.Decoder(VendorList).decode
_suggestion: Final = msgspec.json.Decoder(Suggestion).decode
_lines: Final = msgspec.json.Decoder(tuple[ProposedLine, ...]).decode


async def put_lists(conn: AsyncConnection, found: Mapping[str, VendorList]) -> None:
    """Keep what vendors list, by channel, in place of what they listed before."""
    rows = [
        {"channel": channel, "read_at": each.at, "document": _encode(each).decode()}
        for channel, each in sorted(found.items())
    ]
    if rows:
        put = upsert(conn, lists)
        same = {name: put.excluded[name] for name in ("read_at", "document")}
        await conn.execute(put.on_conflict_do_update(index_elements=["channel"], set_=same), rows)


async def drop_lists(conn: AsyncConnection, kept: Collection[str]) -> None:
    """Forget the lists of channels that are gone."""
    known = set((await conn.execute(select(lists.c.channel))).scalars())
    gone = sorted(known.difference(kept))
    for at in range(0, len(gone), PAGE):
        await conn.execute(delete(lists).where(lists.c.channel.in_(gone[at : at + PAGE])))


async def all_lists(conn: AsyncConnection) -> dict[str, bytes]:
    """The lists by channel, to be read by ``decoded``."""
    query = select(lists.c.channel, lists.c.document)
    return {row.channel: row.document.encode() for row in await conn.execute(query)}


def decoded(found: Mapping[str, bytes]) -> dict[str, VendorList]:
    """Lists as they were kept. Takes a while where there are many: for a thread."""
    return {channel: _list(document) for channel, document in found.items()}


async def latest(conn: AsyncConnection) -> dict[str, PriceProposal]:
    """The newest proposal of each model."""
    newest = select(func.max(proposals.c.id)).group_by(proposals.c.model)
    query = select(proposals).where(proposals.c.id.in_(newest))
    return {row.model: _proposal(row) for row in await conn.execute(query)}


async def propose(conn: AsyncConnection, found: Sequence[PriceProposal]) -> int:
    """Add proposals, whose ids are ignored; how many. One whose model has one that is open, because
    somebody else looked at the same time, is left out.
    """
    added = 0
    for each in found:
        made = upsert(conn, proposals).values(
            model=each.model,
            open_for=each.model,
            state=ProposalState.OPEN.value,
            channel=each.channel,
            source=each.origin.source.value,
            day=each.origin.day,
            place=each.origin.place,
            digest=each.digest,
            suggestion=_encode(each.suggestion).decode(),
            differences=_encode(each.lines).decode(),
            by_hand=each.is_by_hand,
            found_at=each.found_at,
        )
        done = await conn.execute(made.on_conflict_do_nothing(index_elements=["open_for"]))
        added += done.rowcount
    return added


async def decide(
    conn: AsyncConnection,
    ids: Sequence[int],
    state: ProposalState,
    at: int,
    by: int | None,
) -> int:
    """End proposals that are open; how many were."""
    done = 0
    for start in range(0, len(ids), PAGE):
        these = proposals.c.id.in_(ids[start : start + PAGE])
        change = update(proposals).where(these, proposals.c.state == ProposalState.OPEN.value)
        ended = change.values(state=state.value, open_for=None, decided_at=at, decided_by=by)
        done += (await conn.execute(ended)).rowcount
    return done


async def page(
    conn: AsyncConnection, state: ProposalState | None, before_id: int | None, limit: int
) -> list[PriceProposal]:
    """Proposals, newest first; ``state``: only of this."""
    query = select(proposals).order_by(proposals.c.id.desc()).limit(limit)
    if state is not None:
        query = query.where(proposals.c.state == state.value)
    if before_id is not None:
        query = query.where(proposals.c.id < before_id)
    return [_proposal(row) for row in await conn.execute(query)]


async def some(conn: AsyncConnection, ids: Sequence[int]) -> list[PriceProposal]:
    """Proposals by id, at most ``PAGE``."""
    query = select(proposals).where(proposals.c.id.in_(ids)).order_by(proposals.c.id)
    return [_proposal(row) for row in await conn.execute(query)]


async def open_count(conn: AsyncConnection) -> int:
    """How many nobody has decided."""
    query = select(func.count()).where(proposals.c.state == ProposalState.OPEN.value)
    return int((await conn.execute(query)).scalar_one())


async def forget(conn: AsyncConnection, before: int, limit: int) -> int:
    """Delete at most so many proposals that ended before a moment, but for the newest of each
    model, which tells what was dismissed; how many.
    """
    newest = select(func.max(proposals.c.id)).group_by(proposals.c.model)
    old = select(proposals.c.id).where(
        proposals.c.decided_at < before, proposals.c.id.not_in(newest)
    )
    gone = delete(proposals).where(proposals.c.id.in_(old.limit(limit)))
    await conn.execute(delete(looks).where(looks.c.begun_at < before))
    return int((await conn.execute(gone)).rowcount)


async def claim(conn: AsyncConnection, night: int, at: int, patience_s: int) -> bool:
    """Take a night's look: whether it is ours. One that somebody began so long ago without an end
    is taken over.
    """
    made = upsert(conn, looks).values(night=night, begun_at=at)
    done = await conn.execute(made.on_conflict_do_nothing(index_elements=["night"]))
    if done.rowcount:
        return True
    stale = looks.c.ended_at.is_(None) & (looks.c.begun_at < at - patience_s)
    again = update(looks).where(looks.c.night == night, stale).values(begun_at=at)
    return bool((await conn.execute(again)).rowcount)


async def finish(conn: AsyncConnection, night: int, at: int, found: int) -> None:
    """Note that a night's look is over."""
    await conn.execute(update(looks).where(looks.c.night == night).values(ended_at=at, found=found))


async def last_look(conn: AsyncConnection) -> int | None:
    """When the newest list was read; ``None``: none ever was."""
    found = await conn.scalar(select(func.max(lists.c.read_at)))
    return None if found is None else int(found)


def _proposal(row: Any) -> PriceProposal:
    return PriceProposal(
        id=row.id,
        model=row.model,
        state=ProposalState(row.state),
        channel=row.channel,
        origin=PriceOrigin(source=PriceSource(row.source), day=row.day, place=row.place),
        digest=row.digest,
        suggestion=_suggestion(row.suggestion),
        lines=_lines(row.differences),
        is_by_hand=row.by_hand,
        found_at=row.found_at,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
    )
