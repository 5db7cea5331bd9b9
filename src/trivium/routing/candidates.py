"""What a choice among channels goes by: nouns of ``policy``, ``tries``, ``wishes``, ``latency``."""

import msgspec

from trivium.faults import Fault
from trivium.routing.model import Plan, Skip, Step, Strategy


class PriorityTier(msgspec.Struct, frozen=True):
    """Bindings of one priority that may serve an operation."""

    weighted: tuple[tuple[Step, int], ...]
    """Steps with weights above 0."""
    last: tuple[Step, ...]
    """Steps of weight 0."""


class Candidates(msgspec.Struct, frozen=True):
    """All that a plan needs and that does not depend on chance."""

    tiers: tuple[PriorityTier, ...]
    skipped: tuple[Skip, ...]
    only: Plan | None
    """The plan itself, when nothing is left to chance; ``None`` when there is a draw."""
    strategy: Strategy = Strategy.WEIGHT
    ready: tuple[tuple[float, Plan], ...] = ()
    """Every order there can be by weight, each with the share of draws below which it is chosen;
    empty where there are too many, or where more than weight decides.
    """


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """How one attempt failed, and what it had come to."""

    fault: Fault
    took_s: float
    sent: bool
    """Whether the request went out."""
    others: bool = False
    """Whether the channel has a credential left that was not tried."""


class Next(msgspec.Struct, frozen=True):
    """An attempt to make."""

    step: Step
    wait_s: float = 0.0


class RoutingPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller wishes."""

    only: tuple[str, ...] = ()
    """Channels that may be tried; empty: any."""
    order: tuple[str, ...] = ()
    """Channels to try first."""
    max_cost_nanos: int | None = None
    """Nano-dollars the request may cost at most; ``None``: whatever it costs."""


class PreferencesMember(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body's member that says the same."""

    channel: str | None = None
    only: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    max_cost: str | None = None


class Reading(msgspec.Struct, frozen=True, gc=False):
    """An average and when it was last added to."""

    seconds: float
    at: float
    begun: float = 0.0
    """When an answer was last waited for."""
