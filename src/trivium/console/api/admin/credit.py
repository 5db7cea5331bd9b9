"""``/api/admin/users/{user}/credit``: money onto a balance, once for each id."""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd
from trivium.console.api.answer import ApiError
from trivium.identity.model import User
from trivium.ledger.amounts import format_usd
from trivium.ledger.entries import NOTE_CHARS_MAX
from trivium.ledger.errors import BookedError
from trivium.ledger.model import Entry, EntryKind
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Connection


class NewCredit(ApiBody, frozen=True, kw_only=True):
    """The amount, a note, and the caller's own id, under which it is booked once."""

    amount: str
    """US dollars; less than zero takes some back."""
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=NOTE_CHARS_MAX)]
    idempotency_id: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z._:-]{8,64}\Z")]


async def create(asked: AdminRequest) -> Any:
    """Book the credit, once; answers with the entry and the balance after it."""
    wanted: NewCredit = asked.body
    console = asked.console
    user = await console.directory.one(asked.number("user"))
    amount_nanos = usd("amount", wanted.amount)
    if not amount_nanos:
        raise ApiError(400, "amount: zero changes nothing")
    reason = wanted.reason.strip()
    if not reason or not reason.isprintable():
        raise ApiError(400, "reason: must be printable characters on one line")
    once = f"api_credit:{wanted.idempotency_id}"
    try:
        async with console.database.write() as conn:
            entry = await book_within(asked, conn, user, amount_nanos, reason, once)
    except BookedError:
        raise ApiError(409, "idempotency_id: was used for another user or amount") from None
    if entry.note != reason:
        raise ApiError(409, "idempotency_id: was used with another reason")
    return {
        "entry": {
            "id": entry.id,
            "user_id": entry.user_id,
            "kind": entry.kind.value,
            "amount": format_usd(entry.amount_nanos),
            "reason": entry.note,
            "created_at": entry.created_at,
        },
        "balance": format_usd(await console.entries.balance(user.id)),
    }


async def book_within(
    asked: AdminRequest,
    conn: Connection,
    user: User,
    amount_nanos: int,
    note: str,
    request_id: str | None = None,
) -> Entry:
    """Append an entry as the administrator's act, logged with it. Raises ``LedgerError``."""

    async def log_act(conn: Connection, entry: Entry) -> None:
        detail = {"amount": format_usd(amount_nanos)}
        await asked.log.within(conn, ActKind.USER_CREDIT, user.id, f"entry:{entry.id}", detail)

    kind = EntryKind.TOP_UP if amount_nanos > 0 else EntryKind.ADJUSTMENT
    return await asked.console.entries.within(
        conn, user.id, kind, amount_nanos, note, request_id, along=log_act
    )


ENDPOINTS: Final = (resource("/api/admin/users/{user}/credit", POST=ApiMethod(create, NewCredit)),)
