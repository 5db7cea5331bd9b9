"""What is set aside for several requests at once changes nothing of what is let in and booked.

The model knows no such thing: it holds each request of each account and budget by itself, as they
are shared between keys, edited, begin anew and lose or win members. After any interleaving the
worker has let in what the model would have, to the request, and knows the same of each.
"""

import asyncio
import contextlib
import itertools
import random

import pytest

from ledger.conftest import payer, quote
from trivium.clock import FixedClock
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.ledger.allowance import Allowance
from trivium.ledger.covering import AHEAD, SHARE, Covering
from trivium.ledger.journal import Journal, read
from trivium.ledger.leases.store import Lease, stands
from trivium.ledger.model import LeaseState
from trivium.ledger.worker import WorkerLedger
from trivium.settings.budget import UNCOUNTED, Budget, CounterId, Period, PeriodClock

DAY_S = 86_400
NOON = 1_790_000_000 // DAY_S * DAY_S + DAY_S // 2


def budget(scope, amount=10**6, *, soft=False, period=Period.DAY):
    return Budget(amount_nanos=amount, period=period, scope=scope, whose=scope, soft=soft)


def lent(*leased):
    """What covers requests, with accounts of so much each."""
    accounts = []
    for number, amount in enumerate(leased):
        account = Allowance(number, 0.0)
        account.leased = amount
        accounts.append(account)
    return Covering((), UNCOUNTED, 1, True, accounts, [], 0)


def test_the_least_of_all_decides():
    """Of the first request nothing is set aside beyond it."""
    covering = lent(100, 30, 70)
    assert not covering.set_aside(31)
    assert [0, 0, 0] == [account.held for account in covering.hard]
    assert covering.set_aside(30)
    covering.hold(30)
    assert [30, 30, 30] == [account.held for account in covering.hard]
    assert 0 == covering.room


def test_as_much_as_was_asked_for_is_set_aside_ahead():
    """So that the next requests look at one number; never most of what is free."""
    covering = lent(8_000, 10**9)
    held = []
    for _ in range(400):
        if covering.room < 10:
            covering.set_aside(10)
        covering.hold(10)
        held.append(covering.hard[0].held)
    assert [10, 30, 70, 150] == sorted(set(held))[:4]
    steps = [after - before for before, after in itertools.pairwise(held) if after > before]
    assert max(steps) <= 10 * (AHEAD + 1)
    assert len(steps) < 60
    free = 8_000 - held[-1]
    assert covering.room <= 10 * AHEAD
    assert covering.room <= (free + covering.room) // SHARE + 10


def test_nobody_is_passed_by_who_waits():
    """Also not with what was set aside before."""
    covering = lent(100, 100)
    assert covering.set_aside(10)
    covering.hold(10)
    covering.give_back(10, 0)
    covering.hard[1].waiting.append(None)
    assert not covering.set_aside(10)


@pytest.mark.parametrize("has_budgets", [True, False])
def test_costs_above_their_holds_come_before_what_was_set_aside(tmp_path, has_budgets):
    """Of another key's, with budgets or without: what a team has left is not let in twice."""
    ledger = WorkerLedger(Journal(tmp_path, "one"), FixedClock(now=NOON))
    team, own = budget("team:1"), (budget("key:6"),) if has_budgets else ()
    one, other = (payer(1), (team, budget("key:5"))), (payer(1), (team, *own) if own else ())
    ledger.hold("r0", one[0], quote(1), one[1])
    ledger.hold("r1", other[0], quote(1), other[1])
    holders = {*ledger._accounts, 1}
    wishes = ledger.begin([], holders)
    ledger.trusted_until = 1e18
    ledger.confirm([], {of: LeaseState(200, 200) for of in wishes})
    assert all(ledger.hold(f"a{number}", one[0], quote(10), one[1]) for number in range(4))
    dear = ledger.hold("b1", other[0], quote(10), other[1])
    assert ledger._changed
    assert any(covering.room >= 10 for covering in ledger._changed)
    ledger.settle(dear, Usage(output=155))
    assert ledger.hold("a5", one[0], quote(10), one[1]) is None
    assert ledger.hold("a6", one[0], quote(5), one[1]) is not None


class Model:
    """Each hold and each cost by itself."""

    def __init__(self):
        self.held = {}
        self.spent = {}

    def free(self, ledger, holder):
        account = ledger._accounts.get(holder)
        leased = 0 if account is None else account.leased
        return leased - self.held.get(holder, 0) - self.spent.get(holder, 0)

    def add(self, of, holders, amount):
        for holder in holders:
            of[holder] = of.get(holder, 0) + amount


class World:
    """One worker, a database that is a dictionary, and keys that share budgets."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.clock = FixedClock(now=NOON)
        self.folder = folder
        self.ledger = WorkerLedger(Journal(folder, "one"), self.clock)
        self.model, self.open, self.booked, self.done = Model(), {}, {}, {}
        self.leases, self.turn, self.asking = {}, None, {}
        self.count = 0
        self.overrun = self.random.choice([1, 1.7, 9])
        self.periods = PeriodClock()
        team = [budget(f"team:{number}") for number in range(4)]
        soft = budget("team:9", 50, soft=True)
        total = budget("key:5", 3_000, period=Period.TOTAL)
        self.keys = [
            (payer(1), tuple(team)),
            (payer(1), (*team[:2], soft)),
            (payer(1), (team[3], total)),
            (payer(2, unlimited=True), (team[0], soft)),
            (payer(2, unlimited=True), (soft,)),
            (payer(1), ()),
            (payer(3), (team[1], team[2])),
        ]

    def holders(self, key, *, hard):
        """What a request of a key is held of, or counted against, now."""
        who, budgets = key
        counted = self.periods.counted(budgets, self.clock.now())
        pairs = zip(counted.counters, budgets, strict=True)
        of = [] if who.unlimited else [who.payer_id]
        return of + [counter for counter, each in pairs if not (hard and each.soft)]

    # --- what may happen ------------------------------------------------------------------------

    def hold(self):
        """As the model says, and as the ledger does."""
        key = self.random.choice(self.keys)
        amount = self.random.choice([0, 1, 5, 5, 5, 5, 20, 90])
        hard, every = (self.holders(key, hard=hard) for hard in (True, False))
        self.count += 1
        name = f"r{self.count}"
        held = self.ledger.hold(name, key[0], quote(amount), key[1])
        is_free = all(self.model.free(self.ledger, of) >= amount for of in hard)
        # whoever nobody leased for is looked at the first time; nothing was ever heard of it
        known = key[1] or key[0].unlimited or key[0].payer_id in self.ledger._accounts
        is_awaited = any(self.waits(of) for of in hard)
        is_trusted = self.clock.monotonic() <= self.ledger.trusted_until
        may = is_free and known and is_trusted and not is_awaited
        if not key[1] and key[0].unlimited:
            may = True
        assert may == (held is not None), (name, amount, hard)
        if held is None:
            self.ledger.touch(every)
            if self.random.random() < 0.7:
                self.begin()
                self.confirm()
            return
        self.model.add(self.model.held, hard, amount)
        self.open[name] = held, hard, every

    def waits(self, of):
        """Whether somebody waits for it."""
        account = self.ledger._accounts.get(of)
        return account is not None and bool(account.waiting)

    def ask(self):
        """Somebody waits for more, and whoever comes later does not go first."""
        keys = [key for key in self.keys if 1 == len(self.holders(key, hard=True))]
        if not keys or len(self.asking) > 3:
            return
        key = self.random.choice(keys)
        hard, every = (self.holders(key, hard=hard) for hard in (True, False))
        self.count += 1
        name = f"r{self.count}"
        asked = self.ledger.lease(name, key[0], quote(self.random.choice([1, 5, 40])), key[1])
        self.asking[name] = asyncio.ensure_future(asked), hard, every

    def answered(self):
        """Whoever waited and was told."""
        for name, (asked, hard, every) in [*self.asking.items()]:
            if not asked.done():
                continue
            del self.asking[name]
            with contextlib.suppress(Fault):
                held = asked.result()
                self.model.add(self.model.held, hard, held.amount_nanos)
                self.open[name] = held, hard, every

    def end(self):
        """With what it costs, often less than held and sometimes more, or nothing."""
        if not self.open:
            return
        name = self.random.choice(list(self.open))
        held, hard, every = self.open.pop(name)
        self.model.add(self.model.held, hard, -held.amount_nanos)
        part = self.random.choice([0, 0.1, 0.3, 0.3, 1, 1, 1, self.overrun, None])
        if part is None:
            assert 0 == self.ledger.settle(held, None)
            return
        cost = int(held.amount_nanos * part)
        assert cost == self.ledger.settle(held, Usage(output=cost))
        self.model.add(self.model.spent, every, cost)
        self.done[name] = cost, every

    def extend(self):
        """A little more, if all of them have it."""
        if not self.open:
            return
        name = self.random.choice(list(self.open))
        held, hard, every = self.open[name]
        more = self.random.choice([1, 7])
        longer = self.ledger.extend(held, more)
        is_free = all(self.model.free(self.ledger, of) >= more for of in hard)
        is_trusted = not hard or self.clock.monotonic() <= self.ledger.trusted_until
        is_awaited = any(self.waits(of) for of in hard)
        assert (is_free and is_trusted and not is_awaited) == (longer is not None)
        if longer is not None:
            self.model.add(self.model.held, hard, more)
            self.open[name] = longer, hard, every

    def begin(self):
        """A turn goes to the database."""
        if self.turn is not None:
            self.confirm()
        batch = self.ledger.batch(self.random.choice([0, 3, 1000]))
        holders = self.ledger.touched() if self.random.random() < 0.8 else self.ledger.urgent()
        wishes = self.ledger.begin(batch, holders)
        for of, wish in wishes.items():
            budget_of = self.ledger._accounts[of].budget
            # whoever was just granted what they waited for is not in the model yet
            if not self.asking and (budget_of is None or not budget_of.soft):
                costs = [self.done[each.request_id] for each in batch]
                booked = sum(cost for cost, every in costs if of in every)
                used = self.model.held.get(of, 0) + self.model.spent.get(of, 0) - booked
                assert used == wish.need - sum(wish.awaited), of
        self.turn = batch, wishes
        self.clock.advance(self.random.choice([0.01, 0.3, 1, 1]))

    def confirm(self):
        """And comes back: leases as the store sets them, with what others have of the same."""
        if self.turn is None:
            return
        (batch, wishes), self.turn = self.turn, None
        for settled in batch:
            cost, every = self.done.pop(settled.request_id)
            assert cost == settled.cost_nanos
            self.model.add(self.model.spent, every, -cost)
            for of in {settled.user_id, *every}:
                self.booked[of] = self.booked.get(of, 0) + cost
        standings = {}
        for of, wish in wishes.items():
            limit = wish.limit or 2_000
            had = self.leases.get(of, 0)
            others = self.random.choice([0, 0, 0, limit // 2])
            pool = limit - self.booked.get(of, 0) % 1_500 - others
            standing = stands(wish, Lease(had, 0, 0), pool)
            if self.random.random() < 0.8:  # what it is to be is the database's matter
                leased = wish.keep + self.random.choice([50, 300, 1_000])
                standing = LeaseState(leased, max(pool, leased), is_final=False)
            elif self.random.random() < 0.3:  # it was swept meanwhile, and others have it
                standing = LeaseState(self.random.randrange(wish.keep + 1), pool, is_final=False)
            self.leases[of] = standing.leased
            standings[of] = standing
        self.ledger.trusted_until = self.clock.monotonic() + 60
        self.ledger.confirm(batch, standings)

    def edit(self):
        """A budget of a key is changed, or a member goes elsewhere, with requests on their way."""
        place = self.random.randrange(len(self.keys))
        who, budgets = self.keys[place]
        if not budgets:
            return
        changed = list(budgets)
        at = self.random.randrange(len(changed))
        kind = self.random.randrange(4)
        scope, period = changed[at].scope, changed[at].period
        if kind == 0:
            changed[at] = budget(scope, self.random.choice([10, 300, 10**6]), period=period)
        elif kind == 1:
            changed[at] = budget(scope, 500, soft=not changed[at].soft, period=period)
        elif kind == 2 and len(changed) > 1:
            del changed[at]
        else:
            other = f"team:{self.random.randrange(6)}"
            if other not in {each.scope for each in changed}:
                changed.append(budget(other))
        self.keys[place] = who, tuple(changed)

    def midnight(self):
        """Every budget of a day begins anew; what runs counts where it was let in."""
        self.clock.advance(DAY_S)
        self.ledger.trusted_until = self.clock.monotonic() + 60

    def wait(self):
        """Time passes; leases may not be relied on for ever."""
        self.clock.advance(self.random.choice([0.2, 5, 20, 61]))

    # --- what is true at all times --------------------------------------------------------------

    def check(self, *, fold):
        """Nothing is used that is not set aside; and told, all is as the model has it."""
        if fold:
            self.ledger.fold()
        for of, account in self.ledger._accounts.items():
            held, spent = self.model.held.get(of, 0), self.model.spent.get(of, 0)
            if fold:
                assert (held, spent) == (account.held, account.spent), of
            else:
                assert account.held + account.spent >= held + spent, of
        if fold:
            known = self.ledger._accounts.keys()
            assert not [of for of, spent in self.model.spent.items() if spent and of not in known]
            assert not [of for of, held in self.model.held.items() if held and of not in known]

    def kill(self):
        """What the journal has is what was let in, less what ended."""
        self.ledger.journal.close(keep=True)
        found = read(path.read_bytes() for path in sorted(self.folder.glob("*.journal")))
        assert set(self.open) == set(found.holds)
        for name, (held, _, _) in self.open.items():
            assert held.counters == found.holds[name].counters
        for name, (cost, every) in self.done.items():
            settled = found.settlements[name]
            assert cost == settled.cost_nanos
            assert [of for of in every if isinstance(of, CounterId)] == list(settled.counters)


ACTS = ("hold", "hold", "hold", "hold", "end", "end", "end", "extend", "begin", "confirm")
RARE = ("edit", "midnight", "wait", "ask", "ask")


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(40))
async def test_any_interleaving_is_as_if_each_were_held_of_all(seed, tmp_path):
    """See the module."""
    world = World(seed, tmp_path)
    for number in range(300):
        rare = world.random.random() < 0.05
        getattr(world, world.random.choice(RARE if rare else ACTS))()
        for _ in range(3):
            await asyncio.sleep(0)
        world.answered()
        world.check(fold=False)
        if number % 25 == 24:
            world.check(fold=True)
    world.check(fold=True)
    assert world.count > 80
    world.kill()
    for asked, _, _ in world.asking.values():
        asked.cancel()
    await asyncio.gather(*(asked for asked, _, _ in world.asking.values()), return_exceptions=True)
