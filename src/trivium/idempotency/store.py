"""Kept answers in SQL. Every function works in the transaction it is given.

Whoever changes several rows does it in the order of their places, so that no two wait for each
other in a circle. Times are the database's own, as with leases: workers on several machines.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from trivium.idempotency.model import (
    DONE,
    DROPPED,
    RUNNING,
    Change,
    Claimed,
    ClaimRequest,
    ClaimVerdict,
    LookRequest,
    Place,
    StoredAnswer,
)
from trivium.storage.bulk_insert import upsert
from trivium.storage.database import NOW
from trivium.storage.schema.idempotency import answer_pieces, kept_answers

READ_BYTES: Final = 1_048_576
"""Read at once; a piece has a fourth of it at most."""
READ_PIECES: Final = 1000
SWEEP_PIECES: Final = 5000
"""Deleted in one transaction."""
_A: Final = kept_answers.c
_P: Final = answer_pieces.c


async def claim(
    conn: AsyncConnection, asked: ClaimRequest, worker: str, keep_s: int, silent_s: int
) -> Claimed | None:
    """Have a worker answer a request, unless it is answered: one that nobody has, whose worker has
    been silent for so long, or whose answer was not kept. ``None``: another transaction has
    forgotten the row meanwhile, and it is to be tried again.

    One that was interrupted keeps its request id, by which the ledger books it once.
    """
    now = NOW[conn.dialect.name]
    user_id, digest = asked.place
    made = upsert(conn, kept_answers).values(
        user_id=user_id,
        digest=digest,
        claim=1,
        worker=worker,
        request_id=asked.request_id,
        body_digest=asked.body_digest,
        state=RUNNING,
        drops=0,
        created_at=now,
        beat_at=now,
        expires_at=now + keep_s,
        size_bytes=0,
    )
    new = made.excluded
    is_over = _A.expires_at <= now
    is_interrupted = and_(~is_over, _A.state == RUNNING)
    is_silent = _A.beat_at < now - silent_s
    if asked.last_beat is not None:
        is_silent = or_(is_silent, _A.beat_at == asked.last_beat)
    is_free = or_(_A.state == DROPPED, and_(_A.state == RUNNING, is_silent))
    made = made.on_conflict_do_update(
        index_elements=["user_id", "digest"],
        set_={
            "claim": _A.claim + 1,
            "worker": new.worker,
            "request_id": case((is_interrupted, _A.request_id), else_=new.request_id),
            "body_digest": new.body_digest,
            "state": RUNNING,
            "drops": case((is_over, 0), else_=_A.drops),
            "created_at": now,
            "beat_at": now,
            "expires_at": new.expires_at,
            "size_bytes": 0,
        },
        where=or_(is_over, and_(_A.body_digest == new.body_digest, is_free)),
    ).returning(_A.claim, _A.request_id, _A.drops)
    row = (await conn.execute(made)).one_or_none()
    if row is not None:
        if row.claim > 1:
            old = and_(*_at(answer_pieces, asked.place), _P.claim < row.claim)
            await conn.execute(delete(answer_pieces).where(old))
        return Claimed(ClaimVerdict.MINE, row.claim, row.request_id, row.drops)
    query = select(_A.claim, _A.request_id, _A.body_digest, _A.state)
    found = (await conn.execute(query.where(*_at(kept_answers, asked.place)))).one_or_none()
    if found is None:
        return None
    if found.body_digest != asked.body_digest:
        verdict = ClaimVerdict.OTHER_BODY
    else:
        verdict = ClaimVerdict.DONE if found.state == DONE else ClaimVerdict.RUNNING
    return Claimed(verdict, found.claim, found.request_id)


_MINE: Final = (
    _A.user_id == bindparam("of_user"),
    _A.digest == bindparam("of_digest"),
    _A.claim == bindparam("of_claim"),
    _A.worker == bindparam("of_worker"),
)


async def write(conn: AsyncConnection, worker: str, changes: Sequence[Change]) -> list[Place]:
    """Write what is new of a worker's answers; returns those that it no longer has, of which
    nothing is written.
    """
    now = NOW[conn.dialect.name]
    lost = []
    for change in sorted(changes, key=lambda change: change.place):
        named = _named(change.place, change.claim, worker)
        if not change.state:
            done = await conn.execute(delete(kept_answers).where(*_MINE), named)
        else:
            values: dict[str, Any] = {
                "state": change.state,
                "beat_at": now,
                "size_bytes": change.size_bytes,
            }
            if change.state == DROPPED:
                values |= {"size_bytes": 0, "drops": _A.drops + 1}
            done = await conn.execute(update(kept_answers).where(*_MINE).values(values), named)
        if not done.rowcount:
            lost.append(change.place)
        elif change.state == DROPPED:
            await conn.execute(
                delete(answer_pieces).where(*_at(answer_pieces, change.place)),
            )
        elif change.pieces and change.state:
            user_id, digest = change.place
            rows = [
                {
                    "user_id": user_id,
                    "digest": digest,
                    "claim": change.claim,
                    "number": number,
                    "body": body,
                }
                for number, body in change.pieces
            ]
            # repeated after a commit of unknown outcome: the same pieces
            await conn.execute(upsert(conn, answer_pieces).on_conflict_do_nothing(), rows)
    return lost


async def beat(conn: AsyncConnection, worker: str, running: Sequence[tuple[Place, int]]) -> None:
    """Say that a worker still answers these claims."""
    if running:
        now = NOW[conn.dialect.name]
        named = [_named(place, number, worker) for place, number in sorted(running)]
        await conn.execute(update(kept_answers).where(*_MINE).values(beat_at=now), named)


async def read(
    conn: AsyncConnection, looks: Sequence[LookRequest], bytes_max: int = READ_BYTES
) -> list[StoredAnswer | None]:
    """What is new of these answers, in their order, or ``None`` where nothing is known of one:
    about so many bytes together, of each that has something new at least a piece.

    One answer may be looked for by several, each from where it is.
    """
    now = NOW[conn.dialect.name]
    query = select(_A.user_id, _A.digest, _A.claim, _A.state, _A.beat_at, _A.size_bytes).where(
        tuple_(_A.user_id, _A.digest).in_(list({tuple(look.place) for look in looks})),
        _A.expires_at > now,
    )
    rows = {Place(row.user_id, row.digest): row for row in await conn.execute(query)}
    found: list[StoredAnswer | None] = []
    for look in looks:
        row = rows.get(look.place)
        if row is None:
            found.append(None)
            continue
        pieces: list[tuple[int, bytes]] = []
        is_all = True
        if row.state == DONE or row.size_bytes != look.size_bytes:
            pieces, is_all = await _pieces(conn, look, row.claim, bytes_max)
            bytes_max -= sum(len(body) for _, body in pieces)
        found.append(StoredAnswer(row.claim, row.state, row.beat_at, pieces, is_all))
    return found


async def _pieces(
    conn: AsyncConnection, look: LookRequest, claim: int, bytes_max: int
) -> tuple[list[tuple[int, bytes]], bool]:
    """The next pieces, and whether they are all."""
    of_it = (*_at(answer_pieces, look.place), _P.claim == claim, _P.number >= look.after)
    query = select(_P.number, func.length(_P.body)).where(*of_it).order_by(_P.number)
    sizes = [(row[0], row[1]) for row in await conn.execute(query.limit(READ_PIECES))]
    if not sizes:
        return [], True
    total, last = 0, 0
    for number, size in sizes:
        if total and total + size > bytes_max:
            break
        total, last = total + size, number
    query = select(_P.number, _P.body).where(*of_it, _P.number <= last).order_by(_P.number)
    pieces = [(row[0], row[1]) for row in await conn.execute(query)]
    return pieces, last == sizes[-1][0] and len(sizes) < READ_PIECES


async def delete_expired(conn: AsyncConnection, now: int, limit: int) -> int:
    """Delete at most so many answers whose day is over; returns how many it were, or ``limit``
    where they have too many pieces for one transaction, and the next is to go on.

    Rows that another node is deleting are left to it.
    """
    query = (
        select(_A.user_id, _A.digest)
        .where(_A.expires_at <= now)
        .order_by(_A.expires_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    places = sorted(Place(*row) for row in await conn.execute(query))
    if not await _strip(conn, places):
        return limit
    await _delete(conn, places)
    return len(places)


async def trim(
    conn: AsyncConnection, user_id: int, keys_max: int, bytes_max: int, limit: int
) -> int:
    """Forget a user's oldest answers, at most so many, that are above a number of keys or of bytes.
    Returns how many it were.

    Beyond the bytes a key stays known without its answer; beyond the keys nothing stays. Such as
    are still running are left alone.
    """
    mine = (_A.user_id == user_id, _A.state != RUNNING)
    count = await conn.scalar(select(func.count()).select_from(kept_answers).where(*mine))
    gone = 0
    excess = min(int(count or 0) - keys_max, limit)
    if excess > 0:
        query = (
            select(_A.user_id, _A.digest)
            .where(*mine)
            .order_by(_A.created_at, _A.digest)
            .limit(excess)
            .with_for_update(skip_locked=True)
        )
        places = sorted(Place(*row) for row in await conn.execute(query))
        await _delete(conn, places)
        gone = len(places)
    large = (_A.user_id == user_id, _A.size_bytes > 0)
    total = int(await conn.scalar(select(func.sum(_A.size_bytes)).where(*large)) or 0)
    if total <= bytes_max:
        return gone
    query = (
        select(_A.user_id, _A.digest, _A.size_bytes)
        .where(*large, _A.state == DONE)
        .order_by(_A.created_at, _A.digest)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    for row in list(await conn.execute(query)):
        if total <= bytes_max:
            break
        total -= row.size_bytes
        place = Place(row.user_id, row.digest)
        let_go = update(kept_answers).where(*_at(kept_answers, place))
        await conn.execute(let_go.values(state=DROPPED, size_bytes=0, drops=_A.drops + 1))
        await conn.execute(delete(answer_pieces).where(*_at(answer_pieces, place)))
        gone += 1
    return gone


async def owners_above(
    conn: AsyncConnection, keys_max: int, bytes_max: int, since: int | None = None
) -> list[int]:
    """Users who have more keys or bytes than that; with ``since`` only of those who had one made
    from then on, which are found by an index: the others have no more than before.
    """
    query = select(_A.user_id)
    if since is not None:
        query = query.where(_A.user_id.in_(select(_A.user_id).where(_A.created_at >= since)))
    query = query.group_by(_A.user_id)
    above = or_(func.count() > keys_max, func.sum(_A.size_bytes) > bytes_max)
    return [int(user_id) for user_id in await conn.scalars(query.having(above))]


async def _strip(conn: AsyncConnection, places: Sequence[Place]) -> bool:
    """Delete the pieces of these answers; ``False``: they have more than go at once."""
    if not places:
        return True
    key = (_P.user_id, _P.digest, _P.claim, _P.number)
    query = select(*key).where(tuple_(_P.user_id, _P.digest).in_([tuple(p) for p in places]))
    found = [tuple(row) for row in await conn.execute(query.limit(SWEEP_PIECES))]
    names = ("of_user", "of_digest", "of_claim", "of_number")
    if found:
        is_named = [column == bindparam(name) for column, name in zip(key, names, strict=True)]
        named = [dict(zip(names, row, strict=True)) for row in found]
        await conn.execute(delete(answer_pieces).where(*is_named), named)
    return len(found) < SWEEP_PIECES


async def _delete(conn: AsyncConnection, places: Sequence[Place]) -> None:
    if places:
        named = [{"of_user": user_id, "of_digest": digest} for user_id, digest in places]
        gone = delete(kept_answers).where(*_MINE[:2])
        await conn.execute(gone, named)


def _at(table: Any, place: Place) -> tuple[Any, Any]:
    return table.c.user_id == place.user_id, table.c.digest == place.digest


def _named(place: Place, number: int, worker: str) -> dict[str, Any]:
    return {
        "of_user": place.user_id,
        "of_digest": place.digest,
        "of_claim": number,
        "of_worker": worker,
    }
