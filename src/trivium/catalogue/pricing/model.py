"""Proposals: a price that differs from what is set, until somebody has decided."""

from enum import Enum, unique

import msgspec

from trivium.catalogue.pricing.origin import PriceOrigin
from trivium.ledger.suggestions.model import Suggestion


@unique
class ProposalState(Enum):
    """What became of a proposal."""

    OPEN = "open"
    ADOPTED = "adopted"
    DISMISSED = "dismissed"
    """It is not made again until what is offered changes."""
    REPLACED = "replaced"
    """Something else is offered since."""
    SETTLED = "settled"
    """What is set does not differ from it any more, or the model is gone."""


class ProposedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of price in one tier that would change."""

    kind: str
    above: int
    """Input tokens above which it holds; 0: from the first."""
    now: str | None
    """What was set, in US dollars; ``None``: nothing."""
    then: str | None


class PriceProposal(msgspec.Struct, frozen=True, kw_only=True):
    """One model's other price, as somebody found it."""

    id: int
    model: str
    state: ProposalState
    channel: str
    origin: PriceOrigin
    digest: str
    suggestion: Suggestion
    lines: tuple[ProposedLine, ...]
    is_by_hand: bool
    """Whether what was set had been made by hand."""
    found_at: int
    """Seconds since the epoch."""
    decided_at: int | None = None
    decided_by: int | None = None
    """A user; ``None``: nobody, or a machine."""
