"""``/api/admin/users/{user}/entries`` and ``…/overdraft``: somebody's books, and taking back."""

from typing import Any, Final

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd
from trivium.console.api.admin.credit import book_within
from trivium.console.api.answer import ApiError
from trivium.ledger.amounts import format_usd
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.statement.service import can_be_undone, undo_id
from trivium.observe.audit.model import ActKind


class Overdraft(ApiBody, frozen=True, kw_only=True):
    """How far a balance may go below zero."""

    amount: str
    """US dollars; 0 ends it."""


async def listing(asked: AdminRequest) -> Any:
    """A user's entries, newest first; of one kind when it is named."""
    user = await asked.console.directory.one(asked.number("user"))
    most = paging.limit(asked)
    before = paging.number(asked, "before", "the id of an entry")
    kind = paging.word(asked, "kind", EntryKind)
    kinds = () if kind is None else (kind,)
    page = await asked.console.statement.page(user.id, before, most, kinds)
    return {"entries": [_shown(entry) for entry in page.entries], "before": page.before}


async def show(asked: AdminRequest) -> Any:
    """Answer with an entry, and of usage with the quantities that add up to it."""
    user = await asked.console.directory.one(asked.number("user"))
    bill = await asked.console.statement.bill(user.id, asked.number("entry"))
    if bill is None:
        raise ApiError(404, "there is no entry of this id of theirs")
    lines = [
        {
            "meter": line.meter,
            "quantity": line.quantity,
            "unit_price": line.unit_usd,
            "amount": format_usd(line.nanos),
        }
        for line in bill.lines
    ]
    return {**_shown(bill.entry), "lines": lines}


async def undo(asked: AdminRequest) -> Any:
    """Book the opposite of what was booked by hand; asked again, the same answer."""
    console = asked.console
    user = await console.directory.one(asked.number("user"))
    bill = await console.statement.bill(user.id, asked.number("entry"))
    if bill is None:
        raise ApiError(404, "there is no entry of this id of theirs")
    entry = bill.entry
    if not can_be_undone(entry):
        raise ApiError(409, "only what was booked by hand is taken back, and that once")
    async with console.database.write() as conn:
        note = f"Entry {entry.id} taken back"
        back = await book_within(asked, conn, user, -entry.amount_nanos, note, undo_id(entry))
    return {"entry": _shown(back), "balance": format_usd(await console.entries.balance(user.id))}


async def show_overdraft(asked: AdminRequest) -> Any:
    """How far the balance of the user of the path may go below zero."""
    user = await asked.console.directory.one(asked.number("user"))
    return await _overdraft(asked, user.id)


async def set_overdraft(asked: AdminRequest) -> Any:
    """Let a balance go below zero by so much."""
    wanted: Overdraft = asked.body
    user = await asked.console.directory.one(asked.number("user"))
    nanos = usd("amount", wanted.amount)
    if nanos < 0:
        raise ApiError(400, "amount: must be zero or more")
    if nanos != await asked.console.entries.overdraft(user.id):
        await asked.console.entries.set_overdraft(user.id, nanos)
        told = {"amount": format_usd(nanos)}
        await asked.log.add(ActKind.USER_OVERDRAFT, user.id, "", told)
    return await _overdraft(asked, user.id)


async def _overdraft(asked: AdminRequest, user_id: int) -> dict[str, Any]:
    entries = asked.console.entries
    return {
        "user_id": user_id,
        "amount": format_usd(await entries.overdraft(user_id)),
        "balance": format_usd(await entries.balance(user_id)),
    }


def _shown(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "user_id": entry.user_id,
        "kind": entry.kind.value,
        "amount": format_usd(entry.amount_nanos),
        "reason": entry.note,
        "request_id": entry.request_id,
        "created_at": entry.created_at,
    }


_ENTRIES: Final = "/api/admin/users/{user}/entries"
_QUERY: Final = frozenset({"kind", "limit", "before"})
ENDPOINTS: Final = (
    resource(_ENTRIES, GET=ApiMethod(listing, query=_QUERY)),
    resource(f"{_ENTRIES}/{{entry}}", GET=ApiMethod(show)),
    resource(f"{_ENTRIES}/{{entry}}/undo", POST=ApiMethod(undo)),
    resource(
        "/api/admin/users/{user}/overdraft",
        GET=ApiMethod(show_overdraft),
        PUT=ApiMethod(set_overdraft, Overdraft),
    ),
)
