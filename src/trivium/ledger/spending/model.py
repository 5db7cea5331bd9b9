"""What a usage entry says of who spent it, and by what statements are summed up. Pure."""

from enum import Enum, unique
from typing import Final, NamedTuple

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.attribution import NOBODY, Attributed

DAY_S: Final = 86_400
REPEATED: Final = ":repeated"
"""Ends the request id of an entry that completes the bill of one that was interrupted."""


@unique
class Dimension(Enum):
    """By what a statement sums up."""

    DAY = "day"
    PAYER = "payer"
    """Whose account paid: a user, or the team with the wallet."""
    TEAM = "team"
    """The team that the key spends for."""
    USER = "user"
    """Who asked: a person or a service account."""
    KEY = "key"
    MODEL = "model"
    CHANNEL = "channel"
    END_USER = "end_user"
    SESSION = "session"
    TAG = "tag"
    """A request with several tags is counted under each."""
    TAGS = "tags"
    """All tags of a request together, so that each request is counted once."""

    __hash__ = object.__hash__


SAID: Final = (Dimension.END_USER, Dimension.SESSION, Dimension.TAG, Dimension.TAGS)
"""What callers say, and nobody checks."""


class BookedUsage(NamedTuple):
    """A usage entry on its way into the sums."""

    payer_id: int
    at: int
    """Seconds since the epoch."""
    nanos: int
    """What it took, as a positive number."""
    detail: str
    request_id: str | None
    who: Attributed = NOBODY


class SpendScope(msgspec.Struct, frozen=True, kw_only=True):
    """Of what a statement is. Days are of UTC, since the epoch, both included."""

    since: int
    until: int
    team_ids: tuple[int, ...] | None = None
    """Keys that spend for these teams; ``None``: all keys."""
    user_id: int | None = None
    """Who asked; ``None``: anybody."""
    payer_id: int | None = None
    payer_group: str | None = None
    """Payers that are in this price group now; ``None``: all."""


class SpendRow(NamedTuple):
    """What some usage came to: that of these values, one a dimension."""

    values: tuple[int | str, ...]
    sums: "SpendSums"


class SpendPlace(NamedTuple):
    """What has one row among the sums, in the order of its columns."""

    day: int
    payer_id: int
    team_id: int
    user_id: int
    key_id: int
    model: str
    channel: str


class SpendSums(NamedTuple):
    """What is summed up."""

    nanos: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: "SpendSums") -> "SpendSums":
        """Return what this and another come to together."""
        return SpendSums(
            self.nanos + other.nanos,
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


class _SpendFacts(msgspec.Struct):
    """What is read of an entry's detail."""

    model: str = ""
    key: int = 0
    user: int = 0
    team: int = 0
    channel: str = ""
    usage: Usage | None = None


_facts: Final = msgspec.json.Decoder(_SpendFacts).decode
_NO_FACTS: Final = _SpendFacts()


def summed(booked: BookedUsage) -> tuple[SpendPlace, SpendSums]:
    """Where an entry counts, and how much. One whose detail cannot be read counts all the same."""
    facts = _read(booked.detail)
    user_id = facts.user or booked.payer_id
    at = booked.at // DAY_S
    key = SpendPlace(
        at, booked.payer_id, facts.team, user_id, facts.key, facts.model[:200], facts.channel[:200]
    )
    usage = facts.usage
    requests = 0 if (booked.request_id or "").endswith(REPEATED) else 1
    if usage is None:
        return key, SpendSums(booked.nanos, requests)
    return key, SpendSums(
        booked.nanos,
        requests,
        min(usage.input_total, _COUNT_MAX),
        min(usage.output_total, _COUNT_MAX),
    )


_COUNT_MAX: Final = 10**12
"""Tokens of a request that are counted: vendors' absurd numbers must not stop the books."""


def _read(detail: str) -> _SpendFacts:
    if not detail:
        return _NO_FACTS
    try:
        return _facts(detail)
    except (msgspec.MsgspecError, ValueError):
        return _NO_FACTS
