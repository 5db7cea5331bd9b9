"""A hold that is a row: what was set aside, and the prices it will be billed at. Pure."""

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.model import Entry, EntryKind, Hold
from trivium.ledger.verify import Detail, reckoned
from trivium.settings.budget import CounterId
from trivium.wire.attribution import NOBODY, Attributed

_decode = msgspec.json.Decoder(Detail).decode
_encode = msgspec.json.Encoder().encode


class StoredHold(msgspec.Struct, frozen=True, kw_only=True):
    """An amount set aside until its actual cost is known."""

    request_id: str
    """Of the request that asked; its entry's, too."""
    user_id: int
    amount_nanos: int
    """0 for an account that no balance has to cover."""
    bill: str
    """JSON: the beginning of the explained bill, with model, prices and key."""
    created_at: int
    """Seconds since the epoch."""
    counters: tuple[CounterId, ...] = ()
    """Of the budgets that it counts against."""
    counted_nanos: int = 0
    """What is set aside of each."""
    who: Attributed = NOBODY
    """Whom and what it is for."""


def held_of(hold: Hold, at: int) -> StoredHold:
    """A quoted hold as a row, with the prices of this moment. It must cost something."""
    tariff = hold.quote.tariff
    assert tariff is not None
    asker = f',"user":{hold.asker_id},"team":{hold.team_id}' if hold.team_id else ""
    return StoredHold(
        request_id=hold.request_id,
        user_id=hold.user_id,
        amount_nanos=hold.amount_nanos if hold.limited else 0,
        bill=f'{tariff.tiers[0].label},"key":{hold.key_id}{asker}}}',
        created_at=at,
        counters=hold.counters,
        counted_nanos=hold.amount_nanos if hold.counters else 0,
        who=hold.who,
    )


def entry_of(
    held: StoredHold, usage: Usage, *, at: int, note: str = "", end: str = "", channel: str = ""
) -> Entry:
    """The entry that books what was used, at the hold's own prices."""
    counted = f',"budgets":{_encode(held.counters).decode()}' if held.counters else ""
    used = _encode(usage).decode()
    answered = f',"channel":{_encode(channel).decode()}' if channel else ""
    # in the order of ``UsageDetail``
    text = held.bill.removesuffix("}")
    text += f'{answered},"end":"{end}","usage":{used}{counted}}}'
    nanos = reckoned(_decode(text))
    assert nanos is not None
    return Entry(
        user_id=held.user_id,
        kind=EntryKind.USAGE,
        amount_nanos=-nanos,
        note=note,
        request_id=held.request_id,
        created_at=at,
        detail=text,
    )
