"""One worker's ledger: holds against leases in memory, notes in the journal, bookings later.

Nothing here waits but ``lease``, and nothing here speaks with the database:
``ledger/ledger_sync.py`` asks what is to be said and tells what came of it. The order of things is
what makes a killed worker harmless (docs/decisions/0010-ledger.md): a hold is in the journal before
its request goes upstream, and a settlement before the last byte of the answer.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec
import structlog

from trivium.clock import Clock
from trivium.conversation.usage import Usage
from trivium.ledger.allowance import Allowance
from trivium.ledger.cost import INTERRUPTED, cost
from trivium.ledger.covering import Covering
from trivium.ledger.errors import UnwrittenError
from trivium.ledger.journal import Journal
from trivium.ledger.lease_keeper import RENEW_S, LeaseKeeper
from trivium.ledger.model import Hold, Quote, Settlement, UsageDetail
from trivium.ledger.refusals import too_many_wait, unnoted
from trivium.ledger.service import Payer
from trivium.settings.budget import UNCOUNTED, Budget, CountedBudgets
from trivium.wire.attribution import NOBODY, Attributed

WAITING_MAX: Final = 250_000
"""Settlements in memory, some 200 MB, beyond which accounts without a limit are refused: all others
have stopped long before, with the end of their leases."""
_encode: Final = msgspec.json.Encoder().encode

log = structlog.get_logger()


class WorkerLedger(LeaseKeeper):
    """See the module, and ``Ledger`` for what the pipeline calls."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        *,
        groups: Mapping[str, Fraction] | None = None,
        interrupted: str = "free",
        ahead_s: float = 0.0,
    ) -> None:
        """``interrupted``: what a request costs that the worker dies with: free, input or hold.

        ``ahead_s``: for how long leases are to last without the database, where balances allow it.
        """
        super().__init__(clock, groups=groups, ahead_s=ahead_s)
        self.journal = journal
        self._interrupted_nanos = INTERRUPTED[interrupted]
        self._open: dict[str, Hold] = {}
        self._covered: dict[str, Covering] = {}
        """What covers those of them that count against budgets."""
        self._is_full = False

    # --- the pipeline's side --------------------------------------------------------------------

    def hold(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold | None:
        """Reserve the quote if the leases cover it. Raises ``Fault`` (INTERNAL, INVALID_VALUE,
        LEDGER_DOWN).
        """
        if budgets and quote.tariff is not None:
            return self._hold_within(request_id, caller, quote, tuple(budgets), who)
        amount = quote.amount_nanos
        user_id = caller.payer_id
        if quote.tariff is None:
            counted = self._counted(tuple(budgets)) if budgets else UNCOUNTED
            return _hold(request_id, caller, quote, who, counted)
        hold = _hold(request_id, caller, quote, who)
        if not caller.unlimited:
            account = self._accounts.get(user_id)
            now = self._monotonic()
            if (
                account is None
                or account.waiting
                or now > self.trusted_until
                or not (account.take(amount) or self._take_again(account, amount))
            ):
                return None
            self._touch(account)
            if account.is_low and now > account.learned_at + RENEW_S:
                account.learned_at = now
                self.hurry(user_id)
        elif len(self._queue) >= WAITING_MAX:
            raise too_many_wait()
        self._note(hold)
        return hold

    async def lease(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: Sequence[Budget] = (),
        who: Attributed = NOBODY,
    ) -> Hold:
        """Reserve the quote with the next turn of the account and the budgets, in the order of
        asking.

        Raises ``Fault`` (BALANCE_TOO_LOW, LEDGER_DOWN, INTERNAL), ``BudgetRefusal``.
        """
        amount = quote.amount_nanos
        covering: Covering | None = None
        if budgets:
            covering = self._covering(tuple(budgets), caller.payer_id, not caller.unlimited)
            hold = _hold(request_id, caller, quote, who, covering.counted)
            asked = covering.hard
        else:
            hold = _hold(request_id, caller, quote, who)
            asked = [self._account(hold.user_id)] if hold.limited else []
        now = self._clock.monotonic()
        for account in asked:
            if now < account.refused_until and amount > account.pool + account.others:
                raise self.refusal(hold, account.budget)
        refused = await self._wait_for_all(asked, hold)
        if refused is not None:
            raise self.refusal(hold, refused.budget)
        self._note(hold, covering)
        return hold

    def _hold_within(
        self,
        request_id: str,
        caller: Payer,
        quote: Quote,
        budgets: tuple[Budget, ...],
        who: Attributed,
    ) -> Hold | None:
        """As ``hold``, for whoever has budgets: all of them and the account cover it, or none is
        touched.
        """
        covering = self._covering(budgets, caller.payer_id, not caller.unlimited)
        if not covering.is_limited and len(self._queue) >= WAITING_MAX:
            raise too_many_wait()
        amount, now = quote.amount_nanos, self._monotonic()
        if now > self.trusted_until:
            return None
        if (amount > covering.room or not covering.is_open) and not self._set_aside(
            covering, amount, now
        ):
            return None
        covering.hold(amount)
        if not covering.is_changed:
            self._to_tell(covering)
        hold = _hold(request_id, caller, quote, who, covering.counted)
        self._note(hold, covering)
        return hold

    def _take_again(self, account: Allowance, amount: int) -> bool:
        """Hold an amount of one that had too little, of what was set aside of it and not used."""
        if not self._changed:
            return False
        self.fold()
        return account.take(amount)

    def extend(self, hold: Hold, more_nanos: int) -> Hold | None:
        """The hold with so much more in it, if the lease covers that and the journal takes it."""
        if hold.request_id not in self._open:
            return hold  # of what is free nothing is held
        asked = self._holding(hold)
        self.fold()
        if asked and self._clock.monotonic() > self.trusted_until:
            return None
        for account in asked:
            if account.waiting or account.free < more_nanos:
                return None
        for account in asked:
            account.take(more_nanos)
            self._touch(account)
        amount = hold.amount_nanos + more_nanos
        own = hold.quote.own_nanos
        own = own and own + more_nanos  # what costs nothing goes on doing so
        quote = msgspec.structs.replace(hold.quote, amount_nanos=amount, own_nanos=own)
        extended = msgspec.structs.replace(hold, amount_nanos=amount, quote=quote)
        try:
            self.journal.hold(extended, *self._interrupted_at(extended))
        except OSError as error:
            self._lost(error)
            self._end(hold, more_nanos, 0, self._covered.get(hold.request_id))
            return None
        self._open[hold.request_id] = extended
        return extended

    def hand_over(self, hold: Hold, quote: Quote) -> Hold:
        """Another model is asked, at the prices of its quote; as much stays held as before.

        Noted before it is asked, in the place of what was noted first: a killed worker's request
        costs what the model asks that was at it. Raises ``Fault`` (INTERNAL).
        """
        other = msgspec.structs.replace(hold, quote=quote)
        if quote.tariff is None or hold.request_id not in self._open:
            return other
        try:
            self.journal.hold(other, *self._interrupted_at(other))
        except OSError as error:
            self._lost(error)
            raise unnoted() from None
        self._open[hold.request_id] = other
        return other

    def counted(self, hold: Hold, budgets: Sequence[Budget]) -> Hold:
        """The hold with the counters of these budgets. Raises ``Fault`` (INVALID_VALUE) where they
        are more than one request can count against.
        """
        return msgspec.structs.replace(hold, counted=self._counted(tuple(budgets)))

    def settle(self, hold: Hold, usage: Usage | None, end: str = "", channel: str = "") -> int:
        """Book the real cost against the hold, exactly once; returns nano-dollars charged."""
        tariff = hold.quote.tariff
        if tariff is None or self._open.pop(hold.request_id, None) is None:
            return 0
        counted = hold.counted
        covering = None if counted is UNCOUNTED else self._covered.pop(hold.request_id, None)
        if usage is None:
            self._end(hold, hold.amount_nanos, 0, covering)
            try:
                self.journal.release(hold.request_id)
            except OSError as error:
                self._lost(error)
            return 0
        nanos, rates = cost(tariff, usage)
        at = int(self._now())
        said = UsageDetail(
            key=hold.key_id,
            user=hold.asker_id if hold.team_id else 0,
            team=hold.team_id,
            channel=channel,
            end=end,
            usage=usage,
        )
        detail = f"{rates.label},{_encode(said)[1:].decode()}"
        if counted is not UNCOUNTED:
            detail = f'{detail[:-1]},"budgets":{counted.text}}}'  # as ``UsageDetail`` has them
        settled = Settlement(
            hold.request_id, hold.user_id, nanos, at, "", detail, counted.counters, hold.who
        )
        self._end(hold, hold.amount_nanos, nanos, covering)
        self._queue.append(settled)
        try:
            self.journal.settle(settled)
        except OSError as error:
            # it is booked from memory as always: only a kill would tell
            self._lost(error)
        return nanos

    def gather(self) -> None:
        """Have the journal gather its records until ``flush``."""
        self.journal.gathers = True

    def flush(self) -> list[str]:
        """Write what the journal has gathered; the requests whose hold it could not take.

        They must not go upstream, and are settled with nothing. Everything else may leave now.
        """
        self.journal.gathers = False
        try:
            is_written = self.journal.flush()
        except UnwrittenError as error:
            self._lost(error)
            return error.holds
        if is_written and self._is_full:
            self._flows()
        return []

    @property
    def running(self) -> int:
        """Holds that are not settled yet."""
        return len(self._open)

    def carry_on(self) -> None:
        """Begin a new journal file with the holds still open. Raises OSError."""
        self.journal.carry_on([(hold, *self._interrupted_at(hold)) for hold in self._open.values()])

    # --- own ------------------------------------------------------------------------------------

    def _note(self, hold: Hold, covering: Covering | None = None) -> None:
        try:
            self.journal.hold(hold, self._interrupted_nanos(hold.quote), int(self._now()))
        except OSError as error:
            self._lost(error)
            self._end(hold, hold.amount_nanos, 0, covering)
            raise unnoted() from None
        if self._is_full and not self.journal.gathers:
            self._flows()
        self._open[hold.request_id] = hold
        if covering is not None:
            self._covered[hold.request_id] = covering

    def _interrupted_at(self, hold: Hold) -> tuple[int, int]:
        """What a hold costs if nobody settles it, and the second it is."""
        return self._interrupted_nanos(hold.quote), int(self._now())

    def _lost(self, error: OSError) -> None:
        """One log line a change of state: a full disk fails every request."""
        if not self._is_full:
            log.error("journal_failed", error=str(error))
        self._is_full = True

    def _flows(self) -> None:
        self._is_full = False
        log.info("journal_flows_again")

    def _end(self, hold: Hold, amount: int, nanos: int, covering: Covering | None) -> None:
        """Free what was held, and remember what is to be booked. ``covering``: what it was held of,
        as it was then: a budget may have been changed since.
        """
        if covering is not None:
            covering.give_back(amount, nanos)
            if covering.soft and nanos:
                for account in covering.soft:
                    # nothing is set aside of it, and it may refuse others by now
                    self._kept(account).give_back(0, nanos)
            if covering.room < 0 or not covering.is_changed:
                self._to_tell(covering)
        elif hold.limited:
            own = self._accounts.get(hold.user_id)
            if own is not None:
                own.give_back(amount, nanos)
                self._touch(own)
                if nanos > amount:
                    self.fold()  # whatever else was set aside of it


def _hold(
    request_id: str,
    caller: Payer,
    quote: Quote,
    who: Attributed,
    counted: CountedBudgets = UNCOUNTED,
) -> Hold:
    """What is held for a request; ``counted``: the budgets that it counts against."""
    return Hold(
        request_id,
        caller.payer_id,
        quote.amount_nanos,
        quote,
        caller.key_id,
        not caller.unlimited,
        counted=counted,
        asker_id=caller.user_id,
        team_id=caller.team_id,
        who=who,
    )
