"""Stripe is asked as its library asks, and believed only when it signs."""

import builtins
import json
import time

import pytest
from structlog.testing import capture_logs

import stripe_double
from trivium.ledger.payments.model import NoticeKind, PaymentError, PaymentOrder, PaymentRefusal
from trivium.ledger.payments.stripe import EVENTS, TOLERANCE_S, Stripe
from trivium.secret import Secret

ORDER = PaymentOrder(
    reference="tp_abc",
    amount_cents=2500,
    currency="usd",
    email="ada@example.com",
    success_url="https://gateway.example/topup/tp_abc",
    cancel_url="https://gateway.example/topup",
)


async def refused(action):
    """Why a call was refused."""
    with pytest.raises(PaymentError) as caught:
        await action
    return caught.value.why


@pytest.mark.asyncio
async def test_a_session_is_made_for_exactly_the_order(provider, double):
    """Amount, currency and our reference, on the session and on the charge to come."""
    begun = await provider.begin(ORDER)
    ((_, headers, form),) = double.requests
    assert ("cs_test_1", f"{double.url}/pay/cs_test_1") == (begun.session_id, begun.url)
    assert {
        "mode": "payment",
        "client_reference_id": "tp_abc",
        "metadata[trivium_payment]": "tp_abc",
        "payment_intent_data[metadata][trivium_payment]": "tp_abc",
        "line_items[0][quantity]": "1",
        "line_items[0][price_data][currency]": "usd",
        "line_items[0][price_data][unit_amount]": "2500",
        "line_items[0][price_data][product_data][name]": "Balance",
        "adaptive_pricing[enabled]": "false",
        "allow_promotion_codes": "false",
        "customer_email": "ada@example.com",
        "success_url": ORDER.success_url,
        "cancel_url": ORDER.cancel_url,
    } == form
    assert "trivium-tp_abc" == headers["Idempotency-Key"]


@pytest.mark.asyncio
async def test_an_order_repeated_makes_one_session(provider, double):
    """Whoever clicks twice, and a call whose answer was lost."""
    double.drop_answers = 1
    first = await provider.begin(ORDER)
    second = await provider.begin(ORDER)
    assert (first.session_id, 1, 3) == (
        second.session_id,
        len(double.sessions),
        len(double.requests),
    )


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404])
@pytest.mark.asyncio
async def test_a_refusal_is_told_without_its_details(provider, double, status):
    """Stripe's text may name the account; the operator's log has the code."""
    double.fail = [status]
    with capture_logs() as logs:
        assert PaymentRefusal.UNAVAILABLE is await refused(provider.begin(ORDER))
    (line,) = [line for line in logs if line["event"] == "payment_not_begun"]
    assert status == line["status"]
    assert stripe_double.SECRET_KEY not in str(logs)


@pytest.mark.asyncio
async def test_a_wrong_key_and_a_dead_server_are_unavailable(double):
    """Nothing else is known of them."""
    wrong = Stripe(Secret("sk_test_wrong"), Secret("whsec_x"), double.url)
    assert PaymentRefusal.UNAVAILABLE is await refused(wrong.begin(ORDER))


@pytest.mark.asyncio
async def test_without_the_library_the_operator_is_told_what_to_install(provider, monkeypatch):
    """And the payer only that there is nothing to pay with."""
    real = builtins.__import__

    def without(name, *more, **named):
        if name == "stripe":
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with capture_logs() as logs:
        assert PaymentRefusal.NOT_CONFIGURED is await refused(provider.begin(ORDER))
    assert "pip install 'trivium[stripe]'" in logs[0]["what"]


BODY = json.dumps(stripe_double.fixture("checkout-session")).encode()


@pytest.mark.asyncio
async def test_a_signed_event_is_read(provider):
    """From the raw body."""
    notice = await provider.read(BODY, stripe_double.signed(BODY))
    assert ("evt_1", "checkout.session.completed") == (notice.event_id, notice.event)
    assert (NoticeKind.PAID, "tp_1", "cs_test_1", "pi_1", 2500, "usd") == (
        notice.kind,
        notice.reference,
        notice.session_id,
        notice.charge,
        notice.amount_cents,
        notice.currency,
    )


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"stripe-signature": ""},
        {"stripe-signature": "t=1,v1=00"},
        {"stripe-signature": "nonsense"},
        {"stripe-signature": "t=x,v1=00"},
        stripe_double.signed(BODY, secret="whsec_other"),
        stripe_double.signed(BODY + b" "),
        stripe_double.signed(BODY, at=time.time() - TOLERANCE_S - 5),
        stripe_double.signed(BODY, at=time.time() + TOLERANCE_S + 86_400),
        stripe_double.signed(BODY, at=10**15),
        {"stripe-signature": stripe_double.signature(BODY).replace("v1=", "v0=")},
    ],
    ids=[
        "none",
        "empty",
        "short",
        "nonsense",
        "time",
        "secret",
        "body",
        "old",
        "ahead",
        "far ahead",
        "scheme",
    ],
)
@pytest.mark.asyncio
async def test_anything_but_the_right_signature_is_a_forgery(provider, headers):
    """Whatever is wrong with it, the answer is the same."""
    assert PaymentRefusal.FORGED is await refused(provider.read(BODY, headers))


@pytest.mark.asyncio
async def test_a_body_that_is_no_text_is_a_forgery(provider):
    """Nobody signed it."""
    body = b"\xff\xfe"
    assert PaymentRefusal.FORGED is await refused(
        provider.read(body, {"stripe-signature": "t=1,v1=00"})
    )


@pytest.mark.asyncio
async def test_two_signatures_at_once_are_enough(provider):
    """While a secret is rolled Stripe signs with both for a day."""
    other = stripe_double.signature(BODY, "whsec_new").partition(",")[2]
    both = f"{stripe_double.signature(BODY)},{other}"
    assert NoticeKind.PAID is (await provider.read(BODY, {"stripe-signature": both})).kind


@pytest.mark.parametrize(
    ("name", "kind", "read"),
    [
        ("checkout-session", "checkout.session.async_payment_succeeded", NoticeKind.PAID),
        ("checkout-session", "checkout.session.async_payment_failed", NoticeKind.FAILED),
        ("checkout-session", "checkout.session.expired", NoticeKind.EXPIRED),
        ("charge-refunded", "charge.refunded", NoticeKind.REFUNDED),
        ("charge-dispute", "charge.dispute.created", NoticeKind.DISPUTED),
        ("charge-dispute", "charge.dispute.closed", NoticeKind.DISPUTED),
        ("charge-dispute", "charge.dispute.funds_withdrawn", NoticeKind.DISPUTED),
        ("charge-dispute", "charge.dispute.funds_reinstated", NoticeKind.DISPUTED),
        ("account-updated", "account.updated", NoticeKind.OTHER),
        ("checkout-session", "checkout.session.invented", NoticeKind.OTHER),
    ],
)
@pytest.mark.asyncio
async def test_events_mean_what_they_are_called(provider, name, kind, read):
    """And what nobody registered for means nothing."""
    body = json.dumps(stripe_double.fixture(name) | {"type": kind}).encode()
    assert read is (await provider.read(body, stripe_double.signed(body))).kind
    assert (kind in EVENTS) is (read is not NoticeKind.OTHER)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("paid", NoticeKind.PAID),
        ("unpaid", NoticeKind.PROCESSING),
        ("no_payment_required", NoticeKind.PROCESSING),
    ],
)
@pytest.mark.asyncio
async def test_a_completed_session_need_not_be_paid(provider, status, kind):
    """Bank debits take days; a session that costs nothing pays nothing."""
    event = stripe_double.fixture("checkout-session")
    event["data"]["object"]["payment_status"] = status
    body = json.dumps(event).encode()
    assert kind is (await provider.read(body, stripe_double.signed(body))).kind


@pytest.mark.parametrize(
    "body",
    [b"[]", b"{}", b'{"id":1,"type":"x","data":{"object":{}}}', b"not json"],
)
@pytest.mark.asyncio
async def test_a_signed_body_of_another_form_is_let_pass(provider, body):
    """It is Stripe's own, of a kind that is none of ours; refusing it would have it sent again."""
    with capture_logs() as logs:
        notice = await provider.read(body, stripe_double.signed(body))
    assert (NoticeKind.OTHER, ["payment_event_unread"]) == (
        notice.kind,
        [line["event"] for line in logs],
    )
