"""``/api/admin/payments``: what was begun, paid and held at a payment provider."""

from typing import Any, Final

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.ledger.amounts import format_usd
from trivium.ledger.payments.model import Payment, PaymentState


async def listing(asked: AdminRequest) -> Any:
    """Payments of a user or in a state, newest first, a page at a time."""
    most = paging.limit(asked)
    found = await asked.console.payments.newest(
        paging.number(asked, "user", "the id of a user"),
        paging.word(asked, "state", PaymentState),
        most + 1,
        before=paging.number(asked, "before", "the id of a payment"),
    )
    rows, more = paging.cut(found, most)
    return {
        "payments": [_shown(each) for each in rows],
        "before": rows[-1].id if more else None,
    }


async def show(asked: AdminRequest) -> Any:
    """Answer with the payment of the path."""
    found = await asked.console.payments.one(asked.number("payment"))
    if found is None:
        raise ApiError(404, "there is no payment of this id")
    return _shown(found)


def _shown(payment: Payment) -> dict[str, Any]:
    return {
        "id": payment.id,
        "reference": payment.reference,
        "user_id": payment.user_id,
        "app_id": payment.app_id,
        "provider": payment.provider,
        "session": payment.session_id,
        "charge": payment.charge,
        "amount": format_usd(payment.amount_nanos),
        "refunded": format_usd(payment.refunded_nanos),
        "currency": payment.currency,
        "state": payment.state.value,
        "created_at": payment.created_at,
        "paid_at": payment.paid_at,
        "disputed_at": payment.disputed_at,
    }


_QUERY: Final = frozenset({"user", "state", "limit", "before"})
ENDPOINTS: Final = (
    resource("/api/admin/payments", GET=ApiMethod(listing, query=_QUERY)),
    resource("/api/admin/payments/{payment}", GET=ApiMethod(show)),
)
