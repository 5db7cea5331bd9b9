"""The one choke point: may this request run now? Nothing here waits but ``ask`` and ``ask_enter``.

Windows and slots are counted in this worker's memory; with a shared state (``admission/script.py``)
it decides, and the memory follows, so that it can go on alone when the shared state is away.
"""

import asyncio
from typing import Final, Protocol

from trivium.admission import refusal
from trivium.admission.combined_budgets import CombinedBudgets
from trivium.admission.end_users import EndUserSlots
from trivium.admission.meter import MINUTE_S, Meter, Of, Subject
from trivium.admission.offline_usage import Missed, OfflineUsage
from trivium.admission.shared import AdmissionVerdict, MeterCounts, Unreachable
from trivium.admission.tokens import foreseen, without_files
from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.routing.model import Channel, Model
from trivium.settings.limits import RateLimits
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


class SharedWindows(Protocol):
    """Windows that all workers count in; ``admission/script.py`` has the real ones."""

    @property
    def is_up(self) -> bool:
        """Whether the shared state answers, as far as is known now."""
        ...

    async def admit(self, request_id: str, meters: list[Meter], tokens: int) -> AdmissionVerdict:
        """Check every meter and count in all or none. Raises Unreachable."""
        ...

    def leave(self, request_id: str, meters: list[Meter], minute: int, more: int) -> None:
        """Release slots and correct tokens, now or when it is back. Never waits."""
        ...

    def count(self, missed: list[Missed]) -> None:
        """Add what one worker let in while it was alone. Never waits."""
        ...

    def renew(self, running: "list[Permit]") -> None:
        """Extend the leases of running requests. Never waits."""
        ...


class Permit:
    """What a request takes up while it runs; given back once."""

    __slots__ = (
        "_admission",
        "into",
        "meters",
        "minute",
        "request_id",
        "tokens",
    )

    def __init__(
        self,
        admission: "Admission | None",
        request_id: str,
        meters: list[Meter],
        tokens: int,
        minute: int,
        into: float,
    ) -> None:
        self._admission = admission
        self.request_id = request_id
        self.meters = meters
        self.tokens = tokens
        self.minute = minute
        self.into = into

    def leave(self, used: int | None) -> None:
        """End the request. ``used``: its tokens; ``None``: the reservation stands."""
        admission = self._admission
        if admission is None:
            return
        self._admission = None
        admission.take_back(self, used)


OPEN: Final = Permit(None, "", [], 0, 0, 0.0)
"""Of requests that nothing limits."""


class Admission:
    """Admits requests by keys' lists of models, rate limits and concurrency. Money is the ledger's:
    budgets as well.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        shared: SharedWindows | None = None,
    ) -> None:
        self._clock = clock
        self._shared = shared
        self._meters: dict[tuple[Subject, object], Meter] = {}
        self.running: dict[Permit, None] = {}
        """Every pass that holds slots of the shared state, oldest first."""
        self.end_users = EndUserSlots()
        """Who is counted apart of those that the requests of a key are for."""
        self.combined = CombinedBudgets()
        self._alone = OfflineUsage()
        self._unheard: dict[Permit, None] = {}
        """Every pass that the shared state knows nothing of yet, because it is away."""

    # --- what a request asks --------------------------------------------------------------------

    def permit(self, caller: Caller, model: str) -> None:
        """Whether the key's list has the model. Raises ``Fault`` (MODEL_NOT_ALLOWED)."""
        if (caller.models or caller.prefixes or caller.narrowed) and not caller.may_use(model):
            raise Fault(
                Kind.MODEL_NOT_ALLOWED,
                f"This key may not use the model `{model[:200]}`.",
                param="model",
            )

    def admit(
        self,
        request_id: str,
        caller: Caller,
        model: Model,
        operation: Operation,
        facts: RequestFacts,
        body: bytes,
        end_user: str = "",
    ) -> Permit | None:
        """A pass, or ``None`` when the shared state has to be asked. ``end_user``: the hash of
        whom the request is for, where the key limits each of those.

        Raises ``Fault`` (RATE_LIMITED, LIMIT_TOO_LOW).
        """
        meters = self._meters_of(caller, model, end_user)
        if not meters:
            return OPEN
        if self._shared is not None and self._shared.is_up:
            return None
        tokens = _reserved(meters, operation, facts, body)
        return self._take(request_id, meters, tokens, self._clock.now())

    async def ask(
        self,
        request_id: str,
        caller: Caller,
        model: Model,
        operation: Operation,
        facts: RequestFacts,
        body: bytes,
        end_user: str = "",
    ) -> Permit:
        """Do as ``admit``, asking where that is needed."""
        meters = self._meters_of(caller, model, end_user)
        return await self._ask(request_id, meters, _reserved(meters, operation, facts, body))

    def look(self, caller: Caller, key_coming: int, user_coming: int) -> None:
        """Check whether a request of this caller could be admitted now, before its body is read.

        ``key_coming`` and ``user_coming`` count the caller's requests whose bodies are still
        arriving, as if they ran. Raises ``Refusal`` (RATE_LIMITED) only where ``admit`` would
        refuse as well.
        """
        now = self._clock.now()
        minute = int(now // MINUTE_S)
        into = now - minute * MINUTE_S
        for subject, of, limits, coming in (
            (Subject.KEY, caller.key_id, caller.limits, key_coming),
            (Subject.USER, caller.user_id, caller.user_limits, user_coming),
        ):
            if limits is None:
                continue
            meter = self._meter(subject, of, limits)
            most = limits.concurrency
            if not meter.fits(minute, into, 0):
                raise _refused([meter], into, 0, None)
            if most is not None and meter.running + coming >= most:
                raise refusal.limited(meter, Of.CONCURRENCY, 1.0, into)

    def enter(
        self,
        request_id: str,
        of: Channel | Model,
        operation: Operation,
        facts: RequestFacts,
        body: bytes,
    ) -> Permit | None:
        """A pass for one call of a channel, or for a model that is to answer in another's place.

        Raises ``Fault`` (UPSTREAM_BUSY; RATE_LIMITED, LIMIT_TOO_LOW of a model).
        """
        if of.rates is None:
            return OPEN
        if self._shared is not None and self._shared.is_up:
            return None
        meters = [self._meter_of(of, of.rates)]
        tokens = _reserved(meters, operation, facts, body)
        return self._take(request_id, meters, tokens, self._clock.now())

    async def ask_enter(
        self,
        request_id: str,
        of: Channel | Model,
        operation: Operation,
        facts: RequestFacts,
        body: bytes,
    ) -> Permit:
        """As ``enter``, after asking the shared state."""
        assert of.rates is not None
        meters = [self._meter_of(of, of.rates)]
        return await self._ask(request_id, meters, _reserved(meters, operation, facts, body))

    def take_back(self, given: Permit, used: int | None) -> None:
        """Settle a pass that has ended. ``Permit.leave`` calls this once."""
        now = self._clock.now()
        more = 0 if used is None else used - given.tokens
        for meter in given.meters:
            meter.leave()
            if more and meter.limits.tokens is not None:
                meter.correct(given.minute, int(now // MINUTE_S), more)
        if self._shared is None:
            return
        if given in self.running:
            del self.running[given]
            self._shared.leave(given.request_id, given.meters, given.minute, more)
        elif given in self._unheard:
            del self._unheard[given]
            if more:
                self._alone.corrected(given.meters, given.minute, now, more)

    def returned(self) -> None:
        """The shared state is back, perhaps empty: say what was let in meanwhile, and what runs."""
        assert self._shared is not None
        self._shared.count(self._alone.told(self._meters.values(), self._clock.now()))
        self.running.update(self._unheard)
        self._unheard.clear()
        self._shared.renew(list(self.running))

    # --- own ------------------------------------------------------------------------------------

    def _take(self, request_id: str, meters: list[Meter], tokens: int, now: float) -> Permit:
        minute = int(now // MINUTE_S)
        into = now - minute * MINUTE_S
        for meter in meters:
            if not meter.fits(minute, into, tokens):
                raise _refused(meters, into, tokens, None)
        for meter in meters:
            meter.take(tokens)
        given = Permit(self, request_id, meters, tokens, minute, into)
        if self._shared is not None and meters:
            self._alone.took(meters, minute, tokens)
            self._unheard[given] = None
        return given

    async def _ask(self, request_id: str, meters: list[Meter], tokens: int) -> Permit:
        shared = self._shared
        if shared is None or not meters:
            return self._take(request_id, meters, tokens, self._clock.now())
        try:
            verdict = await shared.admit(request_id, meters, tokens)
        except Unreachable:
            # whether it was counted there nobody knows: a slot may be taken
            shared.leave(request_id, meters, 0, 0)
            return self._take(request_id, meters, tokens, self._clock.now())
        except asyncio.CancelledError:
            shared.leave(request_id, meters, int(self._clock.now() // MINUTE_S), -tokens)
            raise
        for meter, counts in zip(meters, verdict.counts, strict=True):
            meter.adopt(verdict.minute, counts)
        if not verdict.granted:
            raise _refused(meters, verdict.into, tokens, verdict.counts)
        for meter in meters:
            meter.running += 1
        given = Permit(self, request_id, meters, tokens, verdict.minute, verdict.into)
        self.running[given] = None
        return given

    def _meters_of(self, caller: Caller, model: Model, end_user: str = "") -> list[Meter]:
        found = []
        if end_user and caller.end_user_limits is not None:
            now, limits = self._clock.now(), caller.end_user_limits
            found.append(self.end_users.meter(caller.key_id, end_user, limits, now))
        if caller.limits is not None:
            found.append(self._meter(Subject.KEY, caller.key_id, caller.limits))
        if caller.user_limits is not None:
            found.append(self._meter(Subject.USER, caller.user_id, caller.user_limits))
        for team_id, limits in caller.team_limits:
            found.append(self._meter(Subject.TEAM, team_id, limits))
        if model.rates is not None:
            found.append(self._meter(Subject.MODEL, model.name, model.rates))
        return found

    def _meter_of(self, of: Channel | Model, rates: RateLimits) -> Meter:
        subject = Subject.CHANNEL if isinstance(of, Channel) else Subject.MODEL
        return self._meter(subject, of.name, rates)

    def _meter(self, subject: Subject, of: object, limits: RateLimits) -> Meter:
        meter = self._meters.get((subject, of))
        if meter is None:
            meter = self._meters[subject, of] = Meter(subject, f"{subject.value}:{of}", limits)
        elif meter.limits is not limits:
            meter.limits = limits
        return meter


def _reserved(meters: list[Meter], operation: Operation, facts: RequestFacts, body: bytes) -> int:
    """Tokens to count until the answer says. Raises ``Refusal`` when they can never fit."""
    tight: Meter | None = None
    for meter in meters:
        limit = meter.limits.tokens
        if limit is not None and (tight is None or limit < (tight.limits.tokens or 0)):
            tight = meter
    if tight is None or tight.limits.tokens is None:
        return 0
    written, answered = foreseen(operation, facts, body)
    most = tight.limits.tokens
    if written > most:
        written = without_files(body)
        if written > most:
            raise refusal.too_large(tight, written, 0.0)
    return min(written + answered, most)


def _refused(
    meters: list[Meter], into: float, tokens: int, counts: list[MeterCounts] | None
) -> refusal.AdmissionRefusal:
    """The obstacle that takes longest to go away."""
    worst: tuple[float, refusal.AdmissionRefusal] | None = None
    for number, meter in enumerate(meters):
        running = None if counts is None else counts[number].running
        found = meter.obstacle(into, tokens, running)
        if found is not None and (worst is None or found[1] > worst[0]):
            worst = found[1], refusal.limited(meter, *found, into)
    if worst is None:
        # a moment's difference between two clocks: it fits by now
        of = meters[0].first()
        return refusal.limited(meters[0], of, 1.0, into)
    return worst[1]
