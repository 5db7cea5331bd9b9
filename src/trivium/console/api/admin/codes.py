"""``/api/admin/codes``: batches of redemption codes, made, listed, revoked; and one redeemed."""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd
from trivium.console.api.answer import ApiError
from trivium.ledger.amounts import format_usd
from trivium.ledger.codes.model import TYPED_CHARS_MAX, Batch, Code, CodeError, CodeRefusal
from trivium.ledger.codes.service import COUNT_MAX
from trivium.ledger.entries import NOTE_CHARS_MAX
from trivium.ledger.errors import LedgerError
from trivium.observe.audit.model import ActKind, Detail

CREATED_MAX: Final = 1000
"""Codes of one answer; the command line makes larger batches."""
_STATUS: Final = {CodeRefusal.MISTYPED: 400, CodeRefusal.UNKNOWN: 404}


class NewBatch(ApiBody, frozen=True, kw_only=True):
    """What each code is worth, how many there are, and until when they are good."""

    amount: str
    """US dollars of each."""
    count: Annotated[int, msgspec.Meta(ge=1, le=CREATED_MAX)] = 1
    expires_at: Annotated[int, msgspec.Meta(ge=0, le=paging.MOMENT_MAX)] | None = None
    """Seconds since the epoch; ``None``: never."""
    note: Annotated[str, msgspec.Meta(max_length=NOTE_CHARS_MAX)] = ""


class TypedCode(ApiBody, frozen=True, kw_only=True):
    """A code as somebody has it."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=TYPED_CHARS_MAX)]


async def batches(asked: AdminRequest) -> Any:
    """Batches, the newest first, with how many of their codes are what."""
    most = paging.limit(asked)
    before = paging.number(asked, "before", "the id of a batch")
    rows, more = paging.cut(await asked.console.codes.newest_batches(before, most + 1), most)
    return {
        "batches": [_batch(each) for each in rows],
        "before": rows[-1].id if more else None,
    }


async def create(asked: AdminRequest) -> Any:
    """Make a batch; answers with it and its codes, which are not stored."""
    wanted: NewBatch = asked.body
    amount_nanos = usd("amount", wanted.amount)
    codes = asked.console.codes
    batch_id, made = await codes.create(amount_nanos, wanted.count, wanted.expires_at, wanted.note)
    told: Detail = {"codes": wanted.count, "amount": format_usd(amount_nanos)}
    await asked.log.add(ActKind.REDEMPTION_CREATED, None, f"batch:{batch_id}", told)
    return {**_batch(await codes.batch(batch_id)), "secrets": made}


async def show(asked: AdminRequest) -> Any:
    """Answer with the batch of the path."""
    return _batch(await _found_batch(asked))


async def codes_of(asked: AdminRequest) -> Any:
    """The codes of a batch in the order they were made, by their last characters."""
    batch = await _found_batch(asked)
    most = paging.limit(asked)
    after = paging.number(asked, "after", "the id of a code") or 0
    found = await asked.console.codes.codes_of(batch.id, after, most + 1)
    rows, more = paging.cut(found, most)
    return {"codes": [_code(asked, one) for one in rows], "after": rows[-1].id if more else None}


async def revoke_batch(asked: AdminRequest) -> Any:
    """Refuse the codes of a batch that are open; asked again, there are none."""
    batch = await _found_batch(asked)
    gone = await _revoked(asked, f"batch:{batch.id}")
    return {**_batch(await asked.console.codes.batch(batch.id)), "revoked_now": gone}


async def show_code(asked: AdminRequest) -> Any:
    """Answer with the code of the path, without its secret."""
    return _code(asked, await _found_code(asked))


async def revoke_code(asked: AdminRequest) -> Any:
    """Refuse a code from now on; what was redeemed stays booked. Repeating it changes nothing."""
    code = await _found_code(asked)
    await _revoked(asked, f"id:{code.id}")
    return _code(asked, await _found_code(asked))


async def revoke_typed(asked: AdminRequest) -> Any:
    """Refuse a code by itself, as one that got into wrong hands."""
    wanted: TypedCode = asked.body
    code = await asked.console.codes.typed(wanted.code)
    if code is None:
        raise ApiError(404, "code: there is no such code, or a character is wrong")
    await _revoked(asked, f"id:{code.id}")
    return _code(asked, await asked.console.codes.one(code.id))


async def redeem(asked: AdminRequest) -> Any:
    """Book what a code is worth on the balance of the user of the path, once."""
    wanted: TypedCode = asked.body
    user = await asked.console.directory.one(asked.number("user"))
    try:
        entry = await asked.console.codes.redeem(user.id, wanted.code)
    except CodeError as error:
        raise ApiError(_STATUS.get(error.why, 409), f"code: {error}") from None
    amount = format_usd(entry.amount_nanos)
    await asked.log.add(ActKind.REDEEMED, user.id, entry.request_id or "", {"amount": amount})
    balance = format_usd(await asked.console.entries.balance(user.id))
    return {"entry_id": entry.id, "user_id": user.id, "amount": amount, "balance": balance}


async def _revoked(asked: AdminRequest, which: str) -> int:
    """How many open codes are refused from now on."""
    try:
        gone = await asked.console.codes.revoke(which)
    except LedgerError:
        return 0
    await asked.log.add(ActKind.REDEMPTION_REVOKED, None, which, {"codes": gone})
    return gone


async def _found_batch(asked: AdminRequest) -> Batch:
    try:
        return await asked.console.codes.batch(asked.number("batch"))
    except LedgerError:
        raise ApiError(404, "there is no batch of this id") from None


async def _found_code(asked: AdminRequest) -> Code:
    try:
        return await asked.console.codes.one(asked.number("code"))
    except LedgerError:
        raise ApiError(404, "there is no code of this id") from None


def _batch(batch: Batch) -> dict[str, Any]:
    return {
        "id": batch.id,
        "amount": format_usd(batch.amount_nanos),
        "note": batch.note,
        "codes": batch.codes,
        "redeemed": batch.redeemed,
        "revoked": batch.revoked,
        "expires_at": batch.expires_at,
        "created_at": batch.created_at,
    }


def _code(asked: AdminRequest, code: Code) -> dict[str, Any]:
    return {
        "id": code.id,
        "batch_id": code.batch_id,
        "hint": code.hint,
        "amount": format_usd(code.amount_nanos),
        "state": code.state(asked.console.clock.now()),
        "expires_at": code.expires_at,
        "revoked_at": code.revoked_at,
        "redeemed_at": code.redeemed_at,
        "user": code.user,
    }


assert CREATED_MAX <= COUNT_MAX
_BATCHES: Final = "/api/admin/codes/batches"
ENDPOINTS: Final = (
    resource(
        _BATCHES,
        GET=ApiMethod(batches, query=frozenset({"limit", "before"})),
        POST=ApiMethod(create, NewBatch),
    ),
    resource(f"{_BATCHES}/{{batch}}", GET=ApiMethod(show), DELETE=ApiMethod(revoke_batch)),
    resource(
        f"{_BATCHES}/{{batch}}/codes", GET=ApiMethod(codes_of, query=frozenset({"limit", "after"}))
    ),
    resource("/api/admin/codes/revoke", POST=ApiMethod(revoke_typed, TypedCode)),
    resource("/api/admin/codes/{code}", GET=ApiMethod(show_code), DELETE=ApiMethod(revoke_code)),
    resource("/api/admin/users/{user}/redeem", POST=ApiMethod(redeem, TypedCode)),
)
