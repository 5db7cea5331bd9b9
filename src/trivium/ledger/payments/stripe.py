"""Stripe Checkout: a hosted page for each payment, and signed events about it.

Through Stripe's own library, which is synchronous and takes half a second to import: it is
imported at the first payment or event, and works in a thread. The library verifies signatures;
events are then read from the raw body through views of the few members that matter, because an
event has the API version of the webhook's registration and not the library's.

Sources: docs.stripe.com/webhooks (order is not guaranteed, events may repeat, tolerance of five
minutes), /checkout/fulfillment (payment_status, delayed methods), /api/charges/object
(amount_refunded is cumulative), /api/metadata (a payment intent's is copied to its charge), all
read 2026-11-21.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from trivium.clock import SystemClock
from trivium.ledger.payments.model import (
    Begun,
    NoticeKind,
    PaymentError,
    PaymentEvent,
    PaymentOrder,
    PaymentRefusal,
)
from trivium.secret import Secret

if TYPE_CHECKING:
    from stripe import StripeClient

PAGES: Final = "https://checkout.stripe.com"
TOLERANCE_S: Final = 300
"""Age of a signature; the library's default. Nothing older is believed, so nothing is replayed;
and nothing dated further ahead, which the library would believe until it is old.
"""
TIMEOUT_S: Final = 20.0
"""One call; the library's 80 would keep a payer looking at nothing."""
RETRIES: Final = 2
"""The library repeats with the same idempotency key."""
REFERENCE: Final = "trivium_payment"
"""The member of the metadata that has our reference."""
MISSING: Final = (
    "payments.provider is stripe, but its library is not installed: "
    "run `pip install 'trivium[stripe]'`"
)

log = structlog.get_logger()


class _Object(msgspec.Struct):
    """What may be in ``data.object``, of whichever type it is."""

    id: str = ""
    object: str = ""
    metadata: dict[str, Any] | None = None
    payment_intent: str | None = None
    payment_status: str | None = None
    amount_total: int | None = None
    amount_refunded: int | None = None
    amount: int | None = None
    currency: str | None = None
    reason: str | None = None
    status: str | None = None


class _Data(msgspec.Struct):
    object: _Object


class _Event(msgspec.Struct):
    id: str
    type: str
    data: _Data


_decode: Final = msgspec.json.Decoder(_Event).decode

_SESSIONS: Final = {
    "checkout.session.async_payment_succeeded": NoticeKind.PAID,
    "checkout.session.async_payment_failed": NoticeKind.FAILED,
    "checkout.session.expired": NoticeKind.EXPIRED,
}
_DISPUTES: Final = (
    "charge.dispute.created",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
)
_UNREFUNDED: Final = "refund.failed"
EVENTS: Final = (
    "checkout.session.completed",
    *_SESSIONS,
    "charge.refunded",
    _UNREFUNDED,
    *_DISPUTES,
)
"""What a webhook has to be registered for."""


class Stripe:
    """One Stripe account.

    ``base_url``: another address of its API, for tests. ``page_url``: where its pages are.
    """

    name: Final = "stripe"

    def __init__(
        self,
        secret_key: Secret,
        webhook_secret: Secret,
        base_url: str | None = None,
        page_url: str = PAGES,
    ) -> None:
        self._secret_key = secret_key
        self._webhook_secret = webhook_secret
        self._base_url = base_url
        self.page_url = page_url
        self._client: StripeClient | None = None

    async def begin(self, order: PaymentOrder) -> Begun:
        """A Checkout session. Raises ``PaymentError`` (UNAVAILABLE)."""
        return await asyncio.to_thread(self._begin, order)

    async def look(self) -> None:
        """Ask for the last session, whatever it is: whether the key may do what payments need.

        Raises ``PaymentError`` (UNAVAILABLE, NOT_CONFIGURED), whose words name the setting.
        """
        await asyncio.to_thread(self._look)

    def _look(self) -> None:
        stripe = _library()
        client = self._client or self._connect(stripe)
        try:
            client.v1.checkout.sessions.list({"limit": 1})
        except stripe.AuthenticationError:
            why = "Stripe does not know payments.secret_key"
        except stripe.PermissionError:
            why = (
                "payments.secret_key is a restricted key without access to Checkout Sessions: "
                "give it that of writing"
            )
        except stripe.StripeError as error:
            why = (
                f"Stripe cannot be asked: {type(error).__name__} {error.http_status or ''}".strip()
            )
        else:
            return
        raise PaymentError(PaymentRefusal.UNAVAILABLE, why)

    async def read(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent:
        """What an event says. Raises ``PaymentError`` (FORGED, UNAVAILABLE)."""
        signature = headers.get("stripe-signature", "")
        await asyncio.to_thread(self._verify, body, signature)
        try:
            return _notice(_decode(body))
        except msgspec.DecodeError as error:
            # signed, so Stripe's own: a form of event that is none of ours
            log.warning("payment_event_unread", provider=self.name, error=str(error))
            return PaymentEvent(event_id="", event="", kind=NoticeKind.OTHER)

    def _verify(self, body: bytes, signature: str) -> None:
        stripe = _library()
        try:
            stripe.WebhookSignature.verify_header(
                body, signature, self._webhook_secret.reveal(), TOLERANCE_S
            )
            if _dated(signature) > SystemClock().now() + TOLERANCE_S:
                raise PaymentError(PaymentRefusal.FORGED, "the signature is dated ahead")
        except (stripe.SignatureVerificationError, UnicodeError) as error:
            raise PaymentError(PaymentRefusal.FORGED, "the signature is not right") from error

    def _begin(self, order: PaymentOrder) -> Begun:
        stripe = _library()
        client = self._client or self._connect(stripe)
        named = {REFERENCE: order.reference}
        params: dict[str, Any] = {
            "mode": "payment",
            "client_reference_id": order.reference,
            "metadata": named,
            # a charge has its intent's metadata, a refund's event then names us by itself
            "payment_intent_data": {"metadata": named},
            "line_items": [
                {
                    "quantity": 1,
                    "price_data": {
                        "currency": order.currency,
                        "unit_amount": order.amount_cents,
                        "product_data": {"name": "Balance"},
                    },
                }
            ],
            # what is paid must be what was asked for, to the cent
            "adaptive_pricing": {"enabled": False},
            "allow_promotion_codes": False,
            "success_url": order.success_url,
            "cancel_url": order.cancel_url,
        }
        if order.email:
            params["customer_email"] = order.email
        try:
            session = client.v1.checkout.sessions.create(
                params,  # type: ignore[arg-type] # a typed dict of some two hundred members
                {"idempotency_key": f"trivium-{order.reference}"},
            )
        except stripe.StripeError as error:
            log.warning(
                "payment_not_begun",
                provider=self.name,
                status=error.http_status,
                code=error.code,
                kind=type(error).__name__,
                request=error.request_id,
            )
            raise PaymentError(
                PaymentRefusal.UNAVAILABLE,
                "the payment provider cannot be reached or refused the payment",
            ) from None
        if not session.url:
            raise PaymentError(
                PaymentRefusal.UNAVAILABLE, "the payment provider gave no page to pay on"
            )
        return Begun(session_id=session.id, url=session.url)

    def _connect(self, stripe: Any) -> "StripeClient":
        client: StripeClient = stripe.StripeClient(
            self._secret_key.reveal(),
            http_client=stripe.RequestsClient(timeout=TIMEOUT_S),
            base_addresses={"api": self._base_url} if self._base_url else None,
            max_network_retries=RETRIES,
        )
        self._client = client
        return client


def misshapen(secret_key: str, webhook_secret: str) -> list[str]:
    """What of the settings cannot be what it is meant to be; one line each, without its value."""
    found = []
    if not secret_key.startswith(("sk_", "rk_")):
        found.append(
            "payments.secret_key is none of Stripe's secret or restricted keys, which begin with "
            "sk_ or rk_" + (": pk_ is the publishable one" * secret_key.startswith("pk_"))
        )
    if not webhook_secret.startswith("whsec_"):
        found.append(
            "payments.webhook_secret is no signing secret of Stripe's, which begins with whsec_ "
            "and is shown beside the webhook's address"
        )
    return found


def _library() -> Any:
    """Stripe's library. Raises ``PaymentError`` where the optional package is not installed."""
    try:
        import stripe
    except ImportError:
        log.error("payment_library_missing", what=MISSING)  # noqa: TRY400 - the message is all
        raise PaymentError(PaymentRefusal.NOT_CONFIGURED, "payments are not set up") from None
    return stripe


def installed() -> bool:
    """Whether the library is there, without importing it."""
    from importlib.util import find_spec

    return find_spec("stripe") is not None


def _dated(signature: str) -> int:
    """When a signature that was verified says that it was made."""
    dates = [part[2:] for part in signature.split(",") if part.startswith("t=")]
    return max(map(int, dates))


def _notice(event: _Event) -> PaymentEvent:
    """An event in our words."""
    thing = event.data.object
    reference = str((thing.metadata or {}).get(REFERENCE, ""))
    session_id = note = ""
    if event.type == "charge.refunded":
        kind, amount = NoticeKind.REFUNDED, thing.amount_refunded
    elif event.type in _DISPUTES:
        kind, amount = NoticeKind.DISPUTED, thing.amount
        note = f"{thing.reason or 'no reason'}, {thing.status or 'no state'}"
    elif event.type == _UNREFUNDED:
        kind, amount = NoticeKind.UNREFUNDED, thing.amount
    else:
        kind, amount = _SESSIONS.get(event.type, NoticeKind.OTHER), thing.amount_total
        session_id = thing.id
        if event.type == "checkout.session.completed":
            # a bank debit is done for the payer days before it is for us
            paid = thing.payment_status == "paid"
            kind = NoticeKind.PAID if paid else NoticeKind.PROCESSING
    return PaymentEvent(
        event_id=event.id,
        event=event.type,
        kind=kind,
        reference=reference,
        session_id=session_id,
        charge=thing.payment_intent or "",
        amount_cents=amount,
        currency=thing.currency or "",
        note=note,
    )
