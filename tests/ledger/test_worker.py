"""Holds, settlements and refusals of one worker, without any database."""

import asyncio
import contextlib
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from ledger.conftest import payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger import worker as module
from trivium.ledger.cost import tariff_of
from trivium.ledger.journal import Journal, read
from trivium.ledger.model import FREE, Hold, LeaseState, Quote
from trivium.ledger.worker import WorkerLedger
from trivium.routing.model import Model, PriceRow
from trivium.settings.budget import Budget, CounterId, Period
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts

ADA = payer(1)


@pytest.fixture
def made(tmp_path):
    """Makes ledgers on a folder."""
    journals = []

    def make(**more):
        journal = Journal(tmp_path, f"w{len(journals)}")
        journals.append(journal)
        ledger = WorkerLedger(journal, FixedClock(), **more)
        ledger.trusted_until = float("inf")
        return ledger

    yield make
    for journal in journals:
        journal.close(keep=True)


@pytest.fixture
def ledger(made):
    return made()


def noted(folder):
    """What the journals say."""
    return read(path.read_bytes() for path in sorted(folder.glob("*.journal")))


async def leased(ledger, amount, caller=ADA, request_id="r0", ask=1, pool=None):
    """A first hold, after a turn that leases so much."""
    task = asyncio.ensure_future(ledger.lease(request_id, caller, quote(ask)))
    await asyncio.sleep(0)
    assert ledger.asked.is_set()
    ledger.begin([], ledger.touched())
    ledger.confirm([], {caller.payer_id: LeaseState(amount, amount if pool is None else pool)})
    return await task


@pytest.mark.asyncio
async def test_the_first_request_of_an_account_waits_for_a_lease(ledger, tmp_path):
    """The next ones do not."""
    assert None is ledger.hold("r0", ADA, quote(10))
    hold = await leased(ledger, 25, ask=10)
    assert ("r0", 1, 10) == (hold.request_id, hold.user_id, hold.amount_nanos)
    assert "r1" == ledger.hold("r1", ADA, quote(15)).request_id
    assert None is ledger.hold("r2", ADA, quote(1))
    assert {"r0", "r1"} == noted(tmp_path).holds.keys()
    assert 2 == ledger.running


@pytest.mark.asyncio
async def test_a_settlement_frees_the_rest_and_is_explained(ledger, tmp_path):
    """It is in the journal when the call returns, and can be reckoned again from its detail."""
    hold = await leased(ledger, 100, ask=100)
    assert 12 == ledger.settle(hold, Usage(fresh=7, output=5, estimated=True), "caller_left")
    assert 88 == ledger.hold("r1", ADA, quote(88)).amount_nanos
    (settled,) = ledger.batch(10)
    assert settled == noted(tmp_path).settlements["r0"]
    assert ("r0", 1, 12, "") == (
        settled.request_id, settled.user_id, settled.cost_nanos, settled.note,
    )  # fmt: skip
    assert {
        "model": "m",
        "prices": {"input": "0.001", "output": "0.001"},
        "key": 5,
        "end": "caller_left",
        "usage": {"fresh": 7, "output": 5, "estimated": True},
    } == msgspec.json.decode(settled.detail)


@pytest.mark.asyncio
async def test_a_hold_is_settled_once(ledger):
    """Whatever is said the second time."""
    hold = await leased(ledger, 100, ask=100)
    assert 5 == ledger.settle(hold, Usage(output=5))
    assert 0 == ledger.settle(hold, Usage(output=5))
    assert 0 == ledger.settle(hold, None)
    assert (1, 0) == (ledger.waiting, ledger.running)


@pytest.mark.asyncio
async def test_what_costs_nothing_is_released(ledger, tmp_path):
    """No entry, and no interrupted one after a kill either."""
    hold = await leased(ledger, 100, ask=100)
    assert 0 == ledger.settle(hold, None, "upstream_broke")
    assert ([], {}, {}) == (ledger.batch(9), noted(tmp_path).holds, noted(tmp_path).settlements)
    assert 100 == ledger.hold("r1", ADA, quote(100)).amount_nanos


@pytest.mark.asyncio
async def test_a_cost_above_the_hold_is_charged_whole(ledger):
    """And the lease it ran over is not spent again."""
    hold = await leased(ledger, 100, ask=60)
    assert 130 == ledger.settle(hold, Usage(output=130))
    assert None is ledger.hold("r1", ADA, quote(1))


@pytest.mark.asyncio
async def test_an_account_that_cannot_pay_is_refused(ledger):
    """With what it would take; for a moment without another turn, and then asked anew."""
    with pytest.raises(Fault, match=r"up to 0\.00000001 USD") as caught:
        await leased(ledger, 0, ask=10)
    assert (Kind.BALANCE_TOO_LOW, 429, "insufficient_quota") == (
        caught.value.kind, caught.value.status, caught.value.code,
    )  # fmt: skip
    ledger.asked.clear()
    with pytest.raises(Fault):
        await ledger.lease("r1", ADA, quote(10))
    assert not ledger.asked.is_set()
    ledger._clock.advance(1.0)
    assert "r2" == (await leased(ledger, 10, ask=10, request_id="r2")).request_id


@pytest.mark.asyncio
async def test_fifty_at_once_on_a_balance_for_one(ledger):
    """The first in line is served, all others are refused."""
    tasks = [asyncio.ensure_future(ledger.lease(f"r{n}", ADA, quote(10))) for n in range(50)]
    await asyncio.sleep(0)
    (wanted,) = ledger.begin([], ledger.touched()).values()
    assert 500 == wanted.need
    ledger.confirm([], {1: LeaseState(15, 15)})
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert "r0" == results[0].request_id
    assert 49 == sum(isinstance(result, Fault) for result in results)


@pytest.mark.asyncio
async def test_who_comes_while_a_turn_is_under_way_is_asked_for_in_the_next(ledger):
    """It is no reason to refuse that a turn did not know of it."""
    first = asyncio.ensure_future(ledger.lease("r0", ADA, quote(10)))
    await asyncio.sleep(0)
    assert 10 == ledger.begin([], ledger.touched())[1].need
    late = [asyncio.ensure_future(ledger.lease(f"r{n}", ADA, quote(10))) for n in (1, 2)]
    await asyncio.sleep(0)
    ledger.asked.clear()
    ledger.confirm([], {1: LeaseState(20, 1000)})
    assert "r0" == (await first).request_id
    assert "r1" == (await late[0]).request_id
    assert not late[1].done()
    assert ledger.asked.is_set()
    assert 30 == ledger.begin([], ledger.touched())[1].need
    ledger.confirm([], {1: LeaseState(30, 1000)})
    assert "r2" == (await late[1]).request_id


@pytest.mark.asyncio
async def test_nobody_overtakes_those_who_wait(ledger):
    """While somebody waits for an account, others line up behind."""
    hold = await leased(ledger, 10, ask=10)
    task = asyncio.ensure_future(ledger.lease("r1", ADA, quote(8)))
    await asyncio.sleep(0)
    ledger.begin([], ledger.touched())
    ledger.settle(hold, None)
    assert None is ledger.hold("r2", ADA, quote(1))
    ledger.confirm([], {1: LeaseState(10, 10)})
    assert "r1" == (await task).request_id


@pytest.mark.parametrize("granted_first", [False, True])
@pytest.mark.asyncio
async def test_a_caller_that_leaves_while_it_waits_holds_nothing(ledger, granted_first):
    """Also when the grant and the departure fall together."""
    task = asyncio.ensure_future(ledger.lease("r0", ADA, quote(10)))
    await asyncio.sleep(0)
    if granted_first:
        ledger.confirm([], {1: LeaseState(10, 10)})
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if not granted_first:
        ledger.confirm([], {1: LeaseState(10, 10)})
    assert "r1" == ledger.hold("r1", ADA, quote(10)).request_id


@pytest.mark.asyncio
async def test_a_turn_that_fails_is_told_to_those_who_wait(ledger):
    """They may try again; what others have leased stays good."""
    hold = await leased(ledger, 10, ask=5)
    task = asyncio.ensure_future(ledger.lease("r1", ADA, quote(50)))
    await asyncio.sleep(0)
    ledger.fail(ledger.touched())
    with pytest.raises(Fault) as caught:
        await task
    assert (Kind.LEDGER_DOWN, 503) == (caught.value.kind, caught.value.status)
    assert "r2" == ledger.hold("r2", ADA, quote(5)).request_id
    ledger.settle(hold, None)


@pytest.mark.asyncio
async def test_leases_are_not_relied_on_for_ever(ledger):
    """Without a turn for too long others may have been given them."""
    await leased(ledger, 100)
    ledger.trusted_until = ledger._clock.monotonic() - 1
    assert None is ledger.hold("r1", ADA, quote(1))


def test_what_waits_to_be_booked_is_bounded(ledger, monkeypatch):
    """No lease ends the requests of an unlimited account while the database is away."""
    monkeypatch.setattr(module, "WAITING_MAX", 3)
    boss = payer(2, unlimited=True)
    for number in range(3):
        ledger.settle(ledger.hold(f"r{number}", boss, quote(10)), Usage(fresh=1))
    with pytest.raises(Fault) as refused:
        ledger.hold("r3", boss, quote(10))
    assert Kind.LEDGER_DOWN is refused.value.kind
    assert FREE is ledger.hold("r4", boss, FREE).quote
    ledger.confirm(ledger.batch(1), {})
    assert ledger.hold("r5", boss, quote(10))


def test_an_unlimited_account_needs_no_lease(ledger, tmp_path):
    """What it uses is booked like any other."""
    boss = payer(2, unlimited=True)
    hold = ledger.hold("r1", boss, quote(10**15))
    assert 7 == ledger.settle(hold, Usage(output=7))
    assert {"r1"} == noted(tmp_path).settlements.keys()
    assert {} == ledger.begin(ledger.batch(9), set())


def test_what_is_free_is_neither_noted_nor_booked(ledger, tmp_path):
    """A balance of zero will do."""
    model = Model(name="m", bindings=(), free=True)
    found = ledger.quote(ADA, model, Operation.CHAT, RequestFacts(model="m"), 100)
    hold = ledger.hold("r1", ADA, found)
    assert (FREE, 0) == (found, ledger.settle(hold, Usage(output=9)))
    assert (0, 0, {}) == (ledger.waiting, ledger.running, noted(tmp_path).holds)


def test_groups_can_be_changed(ledger):
    """A reload puts other multipliers in force."""
    price = {"input": Decimal(1), "output": Decimal(1)}
    model = Model(name="m", bindings=(), prices=(PriceRow(price=price),))
    student = payer(1)
    student.group = "students"
    args = (student, model, Operation.CHAT, RequestFacts(model="m", output_max=0), 100)
    before = ledger.quote(*args).amount_nanos
    ledger.regroup({"students": Fraction(1, 2)})
    assert before == 2 * ledger.quote(*args).amount_nanos


@pytest.mark.parametrize(("policy", "nanos"), [("free", 0), ("input", 33), ("hold", 100)])
def test_a_hold_says_what_it_costs_if_nobody_settles_it(made, tmp_path, policy, nanos):
    """By the policy in force when it was made."""
    ledger = made(interrupted=policy)
    ledger.hold("r1", payer(2, unlimited=True), quote(100, input_tokens=33))
    (found,) = noted(tmp_path).holds.values()
    assert nanos == found.interrupted_nanos
    assert {"model": "m", "key": 5, "end": "interrupted"} == msgspec.json.decode(found.detail)


def dear(amount, **more):
    """A quote of another model, at twice the price."""
    price = {"input": Decimal("0.002"), "output": Decimal("0.002")}
    tariff = tariff_of("dear", PriceRow(price=price))
    return Quote(amount_nanos=amount, tariff=tariff, **more)


@pytest.mark.parametrize(("policy", "nanos"), [("free", 0), ("input", 66), ("hold", 70)])
@pytest.mark.parametrize("carried", [False, True])
def test_a_model_that_stands_in_is_noted_with_its_own_prices(
    made, tmp_path, policy, nanos, carried
):
    """In the place of the first, also in a journal that has been carried on; booked once."""
    ledger = made(interrupted=policy)
    hold = ledger.hold("r1", payer(2, unlimited=True), quote(100, input_tokens=33))
    other = ledger.hand_over(hold, dear(70, input_tokens=33))
    if carried:
        ledger.carry_on()
    (found,) = noted(tmp_path).holds.values()
    assert (nanos, "dear") == (
        found.interrupted_nanos, msgspec.json.decode(found.detail)["model"],
    )  # fmt: skip
    assert 100 == other.amount_nanos
    assert 2 * 5 == ledger.settle(other, Usage(output=5))
    assert ({}, {"r1"}) == (noted(tmp_path).holds, noted(tmp_path).settlements.keys())


@pytest.mark.parametrize(("own", "policy", "nanos"), [
    (40, "hold", 40), (40, "input", 33), (0, "hold", 0), (0, "input", 0),
])  # fmt: skip
def test_what_is_held_for_others_is_not_what_an_interrupted_one_costs(
    made, tmp_path, own, policy, nanos
):
    """A free model costs nothing, whatever is held for those that may stand in."""
    ledger = made(interrupted=policy)
    asked = quote(100, input_tokens=33, own_nanos=own)
    ledger.hold("r1", payer(2, unlimited=True), asked)
    (found,) = noted(tmp_path).holds.values()
    assert nanos == found.interrupted_nanos


@pytest.mark.asyncio
async def test_a_model_that_cannot_be_noted_is_not_asked(ledger, tmp_path, full_disk):
    """The hold stays as it was, until the request has failed."""
    hold = await leased(ledger, 100, ask=50)
    with full_disk(), pytest.raises(Fault) as caught:
        ledger.hand_over(hold, dear(70))
    assert Kind.INTERNAL is caught.value.kind
    assert 0 == ledger.settle(hold, None)
    assert ({}, 0) == (noted(tmp_path).holds, ledger.running)
    assert 100 == ledger.hold("r1", ADA, quote(100)).amount_nanos


def test_what_is_settled_already_is_not_noted_again(ledger, tmp_path):
    """A note behind the end would be a request that nobody settles."""
    hold = ledger.hold("r1", payer(2, unlimited=True), quote(10))
    ledger.settle(hold, Usage(output=1))
    ledger.hand_over(hold, dear(70))
    assert {} == noted(tmp_path).holds


@pytest.fixture
def full_disk(monkeypatch):
    """A journal's writes fail as long as it lasts."""

    def no_space(fd, data):
        raise OSError(28, "No space left on device")

    @contextlib.contextmanager
    def full():
        with monkeypatch.context() as patch:
            patch.setattr("trivium.ledger.journal.os.write", no_space)
            yield

    return full


@pytest.mark.asyncio
async def test_a_request_that_cannot_be_noted_is_not_served(ledger, capsys, full_disk):
    """Its hold is given back; one log line, whatever the number of requests."""
    first = await leased(ledger, 100, ask=50)
    with full_disk():
        for number in range(3):
            with pytest.raises(Fault) as caught:
                ledger.hold(f"x{number}", ADA, quote(50))
            assert Kind.INTERNAL is caught.value.kind
        assert 9 == ledger.settle(first, Usage(output=9))
    assert "r1" == ledger.hold("r1", ADA, quote(50)).request_id
    assert 1 == ledger.waiting
    said = capsys.readouterr().out
    assert 1 == said.count("journal_failed")
    assert 1 == said.count("journal_flows_again")


@pytest.mark.asyncio
async def test_an_account_with_nothing_left_is_forgotten(ledger):
    """A million users once seen are not a million objects."""
    hold = await leased(ledger, 10, ask=10)
    ledger.settle(hold, Usage(output=10))
    batch = ledger.batch(9)
    assert {1} == ledger.begin(batch, set()).keys()
    ledger.confirm(batch, {1: LeaseState(0, 0)})
    assert {} == ledger._accounts
    assert set() == ledger.leased()


@pytest.mark.asyncio
async def test_a_lease_is_renewed_ahead_of_need(ledger):
    """Before it is used up, and not with every request."""
    await leased(ledger, 100, ask=10)
    ledger.asked.clear()
    asked = []
    for number in range(8):
        ledger._clock.advance(0.3)
        ledger.hold(f"r{number + 1}", ADA, quote(10))
        asked.append(ledger.asked.is_set())
        ledger.asked.clear()
    assert not asked[0]
    assert asked[-1]


@pytest.mark.asyncio
async def test_what_is_leased_ahead_can_be_given_back(ledger):
    """For a hold that is a row; what running requests hold stays leased."""
    await leased(ledger, 100, ask=10)
    giving = asyncio.ensure_future(ledger.spare(Hold("r", ADA.payer_id, 90), None))
    await asyncio.sleep(0)
    assert ledger.asked.is_set()
    wanted = ledger.begin([], ledger.touched())[ADA.payer_id]
    assert (10, 10, 0, 90) == (wanted.keep, wanted.need, wanted.ahead, wanted.room)
    ledger.confirm([], {ADA.payer_id: LeaseState(10, 100)})
    await giving


@pytest.mark.asyncio
async def test_room_for_a_row_is_waited_for_while_others_may_make_it(ledger):
    """And no longer when nobody has anything to give back."""
    making = asyncio.ensure_future(ledger.spare(Hold("r", ADA.payer_id, 90), None))
    await asyncio.sleep(0)
    assert 0 == ledger.begin([], ledger.touched())[ADA.payer_id].round
    ledger.confirm([], {ADA.payer_id: LeaseState(0, 60, 40, is_final=False, round=7)})
    await asyncio.sleep(0)
    assert not making.done()
    assert 7 == ledger.begin([], {ADA.payer_id})[ADA.payer_id].round
    ledger.confirm([], {ADA.payer_id: LeaseState(0, 89, 11, round=7)})
    await making


@pytest.mark.asyncio
async def test_a_hold_grows_as_far_as_the_lease_goes(made, tmp_path):
    """What it grew to is freed with it, and is what a dead worker's request costs at most."""
    ledger = made(interrupted="hold")
    hold = await leased(ledger, 100, ask=40)
    grown = ledger.extend(hold, 50)
    assert (90, "r0", 90) == (
        grown.amount_nanos, grown.request_id, noted(tmp_path).holds["r0"].interrupted_nanos,
    )  # fmt: skip
    assert None is ledger.extend(grown, 11)
    assert None is ledger.hold("r1", ADA, quote(11))
    assert 3 == ledger.settle(grown, Usage(output=3))
    assert 97 == ledger.hold("r1", ADA, quote(97)).amount_nanos


@pytest.mark.asyncio
async def test_a_hold_grows_without_an_account_where_none_is_needed(ledger):
    """Of the unlimited, and of what is free."""
    hold = ledger.hold("r0", payer(2, unlimited=True), quote(10))
    assert 30 == ledger.extend(hold, 20).amount_nanos
    free = ledger.hold("r1", ADA, FREE)
    assert free is ledger.extend(free, 20)


@pytest.mark.asyncio
async def test_a_hold_does_not_grow_where_it_cannot_be_noted(ledger, full_disk):
    """Nothing stays held for it."""
    hold = await leased(ledger, 100, ask=40)
    with full_disk():
        assert None is ledger.extend(hold, 50)
    assert 100 == ledger.extend(hold, 60).amount_nanos


@pytest.mark.asyncio
async def test_what_counts_is_found_again_after_it_was_given_back(ledger):
    """Allowances that are used up are removed; budgets are counted with new ones then, soft ones,
    too.
    """
    hard = Budget(amount_nanos=50, period=Period.TOTAL, scope="team:1")
    soft = Budget(amount_nanos=9, period=Period.TOTAL, scope="key:5", soft=True)
    budgets = (hard, soft)
    counters = tuple(CounterId(each.scope, "total", 0) for each in budgets)
    for number in range(3):
        assert None is ledger.hold(f"r{number}", ADA, quote(10), budgets)
        asking = asyncio.ensure_future(ledger.lease(f"r{number}", ADA, quote(10), budgets))
        for _ in range(2):  # it waits for both at once
            await asyncio.sleep(0)
        ledger.begin([], ledger.touched())
        ledger.confirm([], {ADA.payer_id: LeaseState(10, 90), counters[0]: LeaseState(10, 50)})
        hold = await asking
        assert counters == hold.counters
        assert 4 == ledger.settle(hold, Usage(output=4))
        batch = ledger.batch(10)
        wanted = ledger.begin(batch, ledger.touched())
        assert {ADA.payer_id, *counters} == wanted.keys()
        ledger.confirm(batch, dict.fromkeys(wanted, LeaseState(0, 0)))
    assert {} == ledger._accounts
