"""Beginning payments, and booking what the provider signs.

A payer's return from the provider proves nothing and moves nothing. An event does, once: its
signature is checked, the payment's row is locked, the event's id is noted, the state moves and the
entry is booked in one transaction. Events come twice and in any order, so what is booked follows
from what is known of the payment, not from which event came: whichever tells last that it is paid
books it, with what was given back by then. The entry's request id, unique in the ledger, would
refuse a second one besides.
"""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from trivium.clock import Clock
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.entries import append
from trivium.ledger.errors import LedgerError
from trivium.ledger.model import Entry, EntryKind
from trivium.ledger.payments.model import (
    CURRENCY,
    NANOS_PER_CENT,
    REFERENCE_BYTES,
    REFUND,
    WAITING,
    NoticeKind,
    Payment,
    PaymentError,
    PaymentEvent,
    PaymentOrder,
    PaymentOutcome,
    PaymentProvider,
    PaymentRefusal,
    PaymentState,
    cents,
)
from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import Audit
from trivium.settings.payments import PaymentsSettings as Limits
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.ledger.payments import store
    from trivium.storage.database import Connection, Database
else:
    store = LateModule("trivium.ledger.payments.store")

BEGUN_MAX: Final = 10
"""Payments a user may begin within the hour: each makes a page at the provider."""
HOUR_S: Final = 3600
LISTED_MAX: Final = 200
PREFIX: Final = "tp_"

_MISMATCH: Final = "a payment was made otherwise than asked; nothing was booked"

log = structlog.get_logger()


class Payments:
    """Payments in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        audit: Audit,
        limits: Limits,
        provider: PaymentProvider | None,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """``provider``: ``None`` where nothing can be paid."""
        self._db = db
        self._clock = clock
        self._audit = audit
        self._provider = provider
        self._random_bytes = random_bytes
        self.minimum_nanos: Final = parse_usd(limits.minimum)
        self.maximum_nanos: Final = parse_usd(limits.maximum)
        self.offered_nanos: Final = tuple(parse_usd(amount) for amount in limits.amounts)

    @property
    def provider(self) -> str | None:
        """The provider's name; ``None`` where nothing can be paid."""
        return self._provider.name if self._provider else None

    @property
    def page_url(self) -> str:
        """Where the provider's pages are; empty where nothing can be paid."""
        return self._provider.page_url if self._provider else ""

    async def begin(
        self,
        user_id: int,
        amount_nanos: int,
        urls: Callable[[str], tuple[str, str]],
        *,
        email: str = "",
        app_id: int | None = None,
        address: str = "",
        agent: str = "",
    ) -> tuple[Payment, str]:
        """A new payment, and the provider's page where it is paid.

        ``urls``: where the payer goes after paying and after giving up, by the payment's reference.
        Raises ``PaymentError`` (AMOUNT, TOO_MANY, NOT_CONFIGURED, UNAVAILABLE).
        """
        if self._provider is None:
            raise PaymentError(PaymentRefusal.NOT_CONFIGURED, "payments are not set up")
        if not self.minimum_nanos <= amount_nanos <= self.maximum_nanos:
            low, high = format_usd(self.minimum_nanos), format_usd(self.maximum_nanos)
            raise PaymentError(
                PaymentRefusal.AMOUNT, f"an amount is from {low} to {high} US dollars"
            )
        now = int(self._clock.now())
        payment = Payment(
            reference=PREFIX + urlsafe_b64encode(self._random_bytes(REFERENCE_BYTES)).decode(),
            user_id=user_id,
            app_id=app_id,
            provider=self._provider.name,
            amount_nanos=amount_nanos,
            currency=CURRENCY,
            created_at=now,
        )
        success_url, cancel_url = urls(payment.reference)
        order = PaymentOrder(
            reference=payment.reference,
            amount_cents=cents(amount_nanos),
            currency=CURRENCY,
            email=email,
            success_url=success_url,
            cancel_url=cancel_url,
        )
        async with self._db.write() as conn:
            if await store.begun_since(conn, user_id, now - HOUR_S) >= BEGUN_MAX:
                raise PaymentError(
                    PaymentRefusal.TOO_MANY,
                    f"only {BEGUN_MAX} payments can be begun within an hour",
                )
            payment_id = await store.insert(conn, payment)
        try:
            begun = await self._provider.begin(order)
        except PaymentError:
            async with self._db.write() as conn:
                await store.not_begun(conn, payment_id)
            raise
        async with self._db.write() as conn:
            await store.begun(conn, payment_id, begun.session_id)
            await self._audit.within(
                conn,
                ActKind.TOP_UP_STARTED,
                actor=user_id,
                subject=user_id,
                what=payment.reference,
                address=address,
                agent=agent,
                detail={"amount": format_usd(amount_nanos), "app": app_id},
            )
        return msgspec.structs.replace(
            payment, id=payment_id, session_id=begun.session_id
        ), begun.url

    async def hear(self, provider: str, body: bytes, headers: Mapping[str, str]) -> PaymentOutcome:
        """Book what an event says, once.

        ``body`` as it came; ``headers`` by lower-case name. Raises ``PaymentError`` (FORGED,
        NOT_CONFIGURED), after which nothing has changed; after a storage fault the provider is to
        send the event again.
        """
        if self._provider is None or self._provider.name != provider:
            raise PaymentError(PaymentRefusal.NOT_CONFIGURED, "payments are not set up")
        notice = await self._provider.read(body, headers)
        if notice.kind is NoticeKind.OTHER:
            return PaymentOutcome.IGNORED
        now = int(self._clock.now())
        async with self._db.write() as conn:
            payment = await store.locked(conn, provider, notice)
            if payment is None:
                outcome = PaymentOutcome.UNKNOWN
            elif not await store.heard(conn, provider, notice, payment.id, now):
                outcome = PaymentOutcome.DUPLICATE
            else:
                outcome = await self._apply(conn, payment, notice, now)
        log.info(
            "payment_event",
            provider=provider,
            event_id=notice.event_id,
            event_type=notice.event,
            outcome=outcome.value,
            payment=None if payment is None else payment.reference,
        )
        return outcome

    async def _apply(
        self, conn: "Connection", payment: Payment, notice: PaymentEvent, now: int
    ) -> PaymentOutcome:
        if notice.kind is NoticeKind.PAID:
            return await self._paid(conn, payment, notice, now)
        if notice.kind is NoticeKind.REFUNDED:
            return await self._refunded(conn, payment, notice, now)
        if notice.kind is NoticeKind.DISPUTED:
            return await self._disputed(conn, payment, notice, now)
        if notice.kind is NoticeKind.UNREFUNDED:
            # whether the payer gets it in another way is the operator's to say
            log.error(
                "payment_refund_failed", payment=payment.reference, amount=notice.amount_cents
            )
            return PaymentOutcome.NOTED
        return await self._moved(conn, payment, notice)

    async def _paid(
        self, conn: "Connection", payment: Payment, notice: PaymentEvent, now: int
    ) -> PaymentOutcome:
        if payment.state in (PaymentState.PAID, PaymentState.HELD):
            return PaymentOutcome.STALE
        if (
            notice.currency != payment.currency
            or notice.amount_cents != cents(payment.amount_nanos)
            or payment.session_id not in (None, notice.session_id)
        ):
            log.error(
                "payment_held",
                payment=payment.reference,
                asked=cents(payment.amount_nanos),
                paid=notice.amount_cents,
                currency=notice.currency,
                what=_MISMATCH,
            )
            held = msgspec.structs.replace(
                payment, state=PaymentState.HELD, charge=notice.charge or None
            )
            await store.put(conn, held)
            await self._tell(conn, ActKind.TOP_UP_HELD, held, amount=format_usd(held.amount_nanos))
            return PaymentOutcome.HELD
        paid = msgspec.structs.replace(
            payment,
            state=PaymentState.PAID,
            session_id=notice.session_id,
            charge=notice.charge or payment.charge,
            paid_at=now,
        )
        await store.put(conn, paid)
        await _book(conn, paid, EntryKind.TOP_UP, paid.amount_nanos, _request(paid), now)
        await self._tell(conn, ActKind.TOP_UP_PAID, paid, amount=format_usd(paid.amount_nanos))
        if paid.refunded_nanos:
            await self._give_back(conn, paid, paid.refunded_nanos, now)
        return PaymentOutcome.CREDITED

    async def _refunded(
        self, conn: "Connection", payment: Payment, notice: PaymentEvent, now: int
    ) -> PaymentOutcome:
        if notice.currency != payment.currency or notice.amount_cents is None:
            log.error("payment_refund_unread", payment=payment.reference, currency=notice.currency)
            return PaymentOutcome.HELD
        # an amount beyond the payment cannot come; it must not take what others paid
        all_nanos = min(notice.amount_cents * NANOS_PER_CENT, payment.amount_nanos)
        more_nanos = all_nanos - payment.refunded_nanos
        if more_nanos <= 0:
            return PaymentOutcome.STALE
        now_known = msgspec.structs.replace(payment, refunded_nanos=all_nanos)
        await store.put(conn, now_known)
        if payment.state is not PaymentState.PAID:
            return PaymentOutcome.NOTED
        await self._give_back(conn, now_known, more_nanos, now)
        return PaymentOutcome.REFUNDED

    async def _give_back(
        self, conn: "Connection", payment: Payment, more_nanos: int, now: int
    ) -> None:
        """Take from the balance what the payer has been given back; it may go below zero."""
        request_id = f"{_request(payment)}{REFUND}{cents(payment.refunded_nanos)}"
        await _book(conn, payment, EntryKind.REFUND, -more_nanos, request_id, now)
        await self._tell(conn, ActKind.TOP_UP_REFUNDED, payment, amount=format_usd(more_nanos))

    async def _disputed(
        self, conn: "Connection", payment: Payment, notice: PaymentEvent, now: int
    ) -> PaymentOutcome:
        """Tell the operator. Whether to block the user or take the amount back is theirs to say."""
        log.warning(
            "payment_disputed",
            payment=payment.reference,
            user=payment.user_id,
            event_type=notice.event,
            amount_cents=notice.amount_cents,
            note=notice.note,
        )
        await store.put(
            conn,
            msgspec.structs.replace(
                payment,
                disputed_at=payment.disputed_at or now,
                charge=payment.charge or notice.charge or None,
            ),
        )
        told = {"event": notice.event, "note": notice.note}
        await self._tell(conn, ActKind.TOP_UP_DISPUTED, payment, **told)
        return PaymentOutcome.NOTED

    async def _moved(
        self, conn: "Connection", payment: Payment, notice: PaymentEvent
    ) -> PaymentOutcome:
        """Follow what becomes of a payment on its way; what is done is done."""
        state = PaymentState(notice.kind.value)
        if payment.state not in WAITING or payment.state is state:
            return PaymentOutcome.STALE
        moved = msgspec.structs.replace(
            payment,
            state=state,
            session_id=payment.session_id or notice.session_id or None,
            charge=payment.charge or notice.charge or None,
        )
        await store.put(conn, moved)
        return PaymentOutcome.NOTED

    async def _tell(
        self, conn: "Connection", kind: ActKind, payment: Payment, **detail: str
    ) -> None:
        await self._audit.within(
            conn,
            kind,
            subject=payment.user_id,
            what=payment.reference,
            agent=payment.provider,
            detail=detail,
        )

    async def find(self, reference: str, user_id: int) -> Payment | None:
        """A user's own payment; ``None`` also when it is somebody else's."""
        async with self._db.read() as conn:
            payment = await store.by_reference(conn, reference)
        return payment if payment and payment.user_id == user_id else None

    async def newest(
        self,
        user_id: int | None = None,
        state: PaymentState | None = None,
        limit: int = 20,
        *,
        before: int | None = None,
    ) -> list[Payment]:
        """Payments, newest first; of one user, in one state, before an id."""
        async with self._db.read() as conn:
            return await store.newest(conn, user_id, state, min(limit, LISTED_MAX + 1), before)

    async def one(self, payment_id: int) -> Payment | None:
        """A payment by its number."""
        async with self._db.read() as conn:
            return await store.by_id(conn, payment_id)


async def verify(db: "Database") -> list[int]:
    """Ids of payments whose state and whose entries do not agree; empty when all is well."""
    async with db.read() as conn:
        return await store.contradictions(conn)


def _request(payment: Payment) -> str:
    return f"{payment.provider}:{payment.session_id}"


async def _book(
    conn: "Connection",
    payment: Payment,
    kind: EntryKind,
    amount_nanos: int,
    request_id: str,
    now: int,
) -> None:
    """Append an entry in the transaction of the event. Raises ``LedgerError``, which undoes it."""
    entry = Entry(
        user_id=payment.user_id,
        kind=kind,
        amount_nanos=amount_nanos,
        note=f"{payment.provider} payment {payment.reference}",
        request_id=request_id,
        created_at=now,
    )
    if await append(conn, entry) is None:
        raise LedgerError(f"{request_id} is booked already, but the payment says otherwise")
