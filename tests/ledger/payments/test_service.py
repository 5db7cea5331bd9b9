"""A payment is booked once, when the provider signs that it was made, whatever order events take."""

import asyncio
import itertools

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from trivium.ledger.model import NANOS, EntryKind
from trivium.ledger.payments.model import PaymentError, PaymentOutcome, PaymentRefusal, PaymentState
from trivium.ledger.payments.service import BEGUN_MAX, HOUR_S, Payments, verify
from trivium.settings.payments import PaymentsSettings as Limits
from trivium.storage.database import Database

PAID = 25 * NANOS


async def booked(database):
    """Kinds, amounts and request ids of all entries."""
    query = text("SELECT kind, amount_nanos, request_id FROM entries ORDER BY id")
    async with database.read() as conn:
        return [tuple(row) for row in await conn.execute(query)]


@pytest.mark.asyncio
async def test_a_payment_becomes_balance_when_the_provider_signs(
    payments, begin, user, double, entries, database
):
    """Not when the payer comes back, and with an entry that names the session."""
    ada = await user()
    payment, url = await begin(ada)
    assert f"{double.url}/pay/cs_test_1" == url
    assert (0, PaymentState.OPEN) == (
        await entries.balance(ada),
        (await payments.find(payment.reference, ada)).state,
    )
    assert PaymentOutcome.CREDITED is await payments.hear("stripe", *double.pay("cs_test_1"))
    found = await payments.find(payment.reference, ada)
    assert (PAID, PaymentState.PAID) == (await entries.balance(ada), found.state)
    assert [(EntryKind.TOP_UP.value, PAID, "stripe:cs_test_1")] == await booked(database)
    assert ([], []) == (await entries.verify(), await verify(database))


@pytest.mark.asyncio
async def test_an_event_is_heard_once(payments, begin, user, double, entries):
    """Stripe repeats what it got no answer to, for days."""
    ada = await user()
    await begin(ada)
    event = double.pay("cs_test_1")
    outcomes = [await payments.hear("stripe", *event) for _ in range(3)]
    assert [PaymentOutcome.CREDITED, PaymentOutcome.DUPLICATE, PaymentOutcome.DUPLICATE] == outcomes
    assert PAID == await entries.balance(ada)


@pytest.mark.asyncio
async def test_two_events_that_tell_the_same_are_booked_once(
    payments, begin, user, double, entries
):
    """A session's completion and its delayed success have different ids."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    again = double.later("cs_test_1", "async_payment_succeeded")
    assert PaymentOutcome.STALE is await payments.hear("stripe", *again)
    assert PAID == await entries.balance(ada)


@pytest.mark.asyncio
async def test_at_once_it_is_booked_once(
    database_url, payments, begin, user, double, entries, clock, audit, provider
):
    """Ten deliveries of two events over two workers' connections."""
    ada = await user()
    await begin(ada)
    second = Database(database_url)
    other = Payments(second, clock, audit, Limits(provider="stripe"), provider)
    events = [double.pay("cs_test_1"), double.later("cs_test_1", "async_payment_succeeded")]
    try:
        outcomes = await asyncio.gather(
            *(each.hear("stripe", *event) for event in events * 5 for each in (payments, other))
        )
    finally:
        await second.close()
    assert (1, 1, 18) == tuple(
        outcomes.count(o)
        for o in (PaymentOutcome.CREDITED, PaymentOutcome.STALE, PaymentOutcome.DUPLICATE)
    )
    assert (PAID, []) == (await entries.balance(ada), await entries.verify())


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
@pytest.mark.asyncio
async def test_the_books_do_not_depend_on_the_order_of_events(
    payments, begin, user, double, entries, database, order
):
    """Paid, expired too late, and two refunds: every order ends in the same balance."""
    ada = await user()
    await begin(ada)
    told = [
        double.pay("cs_test_1"),
        double.later("cs_test_1", "expired"),
        double.refund("cs_test_1", 500),
        double.refund("cs_test_1", 250),
    ]
    for index in order:
        await payments.hear("stripe", *told[index])
    assert PAID - 7_500_000_000 == await entries.balance(ada)
    assert ([], []) == (await entries.verify(), await verify(database))


@pytest.mark.asyncio
async def test_a_bank_debit_is_booked_when_it_arrives(payments, begin, user, double, entries):
    """Days after the payer was done."""
    ada = await user()
    payment, _ = await begin(ada)
    assert PaymentOutcome.NOTED is await payments.hear("stripe", *double.finish_later("cs_test_1"))
    assert (PaymentState.PROCESSING, 0) == (
        (await payments.find(payment.reference, ada)).state,
        await entries.balance(ada),
    )
    arrived = double.later("cs_test_1", "async_payment_succeeded")
    assert PaymentOutcome.CREDITED is await payments.hear("stripe", *arrived)
    assert PAID == await entries.balance(ada)


@pytest.mark.parametrize(
    ("kind", "state"),
    [("expired", PaymentState.EXPIRED), ("async_payment_failed", PaymentState.FAILED)],
)
@pytest.mark.asyncio
async def test_what_comes_to_nothing_is_noted(payments, begin, user, double, entries, kind, state):
    """So the page stops waiting."""
    ada = await user()
    payment, _ = await begin(ada)
    assert PaymentOutcome.NOTED is await payments.hear("stripe", *double.later("cs_test_1", kind))
    assert (state, 0) == (
        (await payments.find(payment.reference, ada)).state,
        await entries.balance(ada),
    )


@pytest.mark.asyncio
async def test_a_refund_that_fails_later_is_told_the_operator(
    payments, begin, user, double, entries
):
    """The money is theirs again, and how the payer gets it is theirs to say."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    await payments.hear("stripe", *double.refund("cs_test_1", 1000))
    refund = {
        "object": "refund", "metadata": {}, "amount": 1000, "status": "failed",
        "payment_intent": double.sessions["cs_test_1"]["session"]["payment_intent"],
    }  # fmt: skip
    with capture_logs() as logs:
        event = double.event("charge-refunded", "refund.failed", refund)
        assert PaymentOutcome.NOTED is await payments.hear("stripe", *event)
    (said,) = (line for line in logs if line["event"] == "payment_refund_failed")
    assert 1000 == said["amount"]
    assert PAID - 10 * NANOS == await entries.balance(ada)


@pytest.mark.parametrize(
    "changed",
    [
        {"amount_total": 2499},
        {"amount_total": 250_000},
        {"amount_total": None},
        {"currency": "eur"},
        {"currency": "jpy"},
        {"id": "cs_test_other"},
    ],
)
@pytest.mark.asyncio
async def test_what_was_not_asked_for_is_held(payments, begin, user, double, entries, changed):
    """Another amount, currency or session: an operator decides, nothing is booked."""
    ada = await user()
    payment, _ = await begin(ada)
    with capture_logs() as logs:
        assert PaymentOutcome.HELD is await payments.hear(
            "stripe", *double.pay("cs_test_1", **changed)
        )
    assert "payment_held" in [line["event"] for line in logs]
    assert PaymentState.HELD is (await payments.find(payment.reference, ada)).state
    assert PaymentOutcome.STALE is await payments.hear("stripe", *double.pay("cs_test_1"))
    assert 0 == await entries.balance(ada)


@pytest.mark.asyncio
async def test_an_event_about_somebody_elses_payment_is_unknown(payments, user, double, entries):
    """Another gateway, or a shop, may use the same Stripe account."""
    await user()
    double.create("k", "mode=payment&success_url=x&cancel_url=x&client_reference_id=tp_other"
                  "&metadata[trivium_payment]=tp_other&line_items[0][price_data][unit_amount]=2500"
                  "&line_items[0][price_data][currency]=usd"
                  "&payment_intent_data[metadata][trivium_payment]=tp_other")  # fmt: skip
    events = [
        double.pay("cs_test_1"),
        double.refund("cs_test_1", 1),
        double.pay("cs_test_1", metadata={}),
        double.pay("cs_test_1", metadata=None, id=""),
        double.dispute("cs_test_1"),
    ]
    outcomes = {await payments.hear("stripe", *event) for event in events}
    assert ({PaymentOutcome.UNKNOWN}, []) == (outcomes, await entries.verify())


@pytest.mark.asyncio
async def test_an_event_of_no_interest_is_ignored(payments, double):
    """Providers send more than was registered for."""
    event = double.event("account-updated", "account.updated", {})
    assert PaymentOutcome.IGNORED is await payments.hear("stripe", *event)


@pytest.mark.asyncio
async def test_a_forged_event_changes_nothing(payments, begin, user, double, entries):
    """Not even that it was heard: the real one still counts."""
    ada = await user()
    await begin(ada)
    body, headers = double.pay("cs_test_1")
    with pytest.raises(PaymentError) as caught:
        await payments.hear("stripe", body, {**headers, "stripe-signature": "t=1,v1=00"})
    assert (PaymentRefusal.FORGED, 0) == (caught.value.why, await entries.balance(ada))
    assert PaymentOutcome.CREDITED is await payments.hear("stripe", body, headers)


@pytest.mark.asyncio
async def test_a_refund_takes_back_what_was_given_back(
    payments, begin, user, double, entries, database
):
    """Each part once, below zero if it was spent already."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    await entries.book(ada, EntryKind.ADJUSTMENT, -PAID)
    part = double.refund("cs_test_1", 1000)
    assert [PaymentOutcome.REFUNDED, PaymentOutcome.DUPLICATE] == [
        await payments.hear("stripe", *part) for _ in range(2)
    ]
    assert PaymentOutcome.REFUNDED is await payments.hear(
        "stripe", *double.refund("cs_test_1", 1500)
    )
    assert [
        ("refund", -10 * NANOS, "stripe:cs_test_1:refund:1000"),
        ("refund", -15 * NANOS, "stripe:cs_test_1:refund:2500"),
    ] == (await booked(database))[2:]
    assert (-PAID, [], []) == (
        await entries.balance(ada),
        await entries.verify(),
        await verify(database),
    )


@pytest.mark.asyncio
async def test_more_than_was_paid_is_never_taken_back(payments, begin, user, double, entries):
    """Whatever an event says."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    await payments.hear("stripe", *double.refund("cs_test_1", 999_999))
    assert 0 == await entries.balance(ada)


@pytest.mark.parametrize("changed", [{"currency": "eur"}, {"amount_refunded": None}])
@pytest.mark.asyncio
async def test_a_refund_that_cannot_be_read_is_left_to_the_operator(
    payments, begin, user, double, entries, changed
):
    """An amount in another currency is not ours to convert."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    with capture_logs() as logs:
        outcome = await payments.hear("stripe", *double.refund("cs_test_1", 500, **changed))
    assert (PaymentOutcome.HELD, PAID) == (outcome, await entries.balance(ada))
    assert "payment_refund_unread" in [line["event"] for line in logs]


@pytest.mark.asyncio
async def test_a_refund_is_found_by_the_charge_when_it_does_not_name_us(
    payments, begin, user, double, entries
):
    """A charge whose metadata somebody removed in Stripe's dashboard."""
    ada = await user()
    await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    assert PaymentOutcome.REFUNDED is await payments.hear(
        "stripe", *double.refund("cs_test_1", 500, metadata={})
    )
    assert PAID - 5 * NANOS == await entries.balance(ada)


@pytest.mark.asyncio
async def test_a_dispute_is_told_to_the_operator(payments, begin, user, double, entries, audit):
    """In the log, in the audit log and on the payment; the balance is theirs to decide."""
    ada = await user()
    payment, _ = await begin(ada)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    with capture_logs() as logs:
        assert PaymentOutcome.NOTED is await payments.hear("stripe", *double.dispute("cs_test_1"))
    lost = double.dispute("cs_test_1", "closed", "lost")
    assert PaymentOutcome.NOTED is await payments.hear("stripe", *lost)
    assert [("payment_disputed", "fraudulent, needs_response")] == [
        (line["event"], line["note"]) for line in logs if line["log_level"] == "warning"
    ]
    acts = [act.detail for act in await audit.of_user(ada) if act.kind == "top_up_disputed"]
    assert ["lost" in detail for detail in acts] == [True, False]
    found = await payments.find(payment.reference, ada)
    assert (True, PaymentState.PAID, PAID) == (
        found.disputed_at is not None,
        found.state,
        await entries.balance(ada),
    )


@pytest.mark.asyncio
async def test_who_topped_up_is_told(payments, begin, user, double, audit):
    """Begun by the user, from their address; paid by nobody who is logged in."""
    ada = await user()
    payment, _ = await begin(ada, address="192.0.2.7", agent="Browser", app_id=3)
    await payments.hear("stripe", *double.pay("cs_test_1"))
    await payments.hear("stripe", *double.refund("cs_test_1", 100))
    assert [
        ("top_up_refunded", None, "stripe", '{"amount":"1.00"}'),
        ("top_up_paid", None, "stripe", '{"amount":"25.00"}'),
        ("top_up_started", ada, "Browser", '{"amount":"25.00","app":3}'),
    ] == [(a.kind, a.actor_id, a.agent, a.detail) for a in await audit.of_user(ada)]
    assert {payment.reference} == {act.what for act in await audit.of_user(ada)}


@pytest.mark.parametrize("nanos", [0, -PAID, 5 * NANOS - 1, 500 * NANOS + 10**7, PAID + 1])
@pytest.mark.asyncio
async def test_an_amount_out_of_bounds_is_not_begun(payments, begin, user, double, nanos):
    """Too little, too much, or a fraction of a cent."""
    ada = await user()
    with pytest.raises(PaymentError) as caught:
        await begin(ada, nanos)
    assert (PaymentRefusal.AMOUNT, [], []) == (
        caught.value.why,
        double.requests,
        await payments.newest(ada),
    )


@pytest.mark.asyncio
async def test_a_user_begins_only_so_many(begin, user, clock):
    """Each is a page at the provider; after an hour there may be more, and others are not hit."""
    ada, bob = await user("ada"), await user("bob")
    for _ in range(BEGUN_MAX):
        await begin(ada)
    with pytest.raises(PaymentError) as caught:
        await begin(ada)
    assert PaymentRefusal.TOO_MANY is caught.value.why
    await begin(bob)
    clock.advance(HOUR_S + 1)
    await begin(ada)


@pytest.mark.asyncio
async def test_a_payment_that_could_not_be_begun_is_closed(payments, begin, user, double):
    """And says so in the list."""
    ada = await user()
    double.fail = [400]
    with pytest.raises(PaymentError):
        await begin(ada)
    (payment,) = await payments.newest(ada)
    assert (PaymentState.FAILED, None) == (payment.state, payment.session_id)


@pytest.mark.asyncio
async def test_paid_though_the_answer_was_lost(payments, begin, user, double, entries, database):
    """The session exists at the provider, the gateway died before it noted its name."""
    ada = await user()
    payment, _ = await begin(ada)
    async with database.write() as conn:
        await conn.execute(text("UPDATE payments SET session_id = NULL, state = 'failed'"))
    assert PaymentOutcome.CREDITED is await payments.hear("stripe", *double.pay("cs_test_1"))
    assert (PAID, []) == (await entries.balance(ada), await verify(database))
    assert "cs_test_1" == (await payments.find(payment.reference, ada)).session_id


@pytest.mark.asyncio
async def test_nobody_sees_another_ones_payment(payments, begin, user):
    """By its reference, which may stand in a browser's history."""
    ada, bob = await user("ada"), await user("bob")
    payment, _ = await begin(ada)
    assert None is await payments.find(payment.reference, bob)
    assert None is await payments.find("tp_guess", ada)
    assert ([payment.reference], []) == (
        [p.reference for p in await payments.newest(ada)],
        await payments.newest(bob),
    )
    assert 1 == len(await payments.newest(state=PaymentState.OPEN))
    assert [] == await payments.newest(state=PaymentState.HELD)


@pytest.mark.asyncio
async def test_without_a_provider_nothing_is_begun_or_believed(database, clock, audit, double):
    """The page says whom to ask instead."""
    nothing = Payments(database, clock, audit, Limits(), None)
    assert None is nothing.provider
    for action in (
        nothing.begin(1, PAID, lambda r: (r, r)),
        nothing.hear("stripe", b"{}", {}),
    ):
        with pytest.raises(PaymentError) as caught:
            await action
        assert PaymentRefusal.NOT_CONFIGURED is caught.value.why


@pytest.mark.asyncio
async def test_a_booking_that_fails_leaves_the_event_unheard(
    payments, begin, user, double, entries, database
):
    """State, event and entry are one transaction, so the provider's repeat finds it undone."""
    ada = await user()
    await begin(ada)
    await entries.book(ada, EntryKind.ADJUSTMENT, 1, request_id="stripe:cs_test_1")
    event = double.pay("cs_test_1")
    with pytest.raises(Exception, match="booked already"):
        await payments.hear("stripe", *event)
    async with database.read() as conn:
        assert 0 == await conn.scalar(text("SELECT count(*) FROM payment_events"))
    assert PaymentState.OPEN is (await payments.newest(ada))[0].state
    assert 1 == await entries.balance(ada)
