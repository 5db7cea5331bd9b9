"""The health of every channel, credential and model in use, and of every credential as a whole.

Only what the upstream is to blame for counts: a caller's bad request, or its leaving, says nothing.
A credential that the vendor does not accept, or that has no credit, is put aside for all models
until the settings are read again, or a probe finds it mended: soon after the first refusal, which
vendors give now and then without meaning it, and later after each further one. Where an account may
not have a model, it is put aside for that model alone.

One worker's own knowledge. ``told`` hears of what opens and closes, for the operator's log, and
``watchers`` of every change. Where workers share a state, ``adopt`` takes over what another found,
and ``peers`` see to it that a rest that is over is probed by one of them alone
(``shared_breakers.py``).
"""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec
import structlog

from trivium.faults import Blame, Fault, Kind
from trivium.routing.breaker import claimed, failed, refused, released, state, succeeded
from trivium.routing.channel_health import NEW, Breaker, BreakerChange, HealthKey, State, StepState
from trivium.routing.model import Channel, Plan, Skip, Step
from trivium.settings.model import RoutingSettings

_log = structlog.get_logger()

KEYS_MAX: Final = 10_000
"""Keys are named by the operator's configuration; reloads leave old ones behind."""
_THEIRS: Final = frozenset({Blame.CREDENTIAL, Blame.VENDOR})
_WHOLE: Final = ""
"""Stands for every model in the key of a credential as a whole."""
_PROBED_S: Final = 1.0
"""When to come back while a probe is under way: whether it is answered is known soon."""


_USABLE: Final = StepState(True)


class Watcher(Protocol):
    """Whoever wants to know what rests."""

    def changed(self, key: HealthKey, breaker: Breaker) -> None:
        """A breaker opened, stays open for longer, or closed."""
        ...

    def forgotten(self) -> None:
        """Nothing that was found so far holds any more."""
        ...


class Peers(Protocol):
    """Other workers that call the same upstreams. Nothing of it waits but ``turn``."""

    def probing(self, key: HealthKey) -> None:
        """An attempt has begun that shows whether a breaker can close."""
        ...

    def unprobed(self, key: HealthKey) -> None:
        """A probe ended and said nothing."""
        ...

    def may_probe(self, key: HealthKey) -> bool:
        """Whether a rest that is over may be probed by this worker."""
        ...

    async def turn(self, name: str, seconds: float) -> bool:
        """Whether this worker is to do what one of all does every so often. Never raises."""
        ...


def log_change(change: BreakerChange) -> None:
    """Tell the operator what is left alone, and what is back."""
    key, breaker = change.key, change.after
    told = {"channel": key.channel, "credential": key.credential + 1, "model": key.model or "all"}
    if not breaker.until:
        _log.info("upstream_back", **told)
    elif not key.model:
        _log.error("credential_disabled", **told, fault=breaker.why)
    else:
        _log.warning("upstream_resting", **told, fault=breaker.why, openings=breaker.trips)


class Health:
    """What is known of the upstreams. ``now`` gives seconds that never go back."""

    def __init__(
        self,
        now: Callable[[], float],
        rules: RoutingSettings | None = None,
        *,
        told: Callable[[BreakerChange], None] | None = None,
    ) -> None:
        self._now = now
        self._rules = rules or RoutingSettings()
        self._told = told
        self.peers: Peers | None = None
        """``None``: this worker probes alone."""
        self.watchers: list[Watcher] = []
        """Told of every change at once; nothing of it may wait."""
        self.breakers: dict[HealthKey, Breaker] = {}
        """What failed of late; while all is well nothing is kept, and no success need be told."""
        self.resting: set[HealthKey] = set()
        """Those that are not closed: while there are none, whoever calls an upstream need not ask.
        """
        self._turns: dict[str, int] = {}

    def configure(self, rules: RoutingSettings) -> None:
        """Go by these from now on."""
        self._rules = rules

    # --- before an attempt ----------------------------------------------------------------------

    def credential(self, channel: Channel, model: str, but: frozenset[int] = frozenset()) -> int:
        """Whose turn it is among a channel's credentials: the next that may be used.

        ``but``: those that this request has tried. Where none is left, the one that may be used
        first.
        """
        count = len(channel.credentials)
        if count < 2:
            return 0
        turn = self._turns.get(channel.name, 0) % count
        order = [(turn + i) % count for i in range(count)]
        fresh = [i for i in order if i not in but] or order
        if self.resting:
            found = [(self._credential(channel, i, model), i) for i in fresh]
            fresh = [i for one, i in found if one.usable] or [
                i for _, i in sorted(found, key=lambda pair: pair[0].opens_at)
            ]
        self._turns[channel.name] = fresh[0] + 1
        return fresh[0]

    def others(self, channel: Channel, model: str, tried: frozenset[int]) -> bool:
        """Whether a credential is left that a request has not tried and that may be used."""
        return any(
            i not in tried and self._credential(channel, i, model).usable
            for i in range(len(channel.credentials))
        )

    def claim(self, key: HealthKey) -> None:
        """Note that an attempt begins: of a resting channel it is the probe."""
        now = self._now()
        for one in (key, _whole(key)):
            if one in self.resting and self._may_probe(one):
                before = self.breakers[one]
                self.breakers[one] = after = claimed(before, now)
                if self.peers is not None and after is not before:
                    self.peers.probing(one)

    def askable(self, key: HealthKey) -> bool:
        """Whether a probe of our own may be sent: it is well, or its rest is over."""
        now = self._now()
        for one in (key, _whole(key)):
            if one in self.resting:
                found = state(self.breakers[one], now)
                if found is not State.READY or not self._may_probe(one):
                    return False
        return True

    def standing(self, step: Step) -> StepState:
        """Whether a step may be tried with any of its channel's credentials."""
        if not self.resting:
            return _USABLE
        channel = step.binding.channel
        best: StepState | None = None
        for i in range(max(1, len(channel.credentials))):
            found = self._credential(channel, i, step.binding.model)
            if found.usable:
                return found
            if best is None or found.opens_at < best.opens_at:
                best = found
        assert best is not None
        return best

    def fit(self, plan: Plan) -> Plan:
        """The plan without what may not be tried now. Raises ``Fault`` when nothing is left."""
        return fit(plan, self.standing, self._now())

    # --- after it -------------------------------------------------------------------------------

    def answered(self, key: HealthKey, fault: Fault | None) -> None:
        """It was answered; ``fault``: the answer broke off."""
        if fault is not None:
            self.failed(key, fault)
        else:
            self.succeeded(key)

    def succeeded(self, key: HealthKey) -> None:
        """It answered as it should."""
        now = self._now()
        before = self.breakers.get(key)
        if before is not None:
            self._put(key, before, succeeded(before, now, self._rules))
        whole = _whole(key)
        before = self.breakers.get(whole) if self.resting else None
        if before is not None:
            self._put(whole, before, succeeded(before, now, self._rules))

    def heard(self, key: HealthKey) -> None:
        """Its answer began: a probe need not last as long as its stream."""
        if self.resting:
            self.succeeded(key)

    def failed(self, key: HealthKey, fault: Fault) -> None:
        """It failed; what that says of the upstream is in the table of faults."""
        now = self._now()
        if fault.kind is Kind.UPSTREAM_BUSY or fault.row.blame not in _THEIRS:
            # our own limits on a channel say nothing of it either
            self.left(key)
            return
        why = fault.kind.value
        if fault.kind is Kind.UPSTREAM_CREDENTIAL:
            self._release(key)
            key = _whole(key)
        else:
            # as a probe of the credential it says nothing
            self._release(_whole(key))
        before = self.breakers.get(key, NEW)
        if fault.kind is Kind.UPSTREAM_CREDENTIAL:
            after = refused(before, now, self._rules, why)
        elif fault.kind is Kind.UPSTREAM_DENIED:
            after = failed(before, now, self._rules, why)
        else:
            wait_s = fault.retry_after and min(fault.retry_after, self._rules.recheck_s)
            after = failed(before, now, self._rules, why, wait_s=wait_s)
        self._put(key, before, after)

    def left(self, key: HealthKey) -> None:
        """It ended in a way that says nothing: the caller left, or the request was at fault."""
        self._release(key)
        self._release(_whole(key))

    # --- from outside ---------------------------------------------------------------------------

    def adopt(self, key: HealthKey, breaker: Breaker) -> None:
        """Take over what another found. Nobody is told."""
        if breaker.until:
            self.breakers[key] = breaker
            self.resting.add(key)
        else:
            self.breakers.pop(key, None)
            self.resting.discard(key)

    def forget(self) -> None:
        """The settings were read again: whatever is wrong may have been mended."""
        self._clear()
        for watcher in self.watchers:
            watcher.forgotten()

    def _clear(self) -> None:
        self.breakers.clear()
        self.resting.clear()

    def _may_probe(self, key: HealthKey) -> bool:
        return self.peers is None or self.peers.may_probe(key)

    def open(self) -> dict[HealthKey, Breaker]:
        """Every breaker that is not closed, for people."""
        return {key: self.breakers[key] for key in self.resting}

    def _credential(self, channel: Channel, i: int, model: str) -> StepState:
        now = self._now()
        worst = _USABLE
        for key in (HealthKey(channel.name, i, _WHOLE), HealthKey(channel.name, i, model)):
            if key in self.resting:
                breaker = self.breakers[key]
                found = state(breaker, now)
                if found is State.READY and not self._may_probe(key):
                    found = State.PROBING
                if found in (State.OPEN, State.PROBING):
                    at = breaker.until if found is State.OPEN else now + _PROBED_S
                    if at > worst.opens_at:
                        worst = StepState(False, at, breaker.told, breaker.why)
        return worst

    def _release(self, key: HealthKey) -> None:
        if key in self.resting:
            before = self.breakers[key]
            self.breakers[key] = after = released(before)
            if self.peers is not None and after is not before:
                self.peers.unprobed(key)

    def _put(self, key: HealthKey, before: Breaker, after: Breaker) -> None:
        if after is before:
            return
        if len(self.breakers) >= KEYS_MAX:
            self._clear()
        if after.until or after.bad:
            self.breakers[key] = after
        else:
            self.breakers.pop(key, None)
        if after.until:
            self.resting.add(key)
        elif before.until:
            self.resting.discard(key)
        if after.until != before.until:
            for watcher in self.watchers:
                watcher.changed(key, after)
        if self._told is not None and bool(after.until) != bool(before.until):
            self._told(BreakerChange(key, before, after))


def _whole(key: HealthKey) -> HealthKey:
    return HealthKey(key.channel, key.credential, _WHOLE)


def fit(plan: Plan, standing: Callable[[Step], StepState], now: float) -> Plan:
    """The plan without the steps that may not be tried now.

    When none may, the one that may be tried first is, as long as only we think ill of it: a guess
    of ours must not turn a bad hour of a single channel into an outage. Where the vendors
    themselves named a time, nobody is called: raises ``Fault`` (``RESTING``) with that time.
    """
    steps: list[Step] = []
    skipped: list[Skip] = []
    resting: list[tuple[StepState, Step]] = []
    for step in plan.steps:
        found = standing(step)
        if found.usable:
            steps.append(step)
        else:
            resting.append((found, step))
            skipped.append(Skip(binding=step.binding, why=_why(found, now)))
    if not resting:
        return plan
    if not steps:
        guessed = [pair for pair in resting if not pair[0].told]
        if not guessed:
            first = min(found.opens_at for found, _ in resting)
            raise _nobody(resting, max(0.0, first - now))
        _, step = min(guessed, key=lambda pair: pair[0].opens_at)
        steps = [msgspec.structs.replace(step, why=f"{step.why}, the first to be usable again")]
        skipped = [skip for skip in skipped if skip.binding is not step.binding]
    return Plan(steps=tuple(steps), skipped=(*plan.skipped, *skipped))


def _nobody(resting: list[tuple[StepState, Step]], wait_s: float) -> Fault:
    """What the caller is told: as the vendors said it themselves, where all said the same."""
    again = f"Try again in {max(1, round(wait_s))}s."
    if all(found.why == Kind.UPSTREAM_RATE_LIMITED.value for found, _ in resting):
        return Fault(
            Kind.UPSTREAM_RATE_LIMITED,
            f"Every upstream of this model is at its rate limit for now. {again}",
            retry_after=wait_s,
        )
    return Fault(
        Kind.NO_ROUTE, f"No upstream of this model can be used for now. {again}", retry_after=wait_s
    )


def _why(found: StepState, now: float) -> str:
    told = "the vendor's word" if found.told else "cooling down"
    return f"resting for {max(1, round(found.opens_at - now))} s after {found.why} ({told})"
